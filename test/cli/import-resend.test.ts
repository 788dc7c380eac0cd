// Another service stands for the account there: it speaks the same API.
import { beforeAll, describe, expect, it } from 'vitest'
import { startHttpSink } from '../support/servers/http-sink.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { useCommandsBesideService } from './use-commands.ts'

const SECRET_KEY = 'the secret key of the service of this test'
const { service, commandWith } = useCommandsBesideService({ environment: { SECRET_KEY } })

const there = shared(() => startTestService())
beforeAll(async () => {
  await fill()
})

const importFrom = (url: string, key: string, ...args: string[]) =>
  commandWith({ SECRET_KEY, RESEND_API_KEY: key }, 'import', 'resend', '--url', url, '--team', service().teamId, ...args)

async function make(path: string, body: object): Promise<string> {
  const answer = await there.call('POST', path, { body })
  if (answer.status >= 300) throw new Error(answer.text)
  return (answer.body as { id: string }).id
}

async function fill(): Promise<void> {
  await make('/domains', { name: 'acme.example', custom_return_path: 'returns', click_tracking: true, tls: 'enforced' })
  await make('/contact-properties', { key: 'company', type: 'string', fallback_value: 'your company' })
  const twins = [await make('/segments', { name: 'Customers' }), await make('/segments', { name: 'Customers' })]
  const news = await make('/topics', { name: 'News', default_subscription: 'opt_in', visibility: 'public' })
  const ada = { email: 'ada@example.com', first_name: 'Ada', properties: { company: 'Engines' }, segments: [{ id: twins[1] }] }
  await make('/contacts', { ...ada, topics: [{ id: news, subscription: 'opt_out' }] })
  await make('/contacts', { email: 'bob@example.com', unsubscribed: true, segments: [{ id: twins[0] }] })
  const variables = [{ key: 'PRODUCT', type: 'string', fallback_value: 'it' }]
  const order = await make('/templates', { name: 'Order', alias: 'order', subject: 'Yours', html: '<p>{{{PRODUCT}}}</p>', variables })
  await there.call('POST', `/templates/${order}/publish`)
  const letter = { from: 'Acme <hello@acme.example>', subject: 'Hello', html: '<p>Hi</p>', segment_id: twins[1], topic_id: news }
  await make('/broadcasts', { ...letter, name: 'June' })
  await make('/suppressions', { email: 'gone@example.com' })
}

const list = async (path: string) => ((await service().call('GET', path)).body as { data: { id: string; [field: string]: unknown }[] }).data
const one = async (path: string) => (await service().call('GET', path)).body

/** The rows of the table, without the line above it. */
const table = (out: string) =>
  out
    .split('\n\n')[0]
    ?.split('\n')
    .slice(1)
    .map((line) => line.replace(/\s+/g, ' '))

const KINDS = ['domains 1', 'contact properties 1', 'segments 2', 'topics 1', 'contacts 2']

describe('import resend', () => {
  it('says in a plan what would come, and changes nothing', async () => {
    const { status, out } = await importFrom(there.url, there.token, '--plan')
    expect(status).toBe(0)
    expect(table(out)).toEqual([...KINDS, 'suppressions 1', 'templates 1', 'broadcasts 1'].map((row) => `${row} 0 0`))
    expect(out).toContain('Nothing was changed')
    for (const path of ['/domains', '/segments', '/topics', '/contacts', '/templates', '/broadcasts', '/suppressions'])
      expect(await list(path)).toEqual([])
  })

  it('brings an account, and what is there already stays', async () => {
    const first = await importFrom(there.url, there.token)
    expect(first.status).toBe(0)
    expect(table(first.out)).toEqual(
      [...KINDS, 'memberships 2', 'suppressions 1', 'templates 1', 'broadcasts 1'].map((row) => `${row} 0 0`),
    )
    expect(first.out).toContain('acme.example has new keys here.')
    expect(first.out).toMatch(/MX +returns\.acme\.example/)
    expect(`${first.out}${first.errors}`).not.toContain(there.token)

    const [domain] = await list('/domains')
    expect(await one(`/domains/${domain?.id}`)).toMatchObject({ name: 'acme.example', click_tracking: true, tls: 'enforced' })
    const [newer, older] = await list('/segments')
    const [topic] = await list('/topics')
    expect(topic).toMatchObject({ name: 'News', default_subscription: 'opt_in', visibility: 'public' })
    expect(await one('/contacts/ada@example.com')).toMatchObject({
      first_name: 'Ada',
      unsubscribed: false,
      properties: { company: { type: 'string', value: 'Engines' } },
    })
    expect(await list('/contacts/ada@example.com/topics')).toMatchObject([{ id: topic?.id, subscription: 'opt_out' }])
    expect(await list('/contacts/ada@example.com/segments')).toMatchObject([{ id: newer?.id }])
    expect(await one('/contacts/bob@example.com')).toMatchObject({ unsubscribed: true })
    expect(await list('/contacts/bob@example.com/segments')).toMatchObject([{ id: older?.id }])
    expect(await one('/templates/order')).toMatchObject({
      name: 'Order',
      status: 'published',
      subject: 'Yours',
      html: '<p>{{{PRODUCT}}}</p>',
      variables: [{ key: 'PRODUCT', type: 'string', fallback_value: 'it' }],
    })
    const [broadcast] = await list('/broadcasts')
    expect(await one(`/broadcasts/${broadcast?.id}`)).toMatchObject({
      name: 'June',
      status: 'draft',
      segment_id: newer?.id,
      topic_id: topic?.id,
      from: 'Acme <hello@acme.example>',
    })
    expect(await list('/suppressions')).toMatchObject([{ email: 'gone@example.com', origin: 'manual' }])

    // Someone works on with what came.
    await service().call('PATCH', '/templates/order', { body: { subject: 'Changed here' } })
    const second = await importFrom(there.url, there.token)
    expect(second.status).toBe(0)
    const kept = [...KINDS, 'memberships 2', 'suppressions 1', 'templates 1', 'broadcasts 1'].map((row) => row.replace(/ (\d)$/, ' 0 $1 0'))
    expect(table(second.out)).toEqual(kept.map((row) => row.replace('memberships 0 2 0', 'memberships 2 0 0')))
    expect(await one('/templates/order')).toMatchObject({ subject: 'Changed here' })
    expect(await list('/segments')).toHaveLength(2)
    expect(await list('/broadcasts')).toHaveLength(1)
    expect(second.out).toContain('acme.example has new keys here.')
  })

  it.each([
    ['no key', '', 'Set RESEND_API_KEY to an API key of Resend with full access.'],
    ['a key that is refused', 're_wrong', 'refuses the key in RESEND_API_KEY (403).'],
  ])('ends with 1 and a sentence for %s', async (_what, key, sentence) => {
    const { status, out, errors } = await importFrom(there.url, key)
    expect({ status, out }).toEqual({ status: 1, out: '' })
    expect(errors).toContain(sentence)
    expect(errors).not.toContain('re_wrong')
  })

  it('sends the key to no address that is not encrypted', async () => {
    const { status, errors } = await importFrom('http://example.com', 're_x')
    expect(status).toBe(2)
    expect(errors).toContain('It must be an address that begins with https://.')
  })

  it('refuses what our rules refuse, says so without what a terminal obeys, and brings the rest', async () => {
    const pages: Record<string, object[]> = {
      '/domains': [{ id: 'a', name: 'x\u001b[2J', status: 7 }, { id: 4 }],
      '/contact-properties': [{ id: 'p', key: '__proto__', type: 'date' }],
      '/segments': [
        { id: 's', name: ['Customers'] },
        { id: '../keys', name: 'n'.repeat(5_000) },
      ],
      '/topics': [{ id: 't', name: 'Nosy', default_subscription: 'always' }],
      '/contacts': [
        { id: '../../x', email: 'eve\r\nBcc: all@example.com' },
        { id: 'c', email: 'fine@example.com', first_name: 'F\u0000ine' },
      ],
      '/templates': [{ id: '../domains/a', name: 'Up' }],
      '/broadcasts': [
        { id: '..', name: 'Up', status: 'draft' },
        { id: 'b', name: 'Lost', status: 'draft', segment_id: 'nowhere' },
      ],
    }
    const account = await startHttpSink(
      Object.fromEntries(
        Object.entries(pages).map(([path, data]) => [
          path,
          (_request, response) => void response.end(JSON.stringify({ has_more: false, data })),
        ]),
      ),
    )
    const { status, out, errors } = await importFrom(account.url, 're_hostile').finally(() => account.close())
    expect(status).toBe(1)
    expect(table(out)).toEqual([
      'domains 0 0 2',
      'contact properties 0 0 1',
      'segments 0 0 2',
      'topics 0 0 1',
      'contacts 1 0 1',
      'templates 0 0 1',
      'broadcasts 0 0 2',
    ])
    expect(errors.match(/^Not imported: /gm)).toHaveLength(10)
    expect(errors.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    expect(await one('/contacts/fine@example.com')).toMatchObject({ first_name: 'Fine' })
    // No id leads to another path.
    const records = account.requests.filter((request) => !request.includes('?'))
    expect(records).toEqual(['GET /domains/a', 'GET /contacts/c', 'GET /broadcasts/b'])
  })
})
