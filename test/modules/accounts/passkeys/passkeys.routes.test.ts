// Passkeys of people, with a device of the test. What goes wrong at the device or on the way opens nothing.
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { createAuthenticator, type Options, type Wrong } from '../../../support/clients/authenticator.ts'
import { visit } from '../../../support/clients/console.ts'
import { callAs, type SignedInPerson, signInPerson } from '../../../support/clients/people.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { keepInstallationMails, type SentMails } from '../../../support/servers/mailed-links.ts'
import { type Answer, shared, startTestService } from '../../../support/servers/service.ts'

const MINUTE_MS = 60_000
const ORIGIN = 'http://localhost:3000'
const NOT_ACCEPTED =
  'This passkey was not accepted. If it was removed here, or made when this installation had another address, sign in with a link and add a new one.'
const OVER = 'This took longer than five minutes, was sent before, or began in another browser. Try again with the passkey.'
const ELSEWHERE = `Passkeys work at ${ORIGIN} only. Open this page there.`
const WENT_BACK =
  'This passkey was refused because its counter went back: there may be a copy of it. Sign in with a link, remove it, and add a new one.'

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))
let mails: SentMails
let people = 0
beforeAll(() => {
  mails = keepInstallationMails(service.service.context)
})

const signIn = (name = `person-${people++}`) => signInPerson(service, name, { roles: { [service.teamId]: 'owner' }, browser: 'Firefox' })
const as = (person: SignedInPerson, method: string, path: string, body?: unknown) => callAs(service, person, method, path, body)
const problemOf = ({ status, body }: Answer) => [status, (body as { message?: string }).message]
const kindOf = ({ status, body }: Answer) => [status, (body as { name?: string }).name]
const optionsIn = ({ body }: Answer): Options => (body as { options: Options }).options
const device = (options: { counts?: boolean } = {}) => createAuthenticator({ origin: ORIGIN, ...options })

type Made = { name?: string; key?: ReturnType<typeof device>; wrong?: Wrong }
async function add(person: SignedInPerson, { name = 'Laptop', key = device(), wrong = {} }: Made = {}): Promise<Answer> {
  const options = optionsIn(await as(person, 'POST', '/me/passkeys/options'))
  return as(person, 'POST', '/me/passkeys', { name, credential: key.create(options, wrong) })
}
async function personWith(key: ReturnType<typeof device>): Promise<SignedInPerson> {
  const person = await signIn()
  expect((await add(person, { key })).status).toBe(201)
  return person
}
const listed = async (person: SignedInPerson) =>
  ((await as(person, 'GET', '/me/passkeys')).body as { data: { id: string; last_used_at: string | null }[] }).data

describe('adding a passkey', () => {
  it('asks the device to check the person and to keep the passkey, and tells it which it has already', async () => {
    const person = await signIn('ada')
    const key = device()
    await add(person, { key })
    const { body } = await as(person, 'POST', '/me/passkeys/options')
    expect(body).toMatchObject({
      object: 'passkey_options',
      options: {
        rp: { id: 'localhost', name: 'Posthaste at localhost' },
        user: {
          id: Buffer.from(person.id.replaceAll('-', ''), 'hex').toString('base64url'),
          name: 'ada@people.example',
          displayName: 'ada',
        },
        attestation: 'none',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        excludeCredentials: [{ id: key.id, type: 'public-key', transports: ['internal'] }],
      },
    })
  })

  it('shows it with the place, to its person alone, and mails that it was added', async () => {
    const [person, other] = [await signIn(), await signIn()]
    const sent = mails.all.length
    const added = await add(person, { name: ' My laptop ' })
    expect(added).toMatchObject({
      status: 201,
      body: { name: 'My laptop', host: 'localhost', is_usable: true, address: '127.0.0.1', last_used_at: null },
    })
    expect(await listed(person)).toEqual([added.body])
    expect(await listed(other)).toEqual([])
    expect(mails.all.slice(sent)).toMatchObject([
      { subject: 'A passkey was added', text: expect.stringContaining('"My laptop"'), secret: '' },
    ])
  })

  it('is done although the mail about it is not taken', async () => {
    const person = await signIn()
    const { installationMails } = service.service.context
    vi.spyOn(installationMails, 'send').mockRejectedValueOnce(new Error('no room'))
    expect((await add(person)).status).toBe(201)
    vi.mocked(installationMails.send).mockRestore()
    expect(await listed(person)).toHaveLength(1)
  })

  it('needs a confirmation of someone who signed in more than ten minutes ago', async () => {
    const person = await signIn()
    const options = optionsIn(await as(person, 'POST', '/me/passkeys/options'))
    clock.advance(10 * MINUTE_MS)
    expect(kindOf(await as(person, 'POST', '/me/passkeys/options'))).toEqual([403, 'confirmation_required'])
    const credential = device().create(options)
    expect(kindOf(await as(person, 'POST', '/me/passkeys', { name: 'Late', credential }))).toEqual([403, 'confirmation_required'])
    await service.service.context.repositories.sessions.confirmAcrossTeams(person.sessionId, person.id, clock.now())
    expect((await add(person)).status).toBe(201)
  })

  it('ends at ten, also for two that come together', async () => {
    const person = await signIn()
    for (let count = 0; count < 9; count++) expect((await add(person)).status).toBe(201)
    const options = [await as(person, 'POST', '/me/passkeys/options'), await as(person, 'POST', '/me/passkeys/options')].map(optionsIn)
    const both = await Promise.all(
      options.map((each) => as(person, 'POST', '/me/passkeys', { name: 'Last', credential: device().create(each) })),
    )
    const sentence = 'You have 10 passkeys, as many as one person may have. Remove one first.'
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 403])
    expect(both.map(problemOf)).toContainEqual([403, sentence])
    expect(problemOf(await as(person, 'POST', '/me/passkeys/options'))).toEqual([403, sentence])
    const [newest] = await listed(person)
    await as(person, 'DELETE', `/me/passkeys/${newest?.id}`)
    expect((await add(person)).status).toBe(201)
  })

  it.each<[string, Wrong, string]>([
    ['another origin', { origin: 'https://evil.example' }, ELSEWHERE],
    ['the same host at another port', { origin: 'http://localhost:3001' }, ELSEWHERE],
    ['another RP id', { rpId: 'evil.example' }, NOT_ACCEPTED],
    ['a device that has not checked the person', { isVerified: false }, NOT_ACCEPTED],
    ['the use of a passkey', { type: 'webauthn.get' }, NOT_ACCEPTED],
    ['a challenge of its own', { challenge: Buffer.from('1.e30.x').toString('base64url') }, OVER],
  ])('refuses %s', async (_what, wrong, sentence) => {
    const person = await signIn()
    expect(problemOf(await add(person, { wrong }))).toEqual([422, sentence])
    expect(await listed(person)).toEqual([])
  })

  it('refuses what is no answer of a device, and a statement about its maker', async () => {
    const person = await signIn()
    const { response, ...credential } = device().create(optionsIn(await as(person, 'POST', '/me/passkeys/options')))
    const sent = (changes: object) =>
      as(person, 'POST', '/me/passkeys', { name: 'x', credential: { ...credential, response: { ...response, ...changes } } })
    // "none" becomes "tpm!".
    const attested = Buffer.from(response.attestationObject, 'base64url').toString('hex').replace('6e6f6e65', '74706d21')
    for (const changes of [
      { clientDataJSON: 'AAAA' },
      { clientDataJSON: Buffer.from('null').toString('base64url') },
      { attestationObject: 'AAAA' },
      { attestationObject: response.attestationObject.slice(0, 80) },
      { attestationObject: Buffer.from(attested, 'hex').toString('base64url') },
    ])
      expect(problemOf(await sent(changes))).toEqual([422, NOT_ACCEPTED])
    for (const changes of [
      { clientDataJSON: 'not base64' },
      { attestationObject: 'A'.repeat(8_001) },
      { transports: Array(11).fill('usb') },
    ])
      expect(kindOf(await sent(changes))).toEqual([422, 'validation_error'])
    expect((await sent({})).status).toBe(201)
  })

  it('refuses a challenge that was answered, of another session or person, for another purpose, or after five minutes', async () => {
    const [person, other] = [await signIn('twice'), await signIn()]
    const elsewhere = await signIn('twice')
    const options = optionsIn(await as(person, 'POST', '/me/passkeys/options'))
    const sent = (sender: SignedInPerson, challenge = options) =>
      as(sender, 'POST', '/me/passkeys', { name: 'x', credential: device().create(challenge) })
    for (const sender of [elsewhere, other]) expect(problemOf(await sent(sender))).toEqual([422, OVER])
    expect((await sent(person)).status).toBe(201)
    expect(problemOf(await sent(person))).toEqual([422, OVER])
    const toConfirm = optionsIn(await as(person, 'POST', '/me/confirmation/passkey'))
    expect(problemOf(await sent(person, { ...options, challenge: toConfirm.challenge }))).toEqual([422, OVER])
    const late = optionsIn(await as(person, 'POST', '/me/passkeys/options'))
    clock.advance(5 * MINUTE_MS)
    expect(problemOf(await sent(person, late))).toEqual([422, OVER])
  })

  it('refuses the credential of someone else', async () => {
    const key = device()
    await personWith(key)
    expect(problemOf(await add(await signIn(), { key }))).toEqual([422, 'This passkey is known here already.'])
  })
})

describe('removing a passkey', () => {
  it('is for its person, once', async () => {
    const [person, other] = [await personWith(device()), await signIn()]
    const [{ id = '' } = {}] = await listed(person)
    for (const [sender, target] of [
      [other, id],
      [person, UNKNOWN_ID],
    ] as const)
      expect(kindOf(await as(sender, 'DELETE', `/me/passkeys/${target}`))).toEqual([404, 'not_found'])
    expect((await as(person, 'DELETE', `/me/passkeys/${id.toUpperCase()}`)).body).toEqual({ object: 'passkey', id, deleted: true })
    expect(await listed(person)).toEqual([])
  })
})

describe('confirming by a passkey', () => {
  const confirm = async (person: SignedInPerson, key: ReturnType<typeof device>, wrong: Wrong = {}) => {
    const options = optionsIn(await as(person, 'POST', '/me/confirmation/passkey'))
    return as(person, 'POST', '/me/confirmation/passkey/verify', { credential: key.get(options, wrong) })
  }

  it('confirms the session for ten minutes, and remembers the use', async () => {
    const key = device()
    const person = await personWith(key)
    expect(kindOf(await as(person, 'POST', '/api-keys', { name: 'Key' }))).toEqual([403, 'confirmation_required'])
    expect(await confirm(person, key)).toMatchObject({ status: 200, body: { object: 'me', confirmed_until: expect.any(String) } })
    expect((await as(person, 'POST', '/api-keys', { name: 'Key' })).status).toBe(201)
    expect((await listed(person))[0]?.last_used_at).toEqual(expect.any(String))
    clock.advance(10 * MINUTE_MS)
    expect(kindOf(await as(person, 'POST', '/api-keys', { name: 'Key' }))).toEqual([403, 'confirmation_required'])
  })

  it.each<[string, Wrong, string]>([
    ['another origin', { origin: 'https://evil.example' }, ELSEWHERE],
    ['another RP id', { rpId: 'evil.example' }, NOT_ACCEPTED],
    ['a device that has not checked the person', { isVerified: false }, NOT_ACCEPTED],
    ['the making of a passkey', { type: 'webauthn.create' }, NOT_ACCEPTED],
    ['the handle of another person', { userHandle: 'AZOlwn1OexqcPy5dimtMIQ' }, NOT_ACCEPTED],
    ['a counter that stands still', { counter: 1 }, WENT_BACK],
    ['a counter that goes back', { counter: 0 }, WENT_BACK],
  ])('refuses %s', async (_what, wrong, sentence) => {
    const key = device()
    const person = await personWith(key)
    expect(problemOf(await confirm(person, key, wrong))).toEqual([422, sentence])
    expect((await as(person, 'GET', '/me')).body).toMatchObject({ confirmed_until: null })
    expect((await confirm(person, key)).status).toBe(200)
  })

  it('takes devices that count nothing, as long as they never did', async () => {
    const key = device({ counts: false })
    const person = await personWith(key)
    for (let uses = 0; uses < 2; uses++) expect((await confirm(person, key)).status).toBe(200)
    expect((await confirm(person, key, { counter: 7 })).status).toBe(200)
    expect(problemOf(await confirm(person, key))).toEqual([422, WENT_BACK])
  })

  it('refuses the passkey of someone else, of another device, and one that was removed', async () => {
    const [key, others] = [device(), device()]
    const person = await personWith(key)
    await personWith(others)
    for (const wrong of [others, device()]) expect(problemOf(await confirm(person, wrong))).toEqual([422, NOT_ACCEPTED])
    const options = optionsIn(await as(person, 'POST', '/me/confirmation/passkey'))
    const forged = { ...device().get(options), id: key.id }
    expect(problemOf(await as(person, 'POST', '/me/confirmation/passkey/verify', { credential: forged }))).toEqual([422, NOT_ACCEPTED])
    const [{ id = '' } = {}] = await listed(person)
    await as(person, 'DELETE', `/me/passkeys/${id}`)
    expect(problemOf(await as(person, 'POST', '/me/confirmation/passkey/verify', { credential: key.get(options) }))).toEqual([
      422,
      NOT_ACCEPTED,
    ])
    expect(problemOf(await as(person, 'POST', '/me/confirmation/passkey'))).toEqual([
      403,
      'You have no passkey for this address. Confirm by a code: `POST /me/confirmation`.',
    ])
  })

  it('takes an answer once, also of two that come together', async () => {
    const key = device({ counts: false })
    const person = await personWith(key)
    const credential = key.get(optionsIn(await as(person, 'POST', '/me/confirmation/passkey')))
    const both = await Promise.all([0, 1].map(() => as(person, 'POST', '/me/confirmation/passkey/verify', { credential })))
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 422])
  })

  it('is offered on the page to those who have one', async () => {
    const key = device()
    const person = await personWith(key)
    const { cookie } = person
    const next = '/console/api-keys'
    expect((await visit(service, 'GET', `/console/confirm?next=${next}`, { cookie })).text).toContain('Use a passkey')
    expect((await visit(service, 'GET', '/console/confirm', { cookie: (await signIn()).cookie })).text).not.toContain('Use a passkey')
    const options = optionsIn(await as(person, 'POST', '/me/confirmation/passkey'))
    const send = (credential: unknown) =>
      visit(service, 'POST', '/console/confirm/passkey', { cookie, form: { next, credential: JSON.stringify(credential) } })
    const wrong = await send(key.get(options, { isVerified: false }))
    expect([wrong.status, wrong.text.includes(NOT_ACCEPTED)]).toEqual([422, true])
    const right = await send(key.get(options))
    expect([right.status, right.location]).toEqual([303, next])
    expect((await as(person, 'POST', '/api-keys', { name: 'Key' })).status).toBe(201)
    expect((await visit(service, 'POST', '/console/confirm/passkey', { form: {} })).location).toContain('/console/sign-in')
  })
})
