import { create, type RecordBuilder } from './record-builder.ts'

let made = 0

export const domainRecord: RecordBuilder = {
  make: (service) => create(service, '/domains', { name: `record-${++made}.example.com` }),
  paths: (id) => [`/domains/${id}`],
  unlike: (body, count) => ('name' in body ? { ...body, name: `other-${count}.example.com` } : body),
}
