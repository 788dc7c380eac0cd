// A person confirms that it is them before what cannot be undone, or opens everything. Keys and programs do not.
import { beforeAll, describe, expect, it } from 'vitest'
import { visit } from '../../../support/clients/console.ts'
import { callAs, type SignedInPerson, signInPerson } from '../../../support/clients/people.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { keepInstallationMails, type SentMails } from '../../../support/servers/mailed-links.ts'
import { type Answer, shared, startTestService } from '../../../support/servers/service.ts'

const MINUTE_MS = 60_000

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))

let mails: SentMails
let ada: SignedInPerson
let people = 0
beforeAll(async () => {
  mails = keepInstallationMails(service.service.context)
  ada = await signIn('ada')
})

const signIn = (name: string) => signInPerson(service, name, { roles: { [service.teamId]: 'owner' } })
const as = (person: SignedInPerson, method: string, path: string, body?: unknown) => callAs(service, person, method, path, body)
const nameOf = ({ body }: Answer) => (body as { name?: string }).name
const problemOf = ({ status, body }: Answer) => [status, (body as { message?: string }).message]
const askFor = async (person: SignedInPerson): Promise<string> => {
  expect((await as(person, 'POST', '/me/confirmation')).status).toBe(200)
  return (await mails.next()).secret
}
const enter = (person: SignedInPerson, code: string) => as(person, 'POST', '/me/confirmation/verify', { code })
const confirm = async (person: SignedInPerson) => expect((await enter(person, await askFor(person))).status).toBe(200)
const isConfirmed = async (person: SignedInPerson) =>
  ((await as(person, 'GET', '/me')).body as { confirmed_until: string | null }).confirmed_until !== null
const other = (code: string) => (code === '00000000' ? '00000001' : '00000000')

const NO_CODE = 'No code can be entered now: it was used, has expired, or was tried too often. Ask for a new one.'

describe('a code', () => {
  it('has eight digits, goes to the person, and confirms one session for ten minutes', async () => {
    const elsewhere = await signIn('ada')
    const asked = await as(ada, 'POST', '/me/confirmation')
    const mail = await mails.next()
    expect(mail).toMatchObject({ to: 'ada@people.example', secret: expect.stringMatching(/^\d{8}$/) })
    expect(mail.expiresAt).toEqual(new Date(clock.now().getTime() + 10 * MINUTE_MS))
    expect(asked.text).not.toContain(mail.secret)
    expect((await enter(ada, ` ${mail.secret.slice(0, 4)} ${mail.secret.slice(4)} `)).body).toMatchObject({
      confirmed_until: expect.any(String),
    })
    expect([await isConfirmed(ada), await isConfirmed(elsewhere)]).toEqual([true, false])
    clock.advance(10 * MINUTE_MS - 1)
    expect(await isConfirmed(ada)).toBe(true)
    clock.advance(1)
    expect(await isConfirmed(ada)).toBe(false)
  })

  it('confirms nothing while the clock is before it', async () => {
    await confirm(ada)
    clock.advance(-MINUTE_MS)
    expect(await isConfirmed(ada)).toBe(false)
    clock.advance(MINUTE_MS)
    expect(await isConfirmed(ada)).toBe(true)
  })

  it('works once', async () => {
    const code = await askFor(ada)
    const twice = await Promise.all([enter(ada, code), enter(ada, code)])
    expect(twice.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(problemOf(await enter(ada, code))).toEqual([422, NO_CODE])
  })

  it('is tried five times', async () => {
    const code = await askFor(ada)
    for (let tries = 1; tries <= 4; tries++) expect((await enter(ada, other(code))).status).toBe(422)
    expect(problemOf(await enter(ada, other(code)))).toEqual([422, 'This is not the code, and it was tried too often. Ask for a new one.'])
    expect(problemOf(await enter(ada, code))).toEqual([422, NO_CODE])
  })

  it('ends after ten minutes, and with the next one', async () => {
    const [first, second] = [await askFor(ada), await askFor(ada)]
    if (first !== second) expect((await enter(ada, first)).status).toBe(422)
    clock.advance(10 * MINUTE_MS)
    expect(problemOf(await enter(ada, second))).toEqual([422, NO_CODE])
  })

  it('is for the session that asked, and no other person', async () => {
    const [elsewhere, eve] = [await signIn('ada'), await signIn('eve')]
    const code = await askFor(ada)
    for (const session of [elsewhere, eve]) expect((await enter(session, code)).status).toBe(422)
    expect((await enter(ada, code)).status).toBe(200)
  })

  it('is not in the database', async () => {
    const code = await askFor(ada)
    const rows = await service.database.execute('select * from confirmation_codes')
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(code)
  })
})

describe('guessing a code', () => {
  const guessed = shared(() => startTestService({ clock }))
  const codes: string[] = []
  let eve: SignedInPerson
  beforeAll(async () => {
    const { installationMails } = guessed.service.context
    const { send } = installationMails
    installationMails.send = async (mail) => {
      const refused = await send(mail)
      if (!refused) codes.push(mail.secret)
      return refused
    }
    eve = await signInPerson(guessed, 'eve', { roles: { [guessed.teamId]: 'owner' } })
  })
  const ask = () => callAs(guessed, eve, 'POST', '/me/confirmation')
  const guess = (code: string) => callAs(guessed, eve, 'POST', '/me/confirmation/verify', { code })
  const TOO_MANY = 'As many codes were mailed within an hour as may be. Enter the last one, or wait and try again.'

  it('is tried 25 times an hour, however often a code is asked for', async () => {
    const asked: number[] = []
    let compared = 0
    for (let round = 0; round < 8; round++) {
      asked.push((await ask()).status)
      for (let tries = 0; tries < 6; tries++) if (problemOf(await guess(other(codes.at(-1) ?? '')))[1] !== NO_CODE) compared++
    }
    expect({ asked, compared }).toEqual({ asked: [200, 200, 200, 200, 200, 429, 429, 429], compared: 25 })
  })

  it('leaves the last code with its tries to the person, who reads how long to wait', async () => {
    clock.advance(60 * MINUTE_MS)
    for (let each = 0; each < 5; each++) {
      await ask()
      clock.advance(MINUTE_MS)
    }
    const code = codes.at(-1) ?? ''
    for (let tries = 1; tries <= 4; tries++) await guess(other(code))
    const refused = await ask()
    expect([...problemOf(refused), refused.headers.get('retry-after')]).toEqual([429, TOO_MANY, String(55 * 60)])
    const page = await visit(guessed, 'POST', '/console/confirm/code', { cookie: eve.cookie, form: { next: '/console' } })
    expect([page.status, page.headers.get('retry-after'), page.text.includes(TOO_MANY), page.text.includes('Enter the code')]).toEqual([
      ...[429, String(55 * 60), true, true],
    ])
    expect((await guess(code)).status).toBe(200)
    clock.advance(55 * MINUTE_MS)
    expect((await ask()).status).toBe(200)
  })
})

type Act = { method: string; path: string; body?: unknown; status: number }
const addMember = async (role: 'owner' | 'support') => {
  const { persons } = service.service.context.repositories
  const { id } = await persons.ensureAcrossTeams(`member-${people++}@people.example`, 'Member')
  await persons.addMember(service.teamId, id, role)
  return id
}
const made = async (path: string, body: object) => ((await service.call('POST', path, { body })).body as { id: string }).id

/** Each made anew, so that it can succeed. */
const ACTS: Record<string, () => Promise<Act>> = {
  'deleting a domain': async () => {
    const id = await made('/domains', { name: `d${people++}.example.com` })
    return { method: 'DELETE', path: `/domains/${id}`, status: 200 }
  },
  'exporting a contact': async () => {
    const id = await made('/contacts', { email: `contact-${people++}@example.com` })
    return { method: 'GET', path: `/contacts/${id}/export`, status: 200 }
  },
  'making a key with full access': async () => ({ method: 'POST', path: '/api-keys', body: { name: 'Key' }, status: 201 }),
}
const ACTS_OF_PEOPLE: Record<string, () => Promise<Act>> = {
  'making an owner': async () => ({
    ...{ method: 'PATCH', path: `/members/${await addMember('support')}`, body: { role: 'owner' }, status: 200 },
  }),
  'making an owner less': async () => ({
    ...{ method: 'PATCH', path: `/members/${await addMember('owner')}`, body: { role: 'support' }, status: 200 },
  }),
  'removing an owner': async () => ({ method: 'DELETE', path: `/members/${await addMember('owner')}`, status: 200 }),
  'inviting an owner': async () => ({
    ...{ method: 'POST', path: '/invitations', body: { email: `new-${people++}@people.example`, role: 'owner' }, status: 201 },
  }),
  'leaving as an owner': async () => ({ method: 'DELETE', path: `/me/teams/${service.teamId}`, status: 200 }),
}

describe('needs a confirmation of a person:', () => {
  it.each(Object.entries({ ...ACTS, ...ACTS_OF_PEOPLE }))('%s', async (name, prepare) => {
    const person = await signIn(name.replaceAll(' ', '-'))
    const { method, path, body, status } = await prepare()
    const refused = await as(person, method, path, body)
    expect([refused.status, nameOf(refused)]).toEqual([403, 'confirmation_required'])
    await confirm(person)
    // An invitation mails its link.
    const sent = mails.all.length
    expect((await as(person, method, path, body)).status).toBe(status)
    for (const _mail of mails.all.slice(sent)) await mails.next()
  })

  it.each(Object.entries(ACTS))('%s, but not of a key', async (_name, prepare) => {
    const { method, path, body, status } = await prepare()
    expect((await service.call(method, path, { body })).status).toBe(status)
  })

  it('with the token of /docs, too', async () => {
    const person = await signIn('docs')
    const { method, path } = await (ACTS['deleting a domain'] as () => Promise<Act>)()
    expect(nameOf(await service.call(method, path, { token: person.documentationToken ?? '' }))).toBe('confirmation_required')
  })

  it.each([
    ['a key that only sends', 'POST', '/api-keys', async () => ({ name: 'Key', permission: 'sending_access' })],
    ['an invitation of another role', 'POST', '/invitations', async () => ({ email: 'support@people.example', role: 'support' })],
  ])('not %s', async (_what, method, path, body) => {
    const person = await signIn('without')
    const sent = mails.all.length
    expect((await as(person, method, path, await body())).status).toBe(201)
    for (const _mail of mails.all.slice(sent)) await mails.next()
  })

  it('only where the role allows the act', async () => {
    const viewer = await signInPerson(service, 'viewer', { roles: { [service.teamId]: 'viewer' } })
    const { method, path } = await (ACTS['deleting a domain'] as () => Promise<Act>)()
    expect(nameOf(await as(viewer, method, path))).toBe('invalid_permission')
  })
})

describe('the page that asks', () => {
  it('takes the code, and leads back', async () => {
    const person = await signIn('console')
    const { cookie } = person
    const next = '/console/connect/a-uid'
    const asked = await visit(service, 'GET', `/console/confirm?next=${encodeURIComponent(next)}`, { cookie })
    expect(asked.text).toContain('console@people.example')
    expect((await visit(service, 'POST', '/console/confirm/code', { cookie, form: { next } })).text).toContain('Enter the code')
    const { secret } = await mails.next()
    const wrong = await visit(service, 'POST', '/console/confirm', { cookie, form: { next, code: other(secret) } })
    expect([wrong.status, wrong.text.includes('This is not the code that was mailed last')]).toEqual([422, true])
    expect(await isConfirmed(person)).toBe(false)
    const right = await visit(service, 'POST', '/console/confirm', { cookie, form: { next, code: secret } })
    expect([right.status, right.location]).toEqual([303, next])
    expect(await isConfirmed(person)).toBe(true)
  })

  it('shows no one the page who is not signed in, and leads to no other site', async () => {
    expect((await visit(service, 'GET', '/console/confirm')).location).toContain('/console/sign-in')
    const { cookie } = await signIn('led')
    const seen = await visit(service, 'GET', '/console/confirm?next=https://evil.example/', { cookie })
    expect(seen.text).not.toContain('evil.example')
    const foreign = await visit(service, 'POST', '/console/confirm/code', { cookie, origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
  })
})
