import { create, type RecordBuilder } from './record-builder.ts'

let made = 0

/** In the segments that a path can name beside it, and with a topic to choose. */
export const contactRecord: RecordBuilder = {
  async make(service, of) {
    await of('topic_id')
    const segments = [await of('segment_id'), await of('audience_id')]
    return create(service, '/contacts', { email: `record-${++made}@example.com`, segments })
  },
  paths: (id) => [`/contacts/${id}`, `/contacts/${id}/topics`],
}
