import { create, type RecordBuilder } from './record-builder.ts'

export const webhookRecord: RecordBuilder = {
  make: (service) => create(service, '/webhooks', { endpoint: 'https://example.com/record', events: ['topic.created'] }),
  paths: (id) => [`/webhooks/${id}`],
}
