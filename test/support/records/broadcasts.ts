import { create, type RecordBuilder } from './record-builder.ts'

const STATUS_FOR: Record<string, string> = {
  'broadcasts.cancel': 'scheduled',
  'broadcasts.pause': 'queued',
  'broadcasts.resume': 'paused',
}

/** A draft, or in the status that the operation needs. */
export const broadcastRecord: RecordBuilder = {
  make: async (service, of) =>
    create(service, '/broadcasts', {
      segment_id: await of('segment_id'),
      from: 'hello@example.com',
      subject: 'Record',
      text: 'Record.',
    }),
  async ready({ database }, id, operationId) {
    await database.execute('update broadcasts set status = $2 where id = $1', [id, STATUS_FOR[operationId] ?? 'draft'])
  },
  paths: (id) => [`/broadcasts/${id}`],
}
