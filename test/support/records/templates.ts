import { create, firstOf, type RecordBuilder } from './record-builder.ts'

/** Published, so that it can be sent. */
export const templateRecord: RecordBuilder = {
  async make(service) {
    const id = await create(service, '/templates', { name: 'Record', from: 'hello@example.com', subject: 'Record', html: '<p>Record.</p>' })
    return create(service, `/templates/${id}/publish`, {})
  },
  paths: (id) => [`/templates/${id}`, `/templates/${id}/versions`],
  // An alias is that of one template.
  unlike: (body, count) => ('alias' in body ? { ...body, alias: `example-${count}` } : body),
}

export const templateVersionRecord: RecordBuilder = {
  make: async (service, of) => firstOf(service, `/templates/${await of('template_id')}/versions`),
  // Its template shows it.
  paths: () => [],
}
