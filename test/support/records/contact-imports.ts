import { create, type RecordBuilder } from './record-builder.ts'

export const contactImportRecord: RecordBuilder = {
  make(service) {
    const form = new FormData()
    form.append('file', new Blob(['email\nrecord@example.com\n']), 'record.csv')
    return create(service, '/contacts/imports', form)
  },
  paths: (id) => [`/contacts/imports/${id}`],
}
