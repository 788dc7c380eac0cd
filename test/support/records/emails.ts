import { create, type RecordBuilder } from './record-builder.ts'

const HOUR_MS = 60 * 60 * 1_000

/** Scheduled, so that it can be changed and canceled; with a file. */
export const emailRecord: RecordBuilder = {
  make: (service) =>
    create(service, '/emails', {
      from: 'hello@example.com',
      to: 'delivered@simulator.test',
      subject: 'Record',
      text: 'Record.',
      scheduled_at: new Date(Date.now() + HOUR_MS).toISOString(),
      attachments: [{ filename: 'record.txt', content: 'cmVjb3Jk' }],
    }),
  paths: (id) => [`/emails/${id}`],
}
