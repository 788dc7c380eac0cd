import { Button } from '@mantine/core'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { WEBHOOK_TEXTS as TEXTS } from '../texts/webhooks'
import { WebhookFields, type WebhookValues } from './WebhookFields'

export function WebhookSettings({ webhook }: { webhook: RecordOf<'/webhooks/{webhook_id}'> }) {
  const { endpoint, events, ordered, concurrency } = webhook
  const save = useDialogForm({
    initialValues: { endpoint: endpoint ?? '', events, ordered, concurrency },
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
  })
  return (
    <>
      <Button variant="default" onClick={save.open}>
        {TEXTS.settings}
      </Button>
      <FormDialog title={TEXTS.settings} {...save.dialog} size="lg">
        <WebhookFields form={save.form} />
      </FormDialog>
    </>
  )
}
