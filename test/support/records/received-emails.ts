import { receiveEmail } from '../builders/received-emails.ts'
import { firstOf, type RecordBuilder } from './record-builder.ts'

export const receivedEmailRecord: RecordBuilder = {
  make: (service) => receiveEmail(service),
  // The link to its raw message is signed anew for every reader.
  paths: () => [],
}

export const receivedAttachmentRecord: RecordBuilder = {
  make: async (service, of) => firstOf(service, `/emails/receiving/${await of('received_email_id')}/attachments`),
  paths: () => [],
}
