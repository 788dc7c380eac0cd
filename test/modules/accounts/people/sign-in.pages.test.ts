import { beforeAll, describe, expect, it, vi } from 'vitest'
import { digestToken } from '../../../../src/lib/ids.ts'
import { createFirstOwnerLink, invite } from '../../../../src/modules/accounts/people/people.service.ts'
import { firstOwnerPage } from '../../../../src/modules/accounts/people/sign-in-page.ts'
import { createSignInLink } from '../../../../src/modules/accounts/sessions/sessions.service.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { type Seen, signIn, signInAs, visit } from '../../../support/clients/console.ts'
import { callAs } from '../../../support/clients/people.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { keepInstallationMails, type SentMails } from '../../../support/servers/mailed-links.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const HOUR_MS = 60 * 60 * 1_000
const DAY_MS = 24 * HOUR_MS

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))

let mails: SentMails
let personId: string
beforeAll(async () => {
  mails = keepInstallationMails(service.service.context)
  const { persons } = service.service.context.repositories
  personId = (await persons.ensureAcrossTeams('ada@people.example', 'Ada')).id
  await persons.addMember(service.teamId, personId, 'owner')
})

/** A one-time link as its path. */
const linkFor = async (options: { forMs?: number; browserSecret?: string } = {}) =>
  new URL(await createSignInLink(service.service.context, { personId, ...options })).pathname
const cookieOf = ({ cookie }: Seen) => cookie?.split(';', 1)[0] ?? null
const pathOf = (address: string) => new URL(address).pathname

const where = ({ status, location }: { status: number; location: string | null }) => ({ status, location })
const refusal = ({ status, cookie, text }: Seen) => ({ status, cookie, problem: /role="alert">([^<]*)</.exec(text)?.[1] })
const titleOf = ({ text }: Seen) => /<h1>(.*?)<\/h1>/.exec(text)?.[1]
const USED_UP = 'This link was used already or has expired. Ask for a new one.'
const opens = async (cookie: string | null, from: typeof service = service) =>
  (await callAs(from, { cookie: cookie ?? '' }, 'GET', '/me')).status === 200

describe('a page of the console', () => {
  it('is the same for everyone: what a person may see is read by operations', async () => {
    const [of, ...others] = await Promise.all(
      [await signIn(service), null].flatMap((cookie) =>
        ['/console', '/console/', `/console/emails/${UNKNOWN_ID}`, '/console/emails?q=a%3Bb', '/console/none'].map((path) =>
          visit(service, 'GET', path, { cookie }),
        ),
      ),
    )
    const pageOf = (seen: Seen | undefined) =>
      seen && { status: seen.status, text: seen.text.replaceAll(/nonce="[^"]*"|content="[\w-]{24}"/g, '') }
    expect(of?.text).toContain('<div id="root">')
    for (const other of others) expect(pageOf(other)).toEqual({ ...pageOf(of), status: 200 })
  })
})

describe('asking for a link', () => {
  const ask = (email: string, next?: string) =>
    visit(service, 'POST', '/console/sign-in', { form: { email, ...(next !== undefined && { next }) } })

  it('mails one to a person, which signs in once in the browser that asked, and leads to the page that was asked for', async () => {
    const asked = await ask(' Ada@People.example', '/console/logs?status=404')
    expect([asked.status, titleOf(asked)]).toEqual([200, 'Check your email'])
    const mail = await mails.next()
    expect(mail).toMatchObject({ to: 'ada@people.example', subject: 'Sign in', expiresAt: new Date(clock.now().getTime() + 15 * 60_000) })
    expect(mail.text).toContain(mail.secret)
    const path = pathOf(mail.secret)
    const opened = await visit(service, 'GET', path, { cookie: cookieOf(asked) })
    expect(opened.text).toContain('signs you in as <b><bdi>ada@people.example</bdi></b>')
    expect(opened.text).not.toContain('This is not the browser')
    const entered = await visit(service, 'POST', path, { cookie: cookieOf(asked) })
    expect(where(entered)).toEqual({ status: 303, location: '/console/logs?status=404' })
    expect((await visit(service, 'POST', path, { cookie: cookieOf(asked) })).status).toBe(403)
  })

  it('warns in another browser, and signs in there only when it is pressed a second time', async () => {
    await ask('ada@people.example')
    const path = pathOf((await mails.next()).secret)
    expect((await visit(service, 'GET', path)).text).toContain('This is not the browser that asked for the link.')
    const first = await visit(service, 'POST', path)
    expect({ status: first.status, cookie: first.cookie }).toEqual({ status: 200, cookie: null })
    expect((await visit(service, 'POST', path, { form: { other_browser: 'yes' } })).status).toBe(303)
  })

  it('is on its way before the service has stopped', async () => {
    const stopping = await startTestService()
    const { installationMails, repositories } = stopping.service.context
    await repositories.persons.ensureAcrossTeams('late@people.example', 'Late')
    const happened: string[] = []
    installationMails.send = async () => {
      // Longer than stopping takes.
      for (let rounds = 0; rounds < 2_000; rounds += 1) await new Promise(setImmediate)
      happened.push('sent')
      return null
    }
    await visit(stopping, 'POST', '/console/sign-in', { form: { email: 'late@people.example' } })
    await stopping.close()
    happened.push('stopped')
    expect(happened).toEqual(['sent', 'stopped'])
  })

  it('answers the same for an address that no one has', async () => {
    const [known, unknown] = [await ask('ada@people.example'), await ask('eve@people.example')]
    const same = ({ status, text, cookie }: Seen) => ({
      status,
      text: text.replaceAll(/(?:ada|eve)@/g, '@'),
      cookie: cookie?.replace(/=[^;]*/, ''),
    })
    expect(same(unknown)).toEqual(same(known))
    await mails.next()
    expect(mails.all.some(({ to }) => to === 'eve@people.example')).toBe(false)
  })

  it.each(['', 'ada', 'a@b@c', 'ada@people.example, eve@people.example', '"><img src=x onerror=alert(1)>'])(
    'refuses %j, and does not repeat it',
    async (email) => {
      const seen = await ask(email)
      expect(refusal(seen)).toEqual({
        status: 422,
        cookie: null,
        problem: 'This is not an email address: enter one such as ada@example.com.',
      })
      expect(seen.text).not.toContain('onerror')
    },
  )

  it('makes links of PUBLIC_URL, whatever the host that was asked', async () => {
    await visit(service, 'POST', '/console/sign-in', { origin: 'http://localhost:3000', form: { email: 'ada@people.example' } })
    expect((await mails.next()).secret).toMatch(/^http:\/\/localhost:3000\/console\/sign-in\/[\w-]{43}$/)
  })
})

describe('a link that signs in once', () => {
  it('is not used up by being opened, signs in once by its button, and never again', async () => {
    const link = await linkFor()
    const opened = await visit(service, 'GET', link)
    expect({ status: opened.status, cookie: opened.cookie, referrer: opened.headers.get('referrer-policy') }).toEqual({
      status: 200,
      cookie: null,
      referrer: 'no-referrer',
    })

    const used = await visit(service, 'POST', link)
    expect(where(used)).toEqual({ status: 303, location: '/console' })
    expect(used.cookie).toMatch(/^posthaste-console=1\.[\w-]+\.[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(await opens(cookieOf(used))).toBe(true)
    for (const method of ['GET', 'POST'] as const) {
      const again = await visit(service, method, link)
      expect([again.status, again.cookie, again.text.includes(USED_UP)]).toEqual([403, null, true])
    }
  })

  it('counts as no failed credential when it signs in, nor does an invitation or a first owner', async () => {
    const { context } = service.service
    const counted = vi.spyOn(context.keyRecognition, 'countFailure')
    const invited = await invite(context, service.teamId, { email: 'joins@people.example', role: 'viewer', invitedBy: 'Ada' })
    if (typeof invited === 'string') throw new Error(invited)
    const team = await context.repositories.teams.create('Fresh')
    const first = pathOf(await createFirstOwnerLink(context, team.id, HOUR_MS))
    const used = [
      await visit(service, 'POST', await linkFor()),
      await visit(service, 'POST', pathOf(invited.link), { form: { name: 'Joins' } }),
      await visit(service, 'POST', first, { form: { email: 'first@fresh.example', name: 'First' } }),
    ]
    expect(used.map(({ status }) => status)).toEqual([303, 303, 303])
    // What would follow the answers has happened once a link that does not work is counted.
    expect((await visit(service, 'POST', first)).status).toBe(403)
    expect(counted).toHaveBeenCalledOnce()
    counted.mockRestore()
  })

  it('signs in exactly one of several that use it at the same moment', async () => {
    const link = await linkFor()
    const seen = await Promise.all(Array.from({ length: 4 }, () => visit(service, 'POST', link)))
    expect(seen.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(seen.filter(({ status, cookie }) => status === 403 && cookie === null)).toHaveLength(3)
  })

  it('is void after 15 minutes', async () => {
    const [old, late] = [await linkFor(), await linkFor()]
    clock.advance(15 * 60_000 - 1)
    expect((await visit(service, 'POST', old)).status).toBe(303)
    clock.advance(1)
    expect((await visit(service, 'POST', late)).status).toBe(403)
  })

  it('is stored as a digest only, as are sessions: nothing in the database opens anything', async () => {
    const link = await linkFor()
    const cookie = cookieOf(await visit(service, 'POST', await linkFor())) ?? ''
    const { secret } = service.service.context.links.open('session', cookie.slice(cookie.indexOf('=') + 1))
    const tables = await service.database.execute<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    )
    const rows: string[] = []
    for (const { name } of tables)
      rows.push(...(await service.database.execute<{ row: string }>(`select t::text as row from "${name}" t`)).map(({ row }) => row))
    const all = rows.join('\n')
    expect(all).toContain(digestToken(String(secret)))
    for (const token of [String(secret), link.split('/').at(-1) ?? '', cookie.slice(cookie.indexOf('=') + 1)])
      expect(all).not.toContain(token)
  })
})

describe('the first owner', () => {
  const teamWithKey = async () => {
    const team = await service.service.context.repositories.teams.create('<b>New')
    return { teamId: team.id, token: await service.createKey(team.id) }
  }
  const byKey = (api_key: string) => visit(service, 'POST', '/console/sign-in/key', { form: { api_key } })
  const asOwner = { email: 'first@people.example', name: 'First' }

  it('is who opens the link of the first start, and gives an address and a name', async () => {
    const { teamId } = await teamWithKey()
    const link = pathOf(await createFirstOwnerLink(service.service.context, teamId, DAY_MS))
    expect((await visit(service, 'GET', link)).text).toContain('You become the owner of the team <b><bdi>&lt;b&gt;New</bdi></b>.')
    const wrong = await visit(service, 'POST', link, { form: { email: 'x', name: 'First' } })
    expect(wrong.text).toContain('Mail does not leave this installation (<code>DELIVERY=capture</code>). To sign in later, run ')
    expect(firstOwnerPage({ token: 'x', teamName: 'New', isMailed: true }).main.toString()).toContain(
      'are mailed to your address from then on',
    )
    expect(wrong.status).toBe(422)
    const entered = await visit(service, 'POST', link, { form: asOwner })
    expect(where(entered)).toEqual({ status: 303, location: '/console' })
    expect(await service.service.context.repositories.persons.ownersOf(teamId)).toMatchObject([{ email: 'first@people.example' }])
    expect((await visit(service, 'POST', link, { form: asOwner })).status).toBe(403)
  })

  it('is not signed in by that link if the address belongs to someone already', async () => {
    const { context } = service.service
    const { persons } = context.repositories
    const { id } = await persons.ensureAcrossTeams('elsewhere@people.example', 'Elsewhere')
    const { id: teamId } = await context.repositories.teams.create('Without owner')
    const link = pathOf(await createFirstOwnerLink(context, teamId, HOUR_MS))
    const seen = await visit(service, 'POST', link, { form: { email: 'elsewhere@people.example', name: 'Eve' } })
    expect({ status: seen.status, cookie: seen.cookie }).toEqual({ status: 200, cookie: null })
    expect(await persons.roleIn(teamId, id)).toBe('owner')
  })

  it('may be who has a key with full access, while the team has no owner', async () => {
    const { teamId, token } = await teamWithKey()
    const sendingToken = await service.createKey(teamId, 'sending_access')
    expect(refusal(await byKey(sendingToken)).problem).toBe('This API key may only send emails. Use one with full access.')
    const led = await byKey(` ${token}\n`)
    expect(led.status).toBe(303)
    const entered = await visit(service, 'POST', led.location ?? '', { form: { email: 'by-key@people.example', name: 'First' } })
    expect(entered.status).toBe(303)
    expect(await byKey(token)).toMatchObject({ status: 403, cookie: null })
  })

  it.each([`re_${'x'.repeat(30)}`, "' or 1=1 --", '', 're_"><img src=x onerror=alert(1)>xxxx'])(
    'is not who has the key %j',
    async (key) => {
      const seen = await byKey(key)
      expect(refusal(seen)).toEqual({ status: 403, cookie: null, problem: 'This API key is not valid. It may have been deleted.' })
      expect(seen.text).not.toContain('onerror')
    },
  )
})

describe('an invitation', () => {
  it('makes its address a member, once, and no other', async () => {
    const made = await invite(service.service.context, service.teamId, {
      email: 'new@people.example',
      role: 'support',
      invitedBy: '<i>Ada',
    })
    if (typeof made === 'string') throw new Error(made)
    const path = pathOf(made.link)
    expect((await visit(service, 'GET', path)).text).toContain('&lt;i&gt;Ada')
    expect((await visit(service, 'POST', path, { form: { name: ' ' } })).status).toBe(422)
    const joined = await visit(service, 'POST', path, { form: { name: 'New', email: 'eve@people.example' } })
    expect(where(joined)).toEqual({ status: 303, location: '/console' })
    const { persons } = service.service.context.repositories
    const person = await persons.findByEmailAcrossTeams('new@people.example')
    expect(await persons.roleIn(service.teamId, person?.id ?? '')).toBe('support')
    expect(await persons.findByEmailAcrossTeams('eve@people.example')).toBeNull()
    expect((await visit(service, 'POST', path, { form: { name: 'Again' } })).status).toBe(403)
  })

  it('makes someone who is here already a member, and signs in only the browser that is theirs', async () => {
    const { context } = service.service
    const { persons, sessions } = context.repositories
    const { id } = await persons.ensureAcrossTeams('known@people.example', 'Known')
    const invited = async () => {
      const { id: teamId } = await context.repositories.teams.create('Second <b>team')
      const made = await invite(context, teamId, { email: 'known@people.example', role: 'viewer', invitedBy: 'Ada' })
      if (typeof made === 'string') throw new Error(made)
      return { teamId, path: pathOf(made.link) }
    }
    const sessionsOf = async () => (await sessions.listOf(id, clock.now(), { limit: 100, after: null, before: null })).rows.length
    const own = cookieOf(await visit(service, 'POST', new URL(await createSignInLink(context, { personId: id })).pathname))
    const other = await signInAs(context, service.teamId, 'viewer')
    const before = await sessionsOf()

    for (const cookie of [null, other]) {
      const { teamId, path } = await invited()
      expect((await visit(service, 'GET', path)).text).not.toContain('name="name"')
      const joined = await visit(service, 'POST', path, { cookie, form: { name: 'Another name' } })
      expect({ status: joined.status, cookie: joined.cookie }).toEqual({ status: 200, cookie: null })
      expect(joined.text).toContain('You are a member of <bdi>Second &lt;b&gt;team</bdi> now')
      expect(joined.text).toContain('name="email" value="known@people.example"')
      expect(await persons.roleIn(teamId, id)).toBe('viewer')
    }
    const { teamId, path } = await invited()
    const entered = await visit(service, 'POST', path, { cookie: own })
    expect({ ...where(entered), cookie: entered.cookie }).toEqual({ status: 303, location: '/console', cookie: null })
    expect(await persons.roleIn(teamId, id)).toBe('viewer')
    expect(await sessionsOf()).toBe(before)
    expect(await persons.findAcrossTeams(id)).toMatchObject({ name: 'Known' })
  })

  it('is void after seven days, when revoked, and when it is forged', async () => {
    const { context } = service.service
    const made = await invite(context, service.teamId, { email: 'late@people.example', role: 'owner', invitedBy: 'Ada' })
    const revoked = await invite(context, service.teamId, { email: 'off@people.example', role: 'owner', invitedBy: 'Ada' })
    if (typeof made === 'string' || typeof revoked === 'string') throw new Error('Not invited')
    await context.repositories.invitations.deleteInvitation(service.teamId, revoked.invitation.id)
    clock.advance(7 * DAY_MS)
    for (const path of [pathOf(made.link), pathOf(revoked.link), '/console/invitations/forged'])
      expect((await visit(service, 'POST', path, { form: { name: 'x' } })).text).toContain(
        'This invitation was accepted or revoked, or has expired.',
      )
  })
})

describe('a form that another site sends', () => {
  it.each([
    ['from another origin', 'https://evil.example'],
    ['from another port of the same name', 'http://127.0.0.1:1'],
    ['from a page of no origin', 'null'],
    ['without an origin', null],
    ['from what is no URL', 'evil'],
  ])('is refused %s, on every form', async (_from, origin) => {
    const link = await linkFor()
    const cookie = await signIn(service)
    for (const path of ['/console/sign-in', '/console/sign-in/key', '/console/sign-out', '/console/invitations/x', link]) {
      const seen = await visit(service, 'POST', path, { origin, cookie, form: { email: 'ada@people.example' } })
      expect({ status: seen.status, cookie: seen.cookie }).toEqual({ status: 403, cookie: null })
      expect(seen.text).toContain('This form was not sent from a page of ours.')
    }
    // Nothing of it was carried out.
    expect((await visit(service, 'POST', link)).status).toBe(303)
  })
})

describe('where PUBLIC_URL is https', () => {
  const secure = shared(() => startTestService({ environment: { PUBLIC_URL: 'https://mail.example.com' } }))

  it('begins a session whose cookie has the __Host- prefix and Secure, and forgets it by the same name', async () => {
    const origin = 'https://mail.example.com'
    const link = pathOf(await createFirstOwnerLink(secure.service.context, secure.teamId, DAY_MS))
    const entered = await visit(secure, 'POST', link, { origin, form: { email: 'ada@people.example', name: 'Ada' } })
    expect(entered.cookie).toMatch(/^__Host-posthaste-console=[\w.-]+; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
    const cookie = cookieOf(entered)
    expect(await opens(cookie, secure)).toBe(true)
    const left = await visit(secure, 'POST', '/console/sign-out', { origin, cookie })
    expect(left.cookie).toBe(
      '__Host-posthaste-console=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Strict',
    )
    expect(await opens(cookie, secure)).toBe(false)
  })
})

it('lets no one sign in without TLS beyond this machine, and says why', async () => {
  const bare = await startTestService({ environment: { PUBLIC_URL: 'http://mail.example.com' } })
  for (const method of ['GET', 'POST'] as const) {
    const seen = await visit(bare, method, '/console/sign-in', { origin: 'http://mail.example.com' })
    expect([seen.status, seen.text.includes('The address of this service is not secure')]).toEqual([403, true])
  }
  await bare.close()
})
