import { create, type RecordBuilder } from './record-builder.ts'

let made = 0

export const contactPropertyRecord: RecordBuilder = {
  make: (service) => create(service, '/contact-properties', { key: `record_${++made}`, type: 'string' }),
  paths: (id) => [`/contact-properties/${id}`],
  // The examples of contacts and of filters have it.
  async prepare(service, token) {
    await create(service, '/contact-properties', { key: 'company', type: 'string' }, { token })
  },
  unlike: (body, count) => ('key' in body ? { ...body, key: `example_${count}` } : body),
}
