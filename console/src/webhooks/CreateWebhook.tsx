import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { FormDialog } from '../parts/FormDialog'
import { SecretDialog } from '../parts/SecretDialog'
import { useGo } from '../shell/address'
import { WEBHOOK_TEXTS as TEXTS } from '../texts/webhooks'
import { WebhookFields, type WebhookValues } from './WebhookFields'

export function CreateWebhook() {
  const [isOpen, dialog] = useDisclosure()
  const [made, setMade] = useState<{ id: string; signing_secret: string } | null>(null)
  const go = useGo()
  const form = useForm<WebhookValues>({ initialValues: { endpoint: '', events: [], ordered: false, concurrency: '' } })
  const create = useAct({
    run: ({ endpoint, events, ordered, concurrency }: WebhookValues) =>
      answer(
        api.POST('/webhooks', {
          body: {
            endpoint: endpoint.trim() === '' ? null : endpoint.trim(),
            events,
            ordered,
            ...(typeof concurrency === 'number' && { concurrency }),
          },
        }),
      ),
    done: TEXTS.made,
    changes: ['webhooks'],
    isSilent: true,
    onDone: (webhook) => {
      dialog.close()
      setMade(webhook)
    },
  })
  return (
    <>
      <Button leftSection={<Plus size={16} />} onClick={dialog.open}>
        {TEXTS.create}
      </Button>
      <FormDialog
        title={TEXTS.create}
        isOpen={isOpen}
        onClose={dialog.close}
        form={form}
        onSubmit={create.mutate}
        error={create.error}
        isBusy={create.isPending}
        act={TEXTS.create}
        size="lg"
      >
        <WebhookFields form={form} />
      </FormDialog>
      <SecretDialog
        title={TEXTS.secret}
        secret={made?.signing_secret ?? null}
        warning={TEXTS.secretNew}
        onClose={() => made && go(`/webhooks/${made.id}`)}
      />
    </>
  )
}
