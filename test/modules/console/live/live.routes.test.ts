// The stream of a page: who gets it, what it names, and when it ends.
import { afterEach, describe, expect, it } from 'vitest'
import { SCOPES_OF_ROLES } from '../../../../src/modules/accounts/people/roles.ts'
import { sectionOfTag, sectionsFor, sectionsOfPath } from '../../../../src/modules/console/live/live-sections.ts'
import { createBroadcast } from '../../../support/builders/broadcasts.ts'
import { send } from '../../../support/builders/emails.ts'
import { type OpenStream, openStream, signIn, visit } from '../../../support/clients/console.ts'
import { until } from '../../../support/clocks/until.ts'
import { create } from '../../../support/records/record-builder.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const OWN_PAGE = { 'sec-fetch-site': 'same-origin' }

const service = shared(() => startTestService({ environment: { CONSOLE_STREAMS_MAX: '6' } }))
const opened: OpenStream[] = []
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close()
})

async function open(cookie: string, query = '', headers: Record<string, string> = OWN_PAGE): Promise<OpenStream> {
  const stream = await openStream(service, `/live${query}`, { cookie, headers })
  opened.push(stream)
  return stream
}

/** The sections that a stream has named so far. */
const named = (stream: OpenStream): string[] =>
  [...stream.body().matchAll(/^event: changed\ndata: (.*)$/gm)].flatMap(
    ([, data = '']) => (JSON.parse(data) as { sections: string[] }).sections,
  )

describe('the stream of a page', () => {
  it('names the sections in which something has changed: by a key, by a worker, and by nothing of another team', async () => {
    const [ours, theirs] = [await open(await signIn(service)), await open(await signIn(service, service.other.token))]
    expect(ours.head).toContain('content-type: text/event-stream; charset=utf-8')
    expect(ours.head).toContain('x-accel-buffering: no')
    expect(ours.head).toContain('no-store')
    await send(service)
    await ours.receives('"emails"')
    await service.call('POST', '/webhooks', { body: { endpoint: 'https://example.com/hook', events: ['email.sent'] } })
    await ours.receives('"webhooks"')
    expect(named(ours)).toContain('audit-log')
    await service.call('POST', '/topics', { body: { name: 'News', default_subscription: 'opt_in' }, token: service.other.token })
    await theirs.receives('"topics"')
    expect(named(theirs)).not.toContain('emails')
    expect(named(ours)).not.toContain('topics')
  })

  it('names broadcasts when one has sent more, and when a worker has finished it', async () => {
    const segment = await create(service, '/segments', { name: 'All' })
    const id = await createBroadcast(service, { segment_id: segment })
    await service.service.context.repositories.requestLogs.flush()
    const stream = await open(await signIn(service))
    const told = () => named(stream).filter((section) => section === 'broadcasts').length
    await service.database.execute(`update broadcasts set status = 'queued' where id = $1`, [id])
    await until(() => expect(told()).toBe(1))
    await service.database.execute(
      `insert into email_counts (team_id, broadcast_id, domain, bucket, received) values ($1, $2, '', date_bin('15 minutes', $3::timestamptz, 'epoch'), 7)`,
      [service.teamId, id, new Date()],
    )
    await until(() => expect(told()).toBe(2))
    await service.database.execute(`update broadcasts set status = 'sent', sent_at = now() where id = $1`, [id])
    await until(() => expect(told()).toBe(3))
  })

  it('is for people who are signed in, from a page of this installation, in a team of theirs', async () => {
    const cookie = await signIn(service)
    expect((await open('')).status).toBe(401)
    expect((await open(cookie, '', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await open(cookie, '', { authorization: `Bearer ${service.token}` })).status).toBe(403)
    expect((await open(cookie, `?team_id=${service.other.teamId}`)).status).toBe(403)
    expect((await open(cookie, '?team_id=ours')).status).toBe(422)
    expect((await open(cookie, `?team_id=${service.teamId}`)).status).toBe(200)
  })

  it('looks at the team that the query names, not at that of the session', async () => {
    const cookie = await signIn(service)
    const { persons } = service.service.context.repositories
    const [{ personId } = { personId: '' }] = await service.database.execute<{ personId: string }>(
      'select person_id as "personId" from sessions order by created_at desc limit 1',
    )
    await persons.addMember(service.other.teamId, personId, 'owner')
    const stream = await open(cookie, `?team_id=${service.other.teamId}`)
    await send(service, {}, { token: service.other.token })
    await stream.receives('"emails"')
  })

  it('ends with its session, and with another role in the team', async () => {
    const [one, two] = [await signIn(service), await signIn(service, service.token, 'support')]
    const [left, right] = [await open(one), await open(two)]
    await visit(service, 'POST', '/console/sign-out', { cookie: one })
    const { persons } = service.service.context.repositories
    const member = await persons.findByEmailAcrossTeams(`support-${service.teamId}@people.example`)
    await persons.changeRole(service.teamId, member?.id ?? '', 'viewer')
    await Promise.all([left.ended(), right.ended()])
    expect([left.body().includes('event: over'), right.body().includes('event: over')]).toEqual([true, true])
  })

  it('is one of four of its session, and of CONSOLE_STREAMS_MAX of the process', async () => {
    const cookie = await signIn(service)
    for (let count = 1; count <= 4; count += 1) expect((await open(cookie)).status).toBe(200)
    const fifth = await open(cookie)
    expect(fifth.status).toBe(429)
    expect(fifth.body()).toContain('Your session has reached its limit of live pages.')
    const theirs = await signIn(service, service.other.token)
    for (let count = 5; count <= 6; count += 1) expect((await open(theirs)).status).toBe(200)
    expect((await open(theirs)).status).toBe(503)
    expect((await fetch(`${service.url}/live`, { method: 'HEAD', headers: { cookie, ...OWN_PAGE } })).status).toBe(200)
  })
})

describe('the sections of a stream', () => {
  it.each([
    ['/emails/', ['emails']],
    ['/emails/receiving/', ['emails', 'received-emails']],
    ['/contacts/imports', ['contacts', 'contact-imports']],
    ['/segments//contacts/', ['segments', 'contacts']],
    ['/audiences//contacts', ['segments', 'contacts']],
    ['/invitations', ['members']],
    ['/nothing', []],
  ])('follow from the path %s', (path, sections) => expect(sectionsOfPath(path)).toEqual(sections))

  it.each([
    ['API keys', 'api-keys'],
    ['Audiences', 'segments'],
    ['Teams', null],
  ])('follow from the section %s of an act', (tag, section) => expect(sectionOfTag(tag)).toBe(section))

  it('are those of which a role reads something', () => {
    const changed = ['emails', 'contacts', 'api-keys', 'audit-log'] as const
    expect(sectionsFor(SCOPES_OF_ROLES.owner, changed)).toEqual(['emails', 'contacts', 'api-keys', 'audit-log'])
    expect(sectionsFor(SCOPES_OF_ROLES.marketer, changed)).toEqual(['emails', 'contacts'])
    expect(sectionsFor(SCOPES_OF_ROLES.viewer, changed)).toEqual(['emails'])
  })
})
