import { beforeEach, expect, it } from 'vitest'
import { signIn, visit } from '../../../support/clients/console.ts'
import { callAs } from '../../../support/clients/people.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const ADDRESS = '/console/documentation-token'
const MINUTE_MS = 60_000

let cookie: string

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))
beforeEach(async () => {
  cookie = await signIn(service)
})

type Granted = { token: string | null; team?: string; expires_in_seconds?: number }

const ask = async (session: string | null, origin: string | null = service.url) => {
  const seen = await visit(service, 'POST', ADDRESS, { cookie: session, origin })
  return { status: seen.status, granted: seen.status === 200 ? (JSON.parse(seen.text) as Granted) : null, headers: seen.headers }
}
const statusWith = async (token: string | null | undefined) => (await service.call('GET', '/webhooks', { token: token ?? null })).status

it('gives who is signed in a token for ten minutes, which acts for the team of the session', async () => {
  await service.call('POST', '/domains', { token: service.other.token, body: { name: 'theirs.example' } })
  const { granted, headers } = await ask(cookie)
  expect(granted).toEqual({ token: expect.stringMatching(/^session_/), team: 'Team of the test', expires_in_seconds: 600 })
  expect(headers.get('cache-control')).toBe('private, no-store')
  expect(await service.call('GET', '/domains', { token: granted?.token ?? '' })).toMatchObject({ status: 200, body: { data: [] } })
  clock.advance(9 * MINUTE_MS)
  expect(await statusWith(granted?.token)).toBe(200)
  clock.advance(2 * MINUTE_MS)
  expect(await statusWith(granted?.token)).toBe(403)
})

it('logs what the token does under the person of the session', async () => {
  const { granted } = await ask(cookie)
  await service.call('POST', '/segments', {
    body: { name: 'Logged' },
    token: granted?.token ?? '',
  })
  await service.service.context.repositories.requestLogs.flush()
  const logged = await service.database.execute('select person_id as id from request_logs where endpoint = $1', ['/segments'])
  const sessions = await service.database.execute('select person_id as id from sessions limit 1')
  expect(logged).toEqual(sessions)
})

it('gives nothing to a stranger, or to a page of another site', async () => {
  expect((await ask(null)).granted).toEqual({ token: null })
  expect((await ask('posthaste-console=forged')).granted).toEqual({ token: null })
  expect((await ask(cookie, 'https://evil.example')).status).toBe(403)
  expect((await ask(cookie, 'null')).status).toBe(403)
  expect((await ask(cookie, null)).status).toBe(403)
  // A GET is a page of the console, as every address below it.
  expect((await visit(service, 'GET', ADDRESS, { cookie })).text).not.toContain('session_')
})

it('ends with the session', async () => {
  const { granted } = await ask(cookie)
  await visit(service, 'POST', '/console/sign-out', { cookie })
  expect(await statusWith(granted?.token)).toBe(403)
})

it('may at each moment what the role of the person may', async () => {
  const { persons } = service.service.context.repositories
  const person = await persons.ensureAcrossTeams(`admin-${service.teamId}@people.example`, 'Admin')
  const { granted } = await ask(await signIn(service, service.token, 'admin'))
  expect(await statusWith(granted?.token)).toBe(200)
  await persons.changeRole(service.teamId, person.id, 'support')
  expect(await statusWith(granted?.token)).toBe(403)
  await persons.removeMember(service.teamId, person.id)
  expect(await statusWith(granted?.token)).toBe(403)
})

it('takes neither a changed token nor the token of the session itself', async () => {
  const { granted } = await ask(cookie)
  const { token = '' } = { token: granted?.token ?? '' }
  expect(await statusWith(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).toBe(403)
  expect(await statusWith(`session_${cookie.split('=', 2)[1]}`)).toBe(403)
  expect(await statusWith(cookie.split('=', 2)[1])).toBe(403)
  expect((await callAs(service, { cookie: `posthaste-console=${token.slice('session_'.length)}` }, 'GET', '/me')).status).toBe(401)
})

it('is given as often as the team may ask in a second', async () => {
  const limited = await startTestService({ environment: { RATE_LIMIT_PER_SECOND: '5' }, clock: createMovingClock() })
  const own = await signIn(limited)
  const statuses: number[] = []
  for (let count = 0; count < 5; count += 1)
    statuses.push((await visit(limited, 'POST', '/console/documentation-token', { cookie: own })).status)
  statuses.push((await visit(limited, 'POST', '/console/documentation-token', { cookie: own })).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  expect((await visit(limited, 'POST', '/console/documentation-token')).status).toBe(200)
  await limited.close()
})
