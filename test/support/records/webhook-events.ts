import { create, type RecordBuilder } from './record-builder.ts'

export const webhookEventRecord: RecordBuilder = {
  make: async (service, of) => create(service, `/webhooks/${await of('webhook_id')}/test`, { type: 'topic.created' }),
  // It is read under its webhook.
  paths: () => [],
}
