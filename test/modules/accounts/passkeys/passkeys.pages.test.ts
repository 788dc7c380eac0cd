// Signing in by a passkey, as the script of the page does it, and the page of one's passkeys.
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { digestToken } from '../../../../src/lib/ids.ts'
import { sweepSessions } from '../../../../src/server/sweeps.ts'
import { createAuthenticator, type Options, type Wrong } from '../../../support/clients/authenticator.ts'
import { type Seen, visit } from '../../../support/clients/console.ts'
import { callAs, type SignedInPerson, signInPerson } from '../../../support/clients/people.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { keepInstallationMails } from '../../../support/servers/mailed-links.ts'
import { shared, startTestService, type TestService } from '../../../support/servers/service.ts'

const ORIGIN = 'http://localhost:3000'
const OVER = 'This took longer than five minutes, was sent before, or began in another browser. Try again with the passkey.'
const NOT_ACCEPTED =
  'This passkey was not accepted. If it was removed here, or made when this installation had another address, sign in with a link and add a new one.'

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))
beforeAll(() => {
  keepInstallationMails(service.service.context)
})

type Device = ReturnType<typeof createAuthenticator>
let people = 0

async function personWith(key: Device, at: TestService = service): Promise<SignedInPerson> {
  const person = await signInPerson(at, `person-${people++}`, { roles: { [at.teamId]: 'owner' } })
  const { body } = await callAs(at, person, 'POST', '/me/passkeys/options')
  const credential = key.create((body as { options: Options }).options)
  expect((await callAs(at, person, 'POST', '/me/passkeys', { name: 'Laptop', credential })).status).toBe(201)
  return person
}

const cookieOf = ({ cookie }: Seen) => cookie?.split(';', 1)[0] ?? ''
/** `browser`: the cookie that it has from then on. */
async function ask(cookie: string | null = null): Promise<{ options: Options; browser: string; text: string }> {
  const seen = await visit(service, 'POST', '/console/sign-in/passkey', { cookie })
  return { options: JSON.parse(seen.text).options, browser: cookieOf(seen), text: seen.text }
}
const send = (credential: object, browser: string | null, next = '') =>
  visit(service, 'POST', '/console/sign-in/passkey/verify', { cookie: browser, form: { credential: JSON.stringify(credential), next } })
const problemOf = ({ status, text }: Seen) => [status, /role="alert">([^<]*)</.exec(text)?.[1]]
const session = (cookie: string) => cookie.startsWith('posthaste-console=')

describe('signing in by a passkey', () => {
  it('asks no address, begins a session by passkey that counts as confirmed for ten minutes, and leads to the page that was asked for', async () => {
    const key = createAuthenticator({ origin: ORIGIN })
    const person = await personWith(key)
    const { options, browser } = await ask()
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] })
    const entered = await send(key.get(options), `${browser}; ${person.cookie}`, '/console/logs?status=404')
    expect([entered.status, entered.location]).toEqual([303, '/console/logs?status=404'])
    const cookie = cookieOf(entered)
    expect(cookie).not.toBe(person.cookie)
    const as = (path: string) => callAs(service, { cookie }, 'GET', path)
    expect((await as('/me')).body).toMatchObject({ id: person.id, confirmed_until: expect.any(String) })
    expect((await as('/me/sessions')).body).toMatchObject({ data: [{ method: 'passkey', is_current: true }] })
    const acts = await service.database.execute('select act from audit_log where actor_id = $1 and team_id = $2 order by id', [
      person.id,
      service.teamId,
    ])
    expect(acts).toEqual([{ act: 'me.passkeys.create' }, { act: 'console.sign-in' }])
    // The session that the browser had before has ended.
    expect((await callAs(service, person, 'GET', '/me')).status).toBe(401)
    clock.advance(10 * 60_000)
    expect((await as('/me')).body).toMatchObject({ confirmed_until: null })
  })

  it('counts as no failed credential when it signs in', async () => {
    const key = createAuthenticator({ origin: ORIGIN })
    await personWith(key)
    const { options, browser } = await ask()
    const counted = vi.spyOn(service.service.context.keyRecognition, 'countFailure')
    expect((await send(key.get(options), browser)).status).toBe(303)
    // The challenge is used up: this is counted, after what would follow the first answer.
    expect((await send(key.get(options), browser)).status).toBe(422)
    expect(counted).toHaveBeenCalledOnce()
    counted.mockRestore()
  })

  it('says the same to everyone who asks', async () => {
    const [first, second] = [await ask(), await ask()]
    const same = ({ options, text }: typeof first) => text.replace(options.challenge, '')
    expect(same(first)).toEqual(same(second))
    expect(first.options.challenge).not.toBe(second.options.challenge)
  })

  it('lets a link that was asked for in this browser go on working there', async () => {
    const asked = await visit(service, 'POST', '/console/sign-in', { form: { email: 'nobody@people.example' } })
    expect((await ask(cookieOf(asked))).browser).toBe(cookieOf(asked))
  })

  it.each<[string, Wrong, string]>([
    ['another origin', { origin: 'https://evil.example' }, `Passkeys work at ${ORIGIN} only. Open this page there.`],
    ['another RP id', { rpId: 'evil.example' }, NOT_ACCEPTED],
    ['a device that has not checked the person', { isVerified: false }, NOT_ACCEPTED],
    ['the handle of another person', { userHandle: 'AZOlwn1OexqcPy5dimtMIQ' }, NOT_ACCEPTED],
    ['no handle, as only a device says that was told whose passkey is wanted', { userHandle: null }, NOT_ACCEPTED],
  ])('refuses %s, without a session', async (_what, wrong, sentence) => {
    const key = createAuthenticator({ origin: ORIGIN })
    await personWith(key)
    const { options, browser } = await ask()
    const refused = await send(key.get(options, wrong), browser)
    expect(problemOf(refused)).toEqual([422, sentence])
    expect(session(cookieOf(refused))).toBe(false)
  })

  it('refuses the challenge of another browser, one that was answered, and one that is five minutes old', async () => {
    const key = createAuthenticator({ origin: ORIGIN })
    await personWith(key)
    const [mine, others] = [await ask(), await ask()]
    for (const browser of [null, others.browser]) expect(problemOf(await send(key.get(mine.options), browser))).toEqual([422, OVER])
    const answer = key.get(mine.options)
    expect((await send(answer, mine.browser)).status).toBe(303)
    expect(problemOf(await send(answer, mine.browser))).toEqual([422, OVER])
    const late = await ask()
    clock.advance(5 * 60_000)
    expect(problemOf(await send(key.get(late.options), late.browser))).toEqual([422, OVER])
  })

  it('refuses a counter that goes back, says so to the person, and logs it', async () => {
    const key = createAuthenticator({ origin: ORIGIN })
    const person = await personWith(key)
    const warn = vi.spyOn(service.service.context.log, 'warn')
    const { options, browser } = await ask()
    const [status, problem] = problemOf(await send(key.get(options, { counter: 1 }), browser))
    expect([status, problem]).toEqual([422, expect.stringContaining('its counter went back')])
    expect(warn).toHaveBeenCalledWith(
      { passkeyId: expect.any(String), personId: person.id, counter: 1 },
      'passkey refused: its counter went back',
    )
    warn.mockRestore()
  })

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"id":"x"}',
    '{"id":"x","response":{"clientDataJSON":"AAAA","authenticatorData":"AAAA","signature":"AAAA"}}',
  ])('refuses %j', async (credential) => {
    const { browser } = await ask()
    const seen = await visit(service, 'POST', '/console/sign-in/passkey/verify', { cookie: browser, form: { credential } })
    expect([seen.status, session(cookieOf(seen))]).toEqual([422, false])
  })

  it('takes no form of another site', async () => {
    const from = { origin: 'https://evil.example' }
    for (const path of ['/console/sign-in/passkey', '/console/sign-in/passkey/verify'])
      expect((await visit(service, 'POST', path, from)).status).toBe(403)
  })

  it('leaves nothing in the database that opens anything', async () => {
    const key = createAuthenticator({ origin: ORIGIN })
    await personWith(key)
    const { options, browser } = await ask()
    const token = Buffer.from(options.challenge, 'base64url').toString()
    const stored = async () => JSON.stringify(await service.database.execute('select * from answered_challenges'))
    expect(await stored()).not.toContain(digestToken(token))
    await send(key.get(options), browser)
    const after = await stored()
    expect([after.includes(digestToken(token)), after.includes(token), after.includes(options.challenge)]).toEqual([true, false, false])
  })
})

it('forgets an answered challenge once it has ended, and not before', async () => {
  const key = createAuthenticator({ origin: ORIGIN })
  await personWith(key)
  const { context } = service.service
  const sweep = () => sweepSessions(context)
  const count = async () => (await service.database.execute('select from answered_challenges')).length
  clock.advance(5 * 60_000)
  await sweep()
  const { options, browser } = await ask()
  await send(key.get(options), browser)
  clock.advance(5 * 60_000 - 1)
  await sweep()
  expect(await count()).toBe(1)
  clock.advance(1)
  await sweep()
  expect(await count()).toBe(0)
})

it('counts with the forms that sign in: five a second for an address', async () => {
  const limited = await startTestService({ environment: { RATE_LIMIT_PER_SECOND: '1000' } })
  const asked = await Promise.all(Array.from({ length: 40 }, () => visit(limited, 'POST', '/console/sign-in/passkey')))
  await limited.close()
  expect(asked.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
})

describe('an installation with another address', () => {
  it('says of passkeys that they are for the earlier one, and takes them no more', async () => {
    const key = createAuthenticator({ origin: ORIGIN })
    const person = await personWith(key)
    const moved = await startTestService({ clock, beside: service, environment: { PUBLIC_URL: 'https://new.example' } })
    const cookie = `__Host-${person.cookie}`
    const passkeys = (await callAs(moved, { cookie }, 'GET', '/me/passkeys')).body
    const confirming = await callAs(moved, { cookie }, 'POST', '/me/confirmation/passkey')
    await moved.close()
    expect(passkeys).toMatchObject({ data: [{ host: 'localhost', is_usable: false }] })
    expect(confirming).toMatchObject({ status: 403, body: { message: expect.stringContaining('You have no passkey for this address.') } })
  })

  it.each(['https://192.0.2.1', 'https://[2001:db8::1]'])('that is no name (%s) says that passkeys need one', async (PUBLIC_URL) => {
    const numbered = await startTestService({ environment: { PUBLIC_URL } })
    const { cookie } = await signInPerson(numbered, 'ada', { roles: { [numbered.teamId]: 'owner' } })
    const refused = await callAs(numbered, { cookie }, 'POST', '/me/passkeys/options')
    const signingIn = await visit(numbered, 'GET', '/console/sign-in')
    await numbered.close()
    const sentence = 'Passkeys need a name: browsers make none for an IP address. Ask your operator to give PUBLIC_URL the name of a host.'
    expect(refused).toMatchObject({ status: 403, body: { message: sentence } })
    expect(signingIn.text).not.toContain('passkey"')
  })
})
