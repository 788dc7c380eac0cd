import { Button, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { Copyable } from '../parts/Copyable'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { MY_ZONE } from '../parts/zones'
import { useMay } from '../session/me'
import { useGo } from '../shell/address'
import { EMAIL_TEXTS as TEXTS } from '../texts/emails'
import { ResendQuestion } from './ResendQuestion'

type Email = RecordOf<'/emails/{email_id}'>

/** What can be done with an email, by its state and by the role of who looks at it. */
export function EmailActs({ email }: { email: Email }) {
  const may = useMay()
  const go = useGo()
  const path = { email_id: email.id }
  const resend = useAct({
    run: () => answer(api.POST('/emails/{email_id}/resend', { params: { path } })),
    done: TEXTS.resent,
    changes: ['emails'],
    onDone: ({ id }) => go(`/emails/${id}`),
  })
  const cancel = useAct({
    run: () => answer(api.POST('/emails/{email_id}/cancel', { params: { path } })),
    done: TEXTS.canceled,
    changes: ['emails'],
  })
  const isWaiting = email.last_event === 'scheduled'
  return (
    <>
      {may('emails:write') && <Share emailId={email.id} />}
      {may('emails:resend') && !isWaiting && (
        <ConfirmButton
          name={TEXTS.resend}
          color="indigo"
          variant="default"
          question={<ResendQuestion email={email} />}
          onConfirm={() => resend.mutate()}
          isBusy={resend.isPending}
        />
      )}
      {may('emails:write') && isWaiting && <Reschedule email={email} />}
      {may('emails:write') && isWaiting && (
        <ConfirmButton name={TEXTS.cancel} question={TEXTS.cancelQuestion} onConfirm={() => cancel.mutate()} isBusy={cancel.isPending} />
      )}
    </>
  )
}

function Reschedule({ email }: { email: Email }) {
  const reschedule = useDialogForm({
    initialValues: { at: '' },
    run: ({ at }: { at: string }) =>
      answer(
        api.PATCH('/emails/{email_id}', { params: { path: { email_id: email.id } }, body: { scheduled_at: new Date(at).toISOString() } }),
      ),
    done: TEXTS.rescheduled,
    changes: ['emails'],
  })
  return (
    <>
      <Button variant="default" onClick={reschedule.open}>
        {TEXTS.reschedule}
      </Button>
      <FormDialog title={TEXTS.reschedule} {...reschedule.dialog}>
        <TextInput type="datetime-local" required label={`${TEXTS.at} (${MY_ZONE})`} {...reschedule.form.getInputProps('at')} />
      </FormDialog>
    </>
  )
}

function Share({ emailId }: { emailId: string }) {
  const [isOpen, dialog] = useDisclosure()
  const [span, setSpan] = useState<string>(LONGEST)
  const share = useAct({
    run: () => answer(api.POST('/emails/{email_id}/share', { params: { path: { email_id: emailId } }, body: { expires_in: span } })),
    changes: [],
  })
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        {TEXTS.share}
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} onExitTransitionEnd={share.reset} title={TEXTS.share}>
        <Stack>
          <Text size="sm">{TEXTS.shareHint}</Text>
          <Select
            label={TEXTS.shareFor}
            data={SPANS}
            value={span}
            onChange={(chosen) => setSpan(chosen ?? LONGEST)}
            allowDeselect={false}
          />
          <Button onClick={() => share.mutate()} loading={share.isPending}>
            {TEXTS.makeLink}
          </Button>
          {share.data && <Copyable text={share.data.url} />}
        </Stack>
      </Modal>
    </>
  )
}

const SPANS = Object.entries(TEXTS.shareSpans).map(([value, label]) => ({ value, label }))
const LONGEST = '48 hours'
