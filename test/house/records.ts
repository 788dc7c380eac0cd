// One record of every kind that a path can name, of the first team of a test service.
import { EXAMPLE_SEGMENT_ID, EXAMPLE_TOPIC_ID } from '../../src/routes/examples.ts'
import type { TestService } from '../support/servers/service.ts'

export type Records = {
  /** Puts the ids of the records into a path. */
  fill(path: string): string
  /** The body of an example, with the ids of the records in place of those it names. */
  fillBody(body: object): object
  /** Whether the body of an example names one of the records. */
  names(body: object | undefined): boolean
  ids: string[]
  /** The records as their team sees them. */
  read(): Promise<unknown[]>
}

let made = 0

/** Fresh records: a call under test may change or remove them. */
export async function createRecords(service: TestService): Promise<Records> {
  const email = await idOf(
    service.call('POST', '/emails', {
      body: {
        from: 'hello@example.com',
        to: 'delivered@simulator.test',
        subject: 'Record',
        text: 'Record.',
        scheduled_at: new Date(Date.now() + 60 * 60 * 1_000).toISOString(),
        attachments: [{ filename: 'record.txt', content: 'cmVjb3Jk' }],
      },
    }),
  )
  const apiKey = await idOf(service.call('POST', '/api-keys', { body: { name: 'Record' } }))
  const attachment = await firstOf(service.call('GET', `/emails/${email}/attachments`))
  // A team may have so many of them.
  await service.database.execute('truncate contact_properties, topics, segments')
  for (const token of [service.token, service.other.token])
    await service.call('POST', '/contact-properties', { token, body: { key: 'company', type: 'string' } })
  const property = await idOf(service.call('POST', '/contact-properties', { body: { key: `record_${++made}`, type: 'string' } }))
  const segment = await idOf(service.call('POST', '/segments', { body: { name: 'Record' } }))
  const contact = await idOf(service.call('POST', '/contacts', { body: { email: `record-${made}@example.com`, segments: [segment] } }))
  const topic = await idOf(service.call('POST', '/topics', { body: { name: 'Record', default_subscription: 'opt_in' } }))
  const file = new FormData()
  file.append('file', new Blob(['email\nrecord@example.com\n']), 'record.csv')
  const contactImport = await idOf(service.call('POST', '/contacts/imports', { body: file }))
  await service.service.context.repositories.requestLogs.flush()
  const log = await firstOf(service.call('GET', '/logs?limit=1'))
  const byParameter = new Map([
    ['email_id', email],
    ['api_key_id', apiKey],
    ['attachment_id', attachment],
    ['log_id', log],
    ['contact_property_id', property],
    ['contact_id', contact],
    ['contact_import_id', contactImport],
    ['segment_id', segment],
    ['audience_id', segment],
    ['topic_id', topic],
  ])

  return {
    ids: [...byParameter.values()],
    fill: (path) =>
      path.replace(/:(\w+)/g, (_match, name: string) => {
        const id = byParameter.get(name)
        if (id === undefined) throw new Error(`No record is made for the parameter ${name}: add one here`)
        return id
      }),
    fillBody: (body) =>
      JSON.parse(
        JSON.stringify(body)
          .replaceAll(EXAMPLE_SEGMENT_ID, segment)
          .replaceAll(EXAMPLE_TOPIC_ID, topic)
          // The examples of contacts need this property, so it is there already when its own example is sent.
          .replaceAll('"key":"company"', `"key":"company_${made}"`),
      ),
    names: (body) => [EXAMPLE_SEGMENT_ID, EXAMPLE_TOPIC_ID].some((id) => (JSON.stringify(body) ?? '').includes(id)),
    async read() {
      const paths = [`/emails/${email}`, '/api-keys', `/contacts/${contact}`, `/contact-properties/${property}`, `/segments/${segment}`]
      const answers = await Promise.all(
        [...paths, `/topics/${topic}`, `/contacts/${contact}/topics`].map((path) => service.call('GET', path)),
      )
      return answers.map(({ body }) => withoutLastUse(body))
    },
  }
}

/** Reading is a use, too. */
const withoutLastUse = (body: unknown): unknown => JSON.parse(JSON.stringify(body, (key, value) => (key === 'last_used_at' ? null : value)))

async function idOf(answer: Promise<{ body: unknown }>): Promise<string> {
  const { body } = await answer
  return (body as { id: string }).id
}

async function firstOf(answer: Promise<{ body: unknown }>): Promise<string> {
  const { body } = await answer
  return (body as { data: { id: string }[] }).data[0]?.id ?? ''
}
