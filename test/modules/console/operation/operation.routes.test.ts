// What operators do by the API: with their key, or as people whose addresses OPERATORS names. To everyone else there is nothing.
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureOperators } from '../../../../src/modules/accounts/people/people.service.ts'
import { storedFiles } from '../../../support/builders/contact-imports.ts'
import { send, UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { png, showImage, storeImage } from '../../../support/builders/images.ts'
import { callAs, OWN_PAGE, type SignedInPerson, signInPerson } from '../../../support/clients/people.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const KEY = 'the-key-of-the-operator-of-this-test'
const PATHS = [
  ['GET', '/operation/queue'],
  ['POST', '/operation/queue/pause'],
  ['POST', '/operation/queue/resume'],
  ['GET', '/operation/health'],
  ['GET', '/operation/deliverability'],
  ['GET', '/operation/paces'],
  ['GET', '/operation/throughput'],
  ['GET', '/teams'],
] as const
const NOTHING = { destination: 'nowhere.example' }

const service = shared(() =>
  startTestService({ environment: { OPERATORS: 'Olga@people.example, other@people.example', OPERATOR_KEY: KEY, DELIVERY: 'capture' } }),
)
let olga: SignedInPerson
let ada: SignedInPerson
beforeAll(async () => {
  await ensureOperators(service.service.context)
  olga = await signInPerson(service, 'olga')
  ada = await signInPerson(service, 'ada', { roles: { [service.teamId]: 'owner' } })
})

const withKey = (method: string, path: string, body?: unknown) =>
  service.call(method, path, { token: KEY, ...(body !== undefined && { body }) })

describe('an operation of operators', () => {
  it.each(PATHS)('%s %s is for the key and for people who are operators', async (method, path) => {
    const body = method === 'POST' ? NOTHING : undefined
    expect((await withKey(method, path, body)).status).toBe(200)
    const answer = await callAs(service, olga, method, path, body)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
  })

  it.each(PATHS)('%s %s is an unknown path to everyone else', async (method, path) => {
    const body = method === 'POST' ? NOTHING : undefined
    const sent = { ...(body && { body }) }
    const unknown = await callAs(service, ada, method, '/nothing', body)
    expect(await callAs(service, ada, method, path, body)).toMatchObject({ status: 404, body: { name: 'not_found' } })
    expect(unknown.status).toBe(404)
    expect((await service.call(method, path, sent)).status).toBe(404)
    expect((await service.call(method, path, { token: null, ...sent })).status).toBe(401)
    // Nor does the session of an operator open it from elsewhere, without the header, or as the token of the documentation.
    for (const headers of [{}, { ...OWN_PAGE, origin: 'https://evil.example' }, { 'sec-fetch-site': 'same-origin' }])
      expect((await service.call(method, path, { token: null, headers: { cookie: olga.cookie, ...headers }, ...sent })).status).toBe(404)
  })

  it('is not there for a former operator, nor for a person of a service without operators', async () => {
    const without = await startTestService()
    try {
      const left = await signInPerson(without, 'olga')
      expect((await callAs(without, left, 'GET', '/operation/queue')).status).toBe(404)
      expect((await callAs(without, left, 'GET', '/me')).body).toMatchObject({ is_operator: false })
    } finally {
      await without.close()
    }
  })
})

describe('an operator', () => {
  it('is told by GET /me, and is made at the start', async () => {
    expect((await callAs(service, olga, 'GET', '/me')).body).toMatchObject({ email: 'olga@people.example', is_operator: true, teams: [] })
    expect((await callAs(service, ada, 'GET', '/me')).body).toMatchObject({ is_operator: false })
    expect(await service.service.context.repositories.persons.findByEmailAcrossTeams('other@people.example')).not.toBeNull()
  })

  it('takes an image down by its address, and its team reads why', async () => {
    const { id, url } = await storeImage(service, png())
    await service.call('PATCH', '/team', { body: { logo_id: id } })
    const stop = (reason: string, address = url) => callAs(service, olga, 'POST', '/operation/images/stop', { url: address, reason })
    const taken = { id, url, team: { id: service.teamId }, taken_down_at: expect.any(String), taken_down_reason: 'A bank.' }
    expect(await stop('A bank.', `https://elsewhere.example${new URL(url).pathname}?x#y`)).toMatchObject({ status: 200, body: taken })
    const shown = await showImage(service, url)
    expect([shown.status, shown.headers.get('cache-control')]).toEqual([410, 'no-store'])
    expect((await service.call('GET', `/images/${id}`)).body).toMatchObject({ taken_down_reason: 'A bank.' })
    expect((await service.call('GET', '/team')).body).toMatchObject({ logo_id: id, logo_url: null })
    expect(await storedFiles(service)).toEqual([])
    const { data } = (await service.call('GET', '/audit-log?limit=1')).body as { data: object[] }
    expect(data).toMatchObject([{ action: 'operation.images.stop', actor: { type: 'operator' }, after: { taken_down_reason: 'A bank.' } }])

    expect(await stop('The page of a bank.')).toMatchObject({ body: { ...taken, taken_down_reason: 'The page of a bank.' } })
    for (const address of ['https://mail.example.com/media/AAAAAAAAAAAAAAAAAAAAAA.png', '/share/x', 'no address'])
      expect(await stop('x', address)).toMatchObject({ status: 404, body: { message: 'Image not found' } })
    expect((await service.call('DELETE', `/images/${id}`)).status).toBe(200)
  })

  it('sees no mail', async () => {
    await send(service, { subject: 'Secret subject' })
    expect((await callAs(service, olga, 'GET', '/emails')).status).toBe(403)
    const { text } = await callAs(service, olga, 'GET', '/operation/queue')
    expect(text).not.toContain('Secret subject')
    expect(text).not.toContain('@')
  })

  it('sees the lanes, and pauses and resumes a part', async () => {
    await send(service, { to: 'someone@lane.example' })
    const lane = { class: 'transactional', team: { id: service.teamId }, destination: 'lane.example' }
    const queue = async () => (await callAs(service, olga, 'GET', '/operation/queue')).body as { lanes: object[]; pauses: object[] }
    const part = { team_id: service.teamId, destination: 'lane.example' }
    const paused = await callAs(service, olga, 'POST', '/operation/queue/pause', part)
    expect(paused.body).toMatchObject({
      pauses: [{ class: null, team: { id: service.teamId }, destination: 'lane.example', backup_at: null }],
    })
    for (const line of (await queue()).lanes.filter((each) => 'destination' in each && each.destination === 'lane.example'))
      expect(line).toMatchObject({ ...lane, is_paused: true })
    expect((await callAs(service, olga, 'POST', '/operation/queue/resume', part)).body).toMatchObject({ pauses: [] })
  })

  it('stands in the audit log of the team whose mail it pauses, and resumes with that of others', async () => {
    const { id } = await service.service.context.repositories.teams.create('Paused')
    expect(await callAs(service, olga, 'POST', '/operation/queue/pause', { team_id: id, class: 'bulk' })).toMatchObject({ status: 200 })
    expect(await callAs(service, olga, 'POST', '/operation/queue/resume', { class: 'bulk' })).toMatchObject({ body: { pauses: [] } })
    const rows = await service.database.execute(
      'select act, actor_kind as kind, actor_name as name from audit_log where team_id = $1 order by id',
      [id],
    )
    const who = { kind: 'operator', name: 'olga@people.example' }
    expect(rows).toEqual([
      { act: 'operation.queue.pause', ...who },
      { act: 'operation.queue.resume', ...who },
    ])
    expect((await callAs(service, olga, 'POST', '/operation/queue/pause', { team_id: UNKNOWN_ID })).status).toBe(422)
  })

  it('has to name a part, or to say that all is meant', async () => {
    expect(await callAs(service, olga, 'POST', '/operation/queue/pause', {})).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('all') },
    })
    expect((await callAs(service, olga, 'POST', '/operation/queue/pause', { destination: 'not a domain' })).status).toBe(422)
    expect((await callAs(service, olga, 'POST', '/operation/queue/pause', { all: true })).body).toMatchObject({ pauses: [{ team: null }] })
    expect((await callAs(service, olga, 'POST', '/operation/queue/resume', { all: true })).body).toMatchObject({ pauses: [] })
  })

  it('stands in the audit log of the team that it changes, with its address', async () => {
    const renamed = await callAs(service, olga, 'PATCH', `/teams/${service.other.teamId}`, { name: 'Renamed' })
    expect(renamed.status).toBe(200)
    const rows = await service.database.execute(
      `select actor_kind as kind, actor_name as name from audit_log where team_id = $1 and act = 'teams.update'`,
      [service.other.teamId],
    )
    expect(rows).toEqual([{ kind: 'operator', name: 'olga@people.example' }])
  })
})

describe('GET /operation/throughput', () => {
  it('adds up all teams by the quarter of an hour, also what is not added up yet', async () => {
    await service.database.execute('truncate email_counts, email_count_changes')
    await service.database.execute(
      `insert into email_counts (team_id, bucket, domain, broadcast_id, received, sent, delivered, bounced_permanent, delivery_delayed)
       select t, email_count_bucket($2), 'acme.example', '00000000-0000-0000-0000-000000000000', 10, 9, 8, 1, 2 from unnest($1::uuid[]) as t`,
      [[service.teamId, service.other.teamId], new Date()],
    )
    await service.database.execute(
      `insert into email_count_changes (team_id, bucket, domain, broadcast_id, metric, count)
       values ($1, email_count_bucket($2), 'acme.example', '00000000-0000-0000-0000-000000000000', 'sent', 5)`,
      [service.teamId, new Date()],
    )
    const { body } = await withKey('GET', '/operation/throughput')
    const { data } = body as { data: { start: string; sent: number }[] }
    expect(data).toHaveLength(96)
    const counted = data.filter(({ sent }) => sent > 0)
    expect(counted).toEqual([{ start: expect.any(String), received: 20, sent: 23, delivered: 16, bounced: 2, delayed: 4 }])
  })
})
