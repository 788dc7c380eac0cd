import { create, type RecordBuilder } from './record-builder.ts'

export const topicRecord: RecordBuilder = {
  make: (service) => create(service, '/topics', { name: 'Record', default_subscription: 'opt_in' }),
  paths: (id) => [`/topics/${id}`],
}
