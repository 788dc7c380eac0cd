import { firstOf, type RecordBuilder } from './record-builder.ts'

export const attachmentRecord: RecordBuilder = {
  make: async (service, of) => firstOf(service, `/emails/${await of('email_id')}/attachments`),
  // Its link is signed anew for every reader.
  paths: () => [],
}
