import { create, firstOf, type RecordBuilder } from './record-builder.ts'

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

export const contactPropertyRecord: RecordBuilder = {
  make: (service) => create(service, '/contact-properties', { key: `record_${++made}`, type: 'string' }),
  paths: (id) => [`/contact-properties/${id}`],
  // The examples of contacts and of filters have it.
  async prepare(service, token) {
    await create(service, '/contact-properties', { key: 'company', type: 'string' }, { token })
  },
  unlike: (body, count) => ('key' in body ? { ...body, key: `example_${count}` } : body),
}

export const contactImportRecord: RecordBuilder = {
  make(service) {
    const form = new FormData()
    form.append('file', new Blob(['email\nrecord@example.com\n']), 'record.csv')
    return create(service, '/contacts/imports', form)
  },
  paths: (id) => [`/contacts/imports/${id}`],
}

export const contactJobRecord: RecordBuilder = {
  make: (service) => create(service, '/contacts/jobs', { contacts: { all: true }, act: { type: 'unsubscribe' } }),
  async ready({ database }, id) {
    await database.execute("update contact_jobs set status = 'queued' where id = $1", [id])
  },
  paths: (id) => [`/contacts/jobs/${id}`],
}

/** A segment with a contact in it. */
export const segmentRecord: RecordBuilder = {
  async make(service) {
    const id = await create(service, '/segments', { name: 'Record' })
    await create(service, '/contacts', { email: `member-${++made}@example.com`, segments: [id] })
    return id
  },
  paths: (id) => [`/segments/${id}`],
}

export const topicRecord: RecordBuilder = {
  make: (service) => create(service, '/topics', { name: 'Record', default_subscription: 'opt_in' }),
  paths: (id) => [`/topics/${id}`],
}

/** An audience with a contact in it. */
export const audienceRecord: RecordBuilder = {
  async make(service) {
    const id = await create(service, '/audiences', { name: 'Record' })
    await create(service, `/audiences/${id}/contacts`, { email: `listener-${++made}@example.com` })
    return id
  },
  paths: (id) => [`/audiences/${id}`],
}

const STATUS_FOR: Record<string, string> = {
  'broadcasts.cancel': 'scheduled',
  'broadcasts.pause': 'queued',
  'broadcasts.resume': 'paused',
}

/** A draft, or in the status that the operation needs. */
export const broadcastRecord: RecordBuilder = {
  make: async (service, of) =>
    create(service, '/broadcasts', {
      segment_id: await of('segment_id'),
      from: 'hello@example.com',
      subject: 'Record',
      text: 'Record.',
    }),
  async ready({ database }, id, operationId) {
    await database.execute('update broadcasts set status = $2 where id = $1', [id, STATUS_FOR[operationId] ?? 'draft'])
  },
  paths: (id) => [`/broadcasts/${id}`],
}

export const broadcastVersionRecord: RecordBuilder = {
  make: async (service, of) => firstOf(service, `/broadcasts/${await of('broadcast_id')}/versions`),
  // Its broadcast shows it.
  paths: () => [],
}

export const suppressionRecord: RecordBuilder = {
  make: (service) => create(service, '/suppressions', { email: `suppressed-${++made}@example.com` }),
  paths: (id) => [`/suppressions/${id}`],
}
