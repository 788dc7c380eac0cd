import { Button, Select, Text } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { DeleteMenu } from '../parts/DeleteMenu'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { useGo } from '../shell/address'
import { WEBHOOK_TEXTS as TEXTS } from '../texts/webhooks'
import { EVENT_GROUPS, type EventType } from './event-types'
import { WebhookSettings } from './WebhookSettings'

type Webhook = RecordOf<'/webhooks/{webhook_id}'>

export function WebhookActs({ webhook }: { webhook: Webhook }) {
  const go = useGo()
  const path = { webhook_id: webhook.id }
  const change = useAct({
    run: (status: 'enabled' | 'disabled') => answer(api.PATCH('/webhooks/{webhook_id}', { params: { path }, body: { status } })),
    done: (_, status) => (status === 'enabled' ? TEXTS.enabled : TEXTS.disabled),
    changes: ['webhooks'],
  })
  return (
    <>
      <WebhookSettings key={webhook.id} webhook={webhook} />
      {webhook.status === 'enabled' && (
        <ConfirmButton
          name={TEXTS.disable}
          question={TEXTS.disableQuestion}
          color="orange"
          variant="default"
          onConfirm={() => change.mutate('disabled')}
          isBusy={change.isPending}
        />
      )}
      <DeleteMenu
        name={TEXTS.remove}
        means={TEXTS.removeMeans}
        run={() => answer(api.DELETE('/webhooks/{webhook_id}', { params: { path } }))}
        done={TEXTS.removed}
        changes={['webhooks']}
        onDone={() => go('/webhooks')}
      />
      {webhook.status === 'enabled' ? (
        <SendTest webhook={webhook} />
      ) : (
        <Button onClick={() => change.mutate('enabled')} loading={change.isPending}>
          {TEXTS.enable}
        </Button>
      )}
    </>
  )
}

function SendTest({ webhook }: { webhook: Webhook }) {
  const go = useGo()
  const test = useDialogForm({
    initialValues: { type: webhook.events[0] ?? 'email.delivered' },
    run: (body: { type: EventType }) =>
      answer(api.POST('/webhooks/{webhook_id}/test', { params: { path: { webhook_id: webhook.id } }, body })),
    done: TEXTS.tested,
    changes: ['webhooks'],
    onDone: ({ id }) => {
      go(`/webhooks/${webhook.id}/events/${id}`)
    },
  })
  return (
    <>
      <Button onClick={test.open}>{TEXTS.test}</Button>
      <FormDialog title={TEXTS.test} {...test.dialog} act={TEXTS.test}>
        <Text size="sm">{TEXTS.testHint}</Text>
        <Select
          label={TEXTS.testType}
          data={EVENT_GROUPS.map(({ group, types }) => ({ group: TEXTS.groups[group] ?? group, items: types }))}
          allowDeselect={false}
          searchable
          {...test.form.getInputProps('type')}
        />
      </FormDialog>
    </>
  )
}
