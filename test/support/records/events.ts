import { create, type RecordBuilder } from './record-builder.ts'

let made = 0

export const eventRecord: RecordBuilder = {
  make: (service) => create(service, '/events', { name: `record.made-${++made}`, schema: { order_id: 'string', total: 'number' } }),
  paths: (id) => [`/events/${id}`],
  // A name is that of one event.
  unlike: (body, count) => ('name' in body ? { ...body, name: `example-${count}` } : body),
}
