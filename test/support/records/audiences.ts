import { create, type RecordBuilder } from './record-builder.ts'

let made = 0

/** An audience with a contact in it. */
export const audienceRecord: RecordBuilder = {
  async make(service) {
    const id = await create(service, '/audiences', { name: 'Record' })
    await create(service, `/audiences/${id}/contacts`, { email: `listener-${++made}@example.com` })
    return id
  },
  paths: (id) => [`/audiences/${id}`],
}
