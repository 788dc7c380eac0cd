import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { createSignInLink } from '../../../../src/modules/accounts/sessions/sessions.service.ts'
import { send } from '../../../support/builders/emails.ts'
import { type Seen, signIn, signInAs, visit } from '../../../support/clients/console.ts'
import { callAs, OWN_PAGE } from '../../../support/clients/people.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const HOUR_MS = 60 * 60 * 1_000
const DAY_MS = 24 * HOUR_MS

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))

let personId: string
beforeAll(async () => {
  const { persons } = service.service.context.repositories
  personId = (await persons.ensureAcrossTeams('ada@people.example', 'Ada')).id
  await persons.addMember(service.teamId, personId, 'owner')
})

/** A one-time link as its path. */
const linkFor = async (options: { forMs?: number; browserSecret?: string } = {}) =>
  new URL(await createSignInLink(service.service.context, { personId, ...options })).pathname
const cookieOf = ({ cookie }: Seen) => cookie?.split(';', 1)[0] ?? null
const pathOf = (address: string) => new URL(address).pathname

const FORGOTTEN = 'posthaste-console=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Strict'
const where = ({ status, location }: { status: number; location: string | null }) => ({ status, location })
const opens = async (cookie: string | null, from: typeof service = service) =>
  (await callAs(from, { cookie: cookie ?? '' }, 'GET', '/me')).status === 200

describe('a session', () => {
  it.each<[string, (cookie: string) => string]>([
    ['a changed signature', (cookie) => `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`],
    ['a changed content', (cookie) => cookie.replace(/\.(.)/, (_all, first: string) => `.${first === 'e' ? 'f' : 'e'}`)],
    ['another version of the key', (cookie) => cookie.replace('=1.', '=2.')],
    ['nothing in it', () => 'posthaste-console='],
    ['rubbish in it', () => 'posthaste-console=%00;;=; a'],
    ['another name', (cookie) => cookie.replace('posthaste-console', 'posthaste-console2')],
  ])('is none with %s', async (_what, change) => {
    const cookie = change(await signIn(service))
    expect(await opens(cookie)).toBe(false)
  })

  it('is none with a token that was signed for something else', async () => {
    const { links } = service.service.context
    const tomorrow = new Date(clock.now().getTime() + DAY_MS)
    for (const purpose of ['share', 'download', 'inline-image'] as const)
      expect(await opens(`posthaste-console=${links.sign(purpose, { secret: 'x' }, tomorrow)}`)).toBe(false)
  })

  it('ends after 12 hours without use, and after 14 days whatever was done', async () => {
    const idle = await signIn(service)
    clock.advance(12 * HOUR_MS)
    expect(await opens(idle)).toBe(false)

    const used = await signIn(service)
    for (let hours = 0; hours < 14 * 24 - 8; hours += 8) {
      clock.advance(8 * HOUR_MS)
      expect(await opens(used)).toBe(true)
    }
    clock.advance(8 * HOUR_MS)
    expect(await opens(used)).toBe(false)
  })

  it('ends by signing out: its cookie no longer opens anything, and other sessions continue', async () => {
    const [ended, kept] = [await signIn(service), await signIn(service)]
    const seen = await visit(service, 'POST', '/console/sign-out', { cookie: ended })
    expect({ ...where(seen), cookie: seen.cookie }).toEqual({ status: 303, location: '/console/sign-in', cookie: FORGOTTEN })
    expect([await opens(ended), await opens(kept)]).toEqual([false, true])
  })

  it('is forgotten by the browser also while the database is away', async () => {
    const cookie = await signIn(service)
    const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
    const remove = vi.spyOn(service.service.context.repositories.sessions, 'removeAcrossTeams').mockRejectedValueOnce(away)
    const seen = await visit(service, 'POST', '/console/sign-out', { cookie })
    remove.mockRestore()
    expect({ status: seen.status, cookie: seen.cookie }).toEqual({ status: 503, cookie: FORGOTTEN })
  })

  it('has a new id at every sign-in, and ends when its browser signs in again', async () => {
    const first = await signIn(service)
    const again = await visit(service, 'POST', await linkFor(), { cookie: first })
    expect(again.status).toBe(303)
    expect([await opens(first), await opens(cookieOf(again))]).toEqual([false, true])
  })

  it('shows nothing of a team from the moment on at which its person was removed', async () => {
    const { persons } = service.service.context.repositories
    const person = await persons.ensureAcrossTeams('gone@people.example', 'Gone')
    await persons.addMember(service.teamId, person.id, 'admin')
    const link = pathOf(await createSignInLink(service.service.context, { personId: person.id }))
    const cookie = cookieOf(await visit(service, 'POST', link))
    expect(await opens(cookie)).toBe(true)
    expect(await persons.removeMember(service.teamId, person.id)).toBe('removed')
    expect(await callAs(service, { cookie: cookie ?? '' }, 'GET', '/emails')).toMatchObject({ status: 403 })
  })

  it('opens one team at a time, and none that its person does not belong to', async () => {
    await send(service, { subject: 'Ours' })
    await send(service, { subject: 'Theirs' }, { token: service.other.token })
    const cookie = await signInAs(service.service.context, service.other.teamId)
    const headers = (teamId?: string) => ({
      cookie,
      ...OWN_PAGE,
      ...(teamId !== undefined && { 'posthaste-team': teamId }),
    })
    const list = (teamId?: string) => service.call('GET', '/emails', { token: null, headers: headers(teamId) })
    expect((await list()).text).toContain('Theirs')
    expect((await list(service.other.teamId)).text).not.toContain('Ours')
    for (const teamId of [service.teamId, createId()]) expect(await list(teamId)).toMatchObject({ status: 403 })
    expect(await list('x')).toMatchObject({ status: 422 })
  })

  it('opens the API from pages of our own only', async () => {
    const cookie = await signIn(service)
    const status = async (method: string, headers: Record<string, string>) =>
      (
        await service.call(method, '/topics', {
          token: null,
          headers: { cookie, ...headers },
          ...(method === 'POST' && { body: { name: 'Ours', default_subscription: 'opt_in' } }),
        })
      ).status
    expect(await status('GET', {})).toBe(403)
    expect(await status('POST', OWN_PAGE)).toBe(201)
    expect(await status('GET', { 'posthaste-console': '1', origin: 'http://localhost:3000' })).toBe(200)
  })
})
