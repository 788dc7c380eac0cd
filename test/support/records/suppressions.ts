import { create, type RecordBuilder } from './record-builder.ts'

let made = 0

export const suppressionRecord: RecordBuilder = {
  make: (service) => create(service, '/suppressions', { email: `suppressed-${++made}@example.com` }),
  paths: (id) => [`/suppressions/${id}`],
}
