import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { FormDialog } from '../parts/FormDialog'
import { WEBHOOK_TEXTS as TEXTS } from '../texts/webhooks'
import { WebhookFields, type WebhookValues } from './WebhookFields'

export function WebhookSettings({ webhook }: { webhook: RecordOf<'/webhooks/{webhook_id}'> }) {
  const [isOpen, dialog] = useDisclosure()
  const { endpoint, events, ordered, concurrency } = webhook
  const form = useForm<WebhookValues>({ initialValues: { endpoint: endpoint ?? '', events, ordered, concurrency } })
  const save = useAct({
    run: (values: WebhookValues) =>
      answer(
        api.PATCH('/webhooks/{webhook_id}', {
          params: { path: { webhook_id: webhook.id } },
          body: {
            // An endpoint can be replaced, but not removed: an empty one is refused by the API.
            ...((endpoint !== null || values.endpoint.trim() !== '') && { endpoint: values.endpoint.trim() }),
            events: values.events,
            ordered: values.ordered,
            ...(typeof values.concurrency === 'number' && { concurrency: values.concurrency }),
          },
        }),
      ),
    done: TEXTS.saved,
    changes: ['webhooks'],
    isSilent: true,
    onDone: dialog.close,
  })
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        {TEXTS.settings}
      </Button>
      <FormDialog
        title={TEXTS.settings}
        isOpen={isOpen}
        onClose={dialog.close}
        form={form}
        onSubmit={save.mutate}
        error={save.error}
        isBusy={save.isPending}
        size="lg"
      >
        <WebhookFields form={form} />
      </FormDialog>
    </>
  )
}
