import { create, type RecordBuilder } from './record-builder.ts'

export const apiKeyRecord: RecordBuilder = {
  make: (service) => create(service, '/api-keys', { name: 'Record' }),
  paths: () => ['/api-keys'],
}
