import { Button } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { answer, api } from '../api/client'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { SecretDialog } from '../parts/SecretDialog'
import { useGo } from '../shell/address'
import { WEBHOOK_TEXTS as TEXTS } from '../texts/webhooks'
import { WebhookFields, type WebhookValues } from './WebhookFields'

export function CreateWebhook() {
  const [made, setMade] = useState<{ id: string; signing_secret: string } | null>(null)
  const go = useGo()
  const create = useDialogForm({
    initialValues: { endpoint: '', events: [], ordered: false, concurrency: '' },
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
    keepsTyped: true,
    command: 'create-webhook',
    done: TEXTS.made,
    changes: ['webhooks'],
    onDone: (webhook) => {
      setMade(webhook)
    },
  })
  return (
    <>
      <Button leftSection={<Plus size={16} />} onClick={create.open}>
        {TEXTS.create}
      </Button>
      <FormDialog title={TEXTS.create} {...create.dialog} act={TEXTS.create} size="lg">
        <WebhookFields form={create.form} />
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
