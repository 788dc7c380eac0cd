import { create, type RecordBuilder } from './record-builder.ts'

let made = 0

/** A segment with a contact in it. */
export const segmentRecord: RecordBuilder = {
  async make(service) {
    const id = await create(service, '/segments', { name: 'Record' })
    await create(service, '/contacts', { email: `member-${++made}@example.com`, segments: [id] })
    return id
  },
  paths: (id) => [`/segments/${id}`],
}
