// One search over everything: what finds what, and who finds it.
import { beforeAll, describe, expect, it } from 'vitest'
import type { MemberRole } from '../../../../src/lib/member-roles.ts'
import { sendImport } from '../../../support/builders/contact-imports.ts'
import { newAddress } from '../../../support/builders/contacts.ts'
import { send } from '../../../support/builders/emails.ts'
import { receiveEmail } from '../../../support/builders/received-emails.ts'
import { signInAs } from '../../../support/clients/console.ts'
import { OWN_PAGE } from '../../../support/clients/people.ts'
import { recordsOf } from '../../../support/records/records.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService(), 240_000)
const cookies = new Map<MemberRole, string>()
let ids: Awaited<ReturnType<ReturnType<typeof recordsOf>['oneOfEach']>>
beforeAll(async () => {
  ids = await recordsOf(service).oneOfEach()
  for (const role of ['owner', 'support', 'viewer'] as const)
    cookies.set(role, await signInAs(service.service.context, service.teamId, role))
}, 240_000)

type Found = { type: string; id: string; title: string; subtitle: string | null; parent_id: string | null }

async function search(q: string, role: MemberRole = 'owner', teamId = service.teamId) {
  const headers = { cookie: cookies.get(role) ?? '', ...OWN_PAGE, 'posthaste-team': teamId }
  return service.call('GET', `/search?${new URLSearchParams({ q })}`, { token: null, headers })
}
const found = async (q: string, role?: MemberRole) => (await search(q, role)).body as { data: Found[]; is_complete: boolean }
const typesOf = ({ data }: { data: Found[] }) => data.map(({ type, title }) => `${type} ${title}`)

describe('a search', () => {
  it.each([
    ['domain_id', 'domain'],
    ['broadcast_id', 'broadcast'],
    ['template_id', 'template'],
    ['segment_id', 'segment'],
    ['topic_id', 'topic'],
    ['contact_property_id', 'contact_property'],
    ['webhook_id', 'webhook'],
    ['event_id', 'event'],
    ['suppression_id', 'suppression'],
    ['log_id', 'log'],
    ['run_id', 'automation_run'],
    ['received_email_id', 'received_email'],
    ['contact_import_id', 'contact_import'],
    ['oauth_grant_id', 'oauth_grant'],
    ['webhook_event_id', 'webhook_event'],
    ['api_key_id', 'api_key'],
  ] as const)('for the id of %s finds the %s, by the id that its operations have', async (parameter, type) => {
    const id = ids.get(parameter) ?? ''
    expect(await found(id)).toMatchObject({ data: [{ type, id }], is_complete: true })
  })

  it('for a word finds names, subjects and addresses, in whatever case', async () => {
    await service.call('POST', '/segments', { body: { name: 'Zebra readers' } })
    await service.call('POST', '/contacts', { body: { email: 'zebra@example.com', first_name: 'Zoe' } })
    await send(service, { subject: 'The zebra has arrived' })
    await send(service, { to: 'her.zebra@example.com', subject: 'Hello' })
    expect(typesOf(await found('ZEBRA')).toSorted()).toEqual([
      'contact zebra@example.com',
      'email Hello',
      'email The zebra has arrived',
      'segment Zebra readers',
    ])
    expect((await found('zebra@')).data[0]).toMatchObject({ type: 'contact', subtitle: 'Zoe' })
  })

  it('for a name finds the person before the mail that names them, and says what keeps mail from them', async () => {
    const email = newAddress()
    await service.call('POST', '/contacts', { body: { email, first_name: 'Wilhelmina', last_name: 'Quokka' } })
    await send(service, { subject: 'For Quokka' })
    expect(typesOf(await found('quokka'))).toEqual([`contact ${email}`, 'email For Quokka'])
    await service.call('POST', '/suppressions', { body: { email } })
    expect((await found('na quok')).data).toMatchObject([{ title: email, subtitle: 'Wilhelmina Quokka · suppressed' }])
    expect((await found(email)).data.map(({ type }) => type)).toEqual(['contact', 'suppression'])
  })

  it('for a part of the name of a file finds the import of it', async () => {
    const { body } = await sendImport(service, { file: 'email\n', fileName: 'Wombats of Perth.csv' })
    const { id } = body as { id: string }
    expect((await found('wombat')).data).toMatchObject([{ type: 'contact_import', id, title: 'Wombats of Perth.csv' }])
  })

  it('for an address finds old mail to it too, which a search for a part of it does not read', async () => {
    const to = newAddress()
    const id = await send(service, { to, subject: 'Old' })
    await service.database.execute(
      `insert into emails (id, team_id, state, last_event, from_domain, "from", "to", subject, created_at)
       select uuidv7_at((select created_at from emails where id = $2) + interval '1 day', n), $1, 'queued', 'queued', 'example.com', 'a@example.com', '{b@example.org}', 'Newer', now() from generate_series(1, 5000) n`,
      [service.teamId, id],
    )
    expect(await found(to)).toMatchObject({ data: [{ type: 'email', id }], is_complete: false })
    expect(await found(to.slice(0, -4))).toMatchObject({ data: [], is_complete: false })
    await service.database.execute(`delete from emails where subject = 'Newer'`)
  })

  it('for a Message-ID finds the email, with and without its brackets', async () => {
    const id = await send(service)
    await receiveEmail(service)
    const [received] = await service.database.execute<{ id: string; messageId: string }>(
      `update received_emails set message_id = '<Some.Thing+1@elsewhere.example>' where id = (select id from received_emails where team_id = $1 order by id desc limit 1) returning id, message_id as "messageId"`,
      [service.teamId],
    )
    expect(await found(`<${id}@example.com>`)).toMatchObject({ data: [{ type: 'email', id }] })
    expect(await found(`${id}@example.com`)).toMatchObject({ data: [{ type: 'email', id }] })
    for (const words of [received?.messageId ?? '', 'Some.Thing+1@elsewhere.example'])
      expect(await found(words)).toMatchObject({ data: [{ type: 'received_email', id: received?.id }] })
  })

  it('shows at most five of a type, and says that there are more', async () => {
    for (let number = 1; number <= 6; number += 1) await service.call('POST', '/segments', { body: { name: `Quagga ${number}` } })
    const { data, is_complete: isComplete } = await found('quagga')
    expect({ titles: data.map(({ title }) => title), isComplete }).toEqual({
      titles: [6, 5, 4, 3, 2].map((number) => `Quagga ${number}`),
      isComplete: false,
    })
  })

  it.each(['', '  ', '%', '__', '\\', '\u202e', "'", 'x'.repeat(500)])('for %j finds nothing', async (words) => {
    expect(await search(words)).toMatchObject({ status: 200, body: { data: [], is_complete: true } })
  })
})

describe('who searches', () => {
  it('finds only what the role may read: a viewer the names beside numbers, and no person', async () => {
    await service.call('POST', '/contacts', { body: { email: 'okapi@example.com' } })
    await service.call('POST', '/segments', { body: { name: 'Okapi' } })
    await service.call('POST', '/templates', { body: { name: 'Okapi', subject: 'x', html: '<p>x</p>' } })
    await send(service, { to: 'okapi@example.com', subject: 'Okapi' })
    expect(typesOf(await found('okapi', 'viewer'))).toEqual(['segment Okapi'])
    expect(typesOf(await found('okapi', 'support')).toSorted()).toEqual(['contact okapi@example.com', 'email Okapi', 'segment Okapi'])
    expect(typesOf(await found(ids.get('contact_id') ?? '', 'viewer'))).toEqual([])
  })

  it('is a person of the team, not a key, and finds nothing of another team', async () => {
    expect((await service.call('GET', '/search?q=x')).status).toBe(403)
    expect((await service.call('GET', '/search?q=x', { token: null })).status).toBe(401)
    expect((await search('x', 'owner', service.other.teamId)).status).toBe(403)
    const { body } = await service.call('POST', '/segments', { body: { name: 'Theirs' }, token: service.other.token })
    expect(await found((body as { id: string }).id)).toMatchObject({ data: [] })
  })
})
