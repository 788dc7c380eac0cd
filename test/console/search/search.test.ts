import { beforeAll, describe, expect, it } from 'vitest'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { type Seen, signIn, signInFor, visit } from '../../support/clients/console.ts'
import { recordsOf } from '../../support/records/records.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let cookie: string
let ids: Awaited<ReturnType<ReturnType<typeof recordsOf>['oneOfEach']>>

const service = shared(() => startTestService(), 240_000)
beforeAll(async () => {
  cookie = await signIn(service)
  ids = await recordsOf(service).oneOfEach()
}, 240_000)

const search = (q: string, path = '/console/search') => visit(service, 'GET', `${path}?${new URLSearchParams({ q })}`, { cookie })
/** The address, the name and the kind of each record. */
const foundIn = ({ text }: Seen): string[] =>
  [...text.matchAll(/<li><a href="([^"]+)"><bdi>([^<]*)<\/bdi><\/a> <span class="soft">([^<]*)<\/span>/g)].map((found) =>
    found.slice(1).join(' '),
  )
const created = async (path: string, body: object, token = service.token): Promise<string> =>
  ((await service.call('POST', path, { token, body })).body as { id: string }).id

describe('an id', () => {
  it('finds the record, whatever it is', async () => {
    const key = await created('/api-keys', { name: 'Findable' })
    const email = await created('/emails', { from: 'a@example.com', to: 'delivered@simulator.test', subject: 'Sought', text: 't' })
    const contact = await created('/contacts', { email: 'ada@example.com' })
    expect(foundIn(await search(key))).toEqual([`/console/api-keys/${key} Findable API key`])
    expect(foundIn(await search(` ${email.toUpperCase()} `))).toEqual([`/console/emails/${email} Sought email`])
    expect(foundIn(await search(contact))).toEqual([`/console/contacts/${contact} ada@example.com contact`])
  })

  it.each([
    ['domain_id', 'domain'],
    ['broadcast_id', 'broadcast'],
    ['template_id', 'template'],
    ['automation_id', 'automation'],
    ['segment_id', 'segment'],
    ['topic_id', 'topic'],
    ['contact_property_id', 'property'],
    ['webhook_id', 'webhook'],
    ['event_id', 'event'],
    ['suppression_id', 'suppression'],
    ['log_id', 'log'],
    ['run_id', 'run of an automation'],
    ['received_email_id', 'received email'],
    ['contact_import_id', 'import'],
    ['oauth_grant_id', 'grant'],
    ['webhook_event_id', 'event of a webhook'],
  ] as const)('of %s leads to the page of the %s, and is nothing to another team', async (parameter, kind) => {
    const id = ids.get(parameter) ?? ''
    const [found = ''] = foundIn(await search(id))
    expect(found.endsWith(` ${kind}`)).toBe(true)
    expect((await visit(service, 'GET', found.split(' ')[0] ?? '', { cookie })).status).toBe(200)
    const others = await signIn(service, service.other.token)
    const seen = await visit(service, 'GET', `/console/search?q=${id}`, { cookie: others })
    expect({ status: seen.status, found: foundIn(seen) }).toEqual({ status: 200, found: [] })
  })

  it('that does not exist finds nothing', async () => {
    const seen = await search(UNKNOWN_ID)
    expect(seen.text).toContain('No records found.')
    expect(foundIn(seen)).toEqual([])
  })
})

describe('a name', () => {
  it('finds what has it anywhere, in upper or lower case, at most five of each kind', async () => {
    for (let number = 1; number <= 7; number += 1) await created('/segments', { name: `Readers ${number} of the paper` })
    await created('/topics', { name: 'The PAPER', default_subscription: 'opt_in' })
    const found = foundIn(await search('paper'))
    expect(found.filter((one) => one.endsWith('segment')).map((one) => one.split(' ').slice(1).join(' '))).toEqual(
      [7, 6, 5, 4, 3].map((number) => `Readers ${number} of the paper segment`),
    )
    expect(found.filter((one) => one.endsWith('topic'))).toHaveLength(1)
  })

  it('finds a deleted automation no more', async () => {
    const id = ids.get('automation_id') ?? ''
    expect(foundIn(await search(id))).toHaveLength(1)
    await service.call('DELETE', `/automations/${id}`)
    expect(foundIn(await search(id))).toEqual([])
  })

  it.each(['%', '__', '\\', '<b>&"', '\u202e', '🎉', "'", 'x'.repeat(254)])('of %j is taken as it is', async (words) => {
    const seen = await search(words)
    expect({ status: seen.status, found: foundIn(seen) }).toEqual({ status: 200, found: [] })
    expect(seen.text).not.toContain('<b>&')
  })

  it('may lead to the searches of emails, contacts and requests', async () => {
    expect((await search('a&b')).text).toContain('href="/console/emails?q=a%26b"')
    expect((await search('/emails')).text).toContain('href="/console/logs?path=%2Femails"')
  })
})

describe('an address', () => {
  it('leads to the emails to it, which are found among all', async () => {
    const to = 'href="/console/emails?to=ada%40example.com"'
    expect((await search('ada@example.com')).text).toContain(to)
    for (const part of ['ada@', 'example.com', 'ada']) expect((await search(part)).text).not.toContain('/console/emails?to=')
  })

  it('finds the contacts whose address begins with it, and the domain', async () => {
    const bob = await created('/contacts', { email: 'bob@bücher.example' })
    const domain = await created('/domains', { name: 'bobs.example' })
    expect(foundIn(await search('BOB@'))).toEqual([`/console/contacts/${bob} bob@xn--bcher-kva.example contact`])
    expect(foundIn(await search('bob@bücher.example'))).toHaveLength(1)
    expect(foundIn(await search('bobs.ex'))).toEqual([`/console/domains/${domain} bobs.example domain`])
    expect(foundIn(await search('ob@'))).toEqual([])
  })

  it("finds nothing of another team's", async () => {
    await created('/contacts', { email: 'theirs@example.com' }, service.other.token)
    await created('/domains', { name: 'theirs.example' }, service.other.token)
    expect(foundIn(await search('theirs'))).toEqual([])
  })
})

describe('the field of all pages', () => {
  it('gets only what was found', async () => {
    const { status, text } = await search('nothing at all', '/console/search/found')
    expect({ status, beginning: text.slice(0, 20) }).toEqual({ status: 200, beginning: '<section class="shee' })
    expect((await search('', '/console/search/found')).text).toContain('Finds an email')
  })

  it('refuses what is too long or cannot be stored, and asks strangers to sign in', async () => {
    expect((await search('x'.repeat(255))).status).toBe(422)
    expect((await visit(service, 'GET', '/console/search?q=%00', { cookie })).status).toBe(422)
    expect((await visit(service, 'GET', '/console/search?q=ada')).location).toBe(signInFor('/console/search?q=ada'))
    expect((await visit(service, 'GET', '/console/search/found?q=ada')).location).toBe(signInFor('/console/search/found?q=ada'))
  })
})
