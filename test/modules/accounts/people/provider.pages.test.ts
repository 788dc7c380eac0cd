// Signing in by the operator's identity provider: a real one, over HTTP.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../../../src/config/config.ts'
import { HOUR_MS } from '../../../../src/lib/clock.ts'
import { createId } from '../../../../src/lib/ids.ts'
import { isOperator } from '../../../../src/modules/accounts/people/operators.ts'
import { type Seen, visit } from '../../../support/clients/console.ts'
import { callAs, signInPerson } from '../../../support/clients/people.ts'
import { createMovingClock, type MovingClock } from '../../../support/clocks/clocks.ts'
import { identityProviderVariables, startIdentityProvider, type TestIdentityProvider } from '../../../support/servers/identity-provider.ts'
import { keepInstallationMails } from '../../../support/servers/mailed-links.ts'
import { startTestService, type TestService } from '../../../support/servers/service.ts'

const ANSWER = 'http://localhost:3000/console/sign-in/provider/answer'
const TEAM = createId()

let provider: TestIdentityProvider
let service: TestService
let clock: MovingClock

beforeAll(async () => {
  clock = createMovingClock()
  provider = await startIdentityProvider(ANSWER)
  const groups = `leads=${TEAM}:admin, support=${TEAM}:support, cn=x=${createId()},admins=operator`
  service = await startTestService({ clock, environment: identityProviderVariables(provider.issuer, groups) })
  await service.database.execute(`insert into teams (id, name, created_at) values ($1, '<b>Support', now())`, [TEAM])
  await service.createKey(TEAM)
})
beforeEach(() => {
  provider.account = { sub: 'ada', email: 'Ada@example.com', email_verified: true, groups: ['support', 'others'] }
  provider.answer = null
})
afterAll(async () => {
  await service.close()
  await provider.close()
})

const cookieOf = ({ cookie }: Seen) => cookie?.split(';', 1)[0] ?? ''
const begin = () => visit(service, 'GET', '/console/sign-in/provider')
const pathOf = (address: string) => address.replace('http://localhost:3000', '')
const problemOf = ({ status, text }: Seen) => ({ status, problem: /<h1>[^<]*<\/h1>\n<p>([^<]*)</.exec(text)?.[1] })
const doorsOf = ({ text }: Seen) =>
  [...text.matchAll(/action="([^"]*)">.*?<button[^>]*>Open <bdi>([^<]*)</g)].map(([, path = '', name = '']) => ({ path, name }))

/** All the way to the page with what the person may open. */
async function signIn(): Promise<Seen> {
  const begun = await begin()
  const back = await provider.signInAt(begun.location ?? '')
  return visit(service, 'GET', pathOf(back), { cookie: cookieOf(begun) })
}

const REFUSED = { status: 403, problem: 'The identity provider did not sign you in, or answered too late. Try again.' }
const AWAY = { status: 503, problem: 'The identity provider does not answer at the moment. Try again, or sign in with a link.' }

it('is offered where one is configured, and nowhere else', async () => {
  expect((await visit(service, 'GET', '/console/sign-in')).text).toContain('href="/console/sign-in/provider"')
  const plain = await startTestService()
  expect((await visit(plain, 'GET', '/console/sign-in')).text).not.toContain('provider')
  expect((await visit(plain, 'GET', '/console/sign-in/provider/answer')).cookie).toBeNull()
  await plain.close()
})

describe('someone who signs in there', () => {
  it('opens the teams that their groups are for, by a button that works once', async () => {
    const seen = await signIn()
    expect(seen.status).toBe(200)
    expect(seen.text).toContain('Ada@example.com')
    const [door, ...others] = doorsOf(seen)
    expect({ name: door?.name, others }).toEqual({ name: '&lt;b&gt;Support', others: [] })
    const entered = await visit(service, 'POST', door?.path ?? '')
    expect(entered.location).toBe('/console')
    const sessions = await callAs(service, { cookie: cookieOf(entered) }, 'GET', '/me/sessions')
    expect(sessions.body).toMatchObject({ data: [{ method: 'identity_provider' }] })
    expect((await visit(service, 'POST', door?.path ?? '')).status).toBe(403)
  })

  it('becomes a member of the teams of their groups, the first one their owner, and stays the same person', async () => {
    const { persons } = service.service.context.repositories
    await signIn()
    const ada = await persons.findByEmailAcrossTeams('ada@example.com')
    expect(await persons.roleIn(TEAM, ada?.id ?? '')).toBe('owner')
    provider.account = { sub: 'ben', email: 'ben@example.com', email_verified: true, groups: ['support'] }
    await signIn()
    const ben = await persons.findByEmailAcrossTeams('ben@example.com')
    expect(await persons.roleIn(TEAM, ben?.id ?? '')).toBe('support')
    // The groups end what they made.
    provider.account = { sub: 'ben', email: 'ben@example.com', email_verified: true, groups: [] }
    expect((await signIn()).status).toBe(403)
    expect(await persons.roleIn(TEAM, ben?.id ?? '')).toBeNull()
    // The audit log has who joined and left by them. Someone who stays leaves no row.
    const recorded = await service.database.execute(
      `select actor_name as name, target_id as target, details from audit_log where team_id = $1 and act = 'console.sign-in.groups' order by id`,
      [TEAM],
    )
    expect(recorded).toEqual([
      { name: 'ada@example.com', target: ada?.id, details: { after: { role: 'owner' } } },
      { name: 'ben@example.com', target: ben?.id, details: { after: { role: 'support' } } },
      { name: 'ben@example.com', target: ben?.id, details: { before: { role: 'support' } } },
    ])
  })

  it('has the role of the group that they are in now, and the widest of several', async () => {
    const { persons } = service.service.context.repositories
    const roleWith = async (...groups: string[]) => {
      provider.account = { sub: 'cem', email: 'cem@example.com', email_verified: true, groups }
      await signIn()
      const cem = await persons.findByEmailAcrossTeams('cem@example.com')
      return persons.roleIn(TEAM, cem?.id ?? '')
    }
    provider.account = { sub: 'ada', email: 'ada@example.com', email_verified: true, groups: ['support'] }
    await signIn()
    expect(await roleWith('leads')).toBe('admin')
    expect(await roleWith('support')).toBe('support')
    expect(await roleWith('support', 'leads')).toBe('admin')
    // A role that someone changed here, and an owner, stay.
    const cem = await persons.findByEmailAcrossTeams('cem@example.com')
    await persons.changeRole(TEAM, cem?.id ?? '', 'viewer')
    expect(await roleWith('leads')).toBe('viewer')
    expect(await roleWith()).toBe('viewer')
    const ada = await persons.findByEmailAcrossTeams('ada@example.com')
    expect(await persons.roleIn(TEAM, ada?.id ?? '')).toBe('owner')
  })

  it('looks at no team anymore once they have left its groups', async () => {
    provider.account = { sub: 'dag', email: 'dag@example.com', email_verified: true, groups: ['leads'] }
    const [door] = doorsOf(await signIn())
    const entered = await visit(service, 'POST', door?.path ?? '', { form: { team: TEAM } })
    const looksAt = () =>
      service.database.execute(
        `select s.team_id as team from sessions s join persons p on p.id = s.person_id where p.email = 'dag@example.com'`,
      )
    expect([entered.status, await looksAt()]).toEqual([303, [{ team: TEAM }]])
    provider.account = { sub: 'dag', email: 'dag@example.com', email_verified: true, groups: [] }
    await signIn()
    expect(await looksAt()).toEqual([{ team: null }])
  })

  it('is joined to someone with the same address only after they confirmed it by mail', async () => {
    const mails = keepInstallationMails(service.service.context)
    const { persons } = service.service.context.repositories
    const eve = await persons.ensureAcrossTeams('eve@example.com', 'Eve')
    await persons.addMember(service.teamId, eve.id, 'viewer')
    provider.account = { sub: 'other', email: 'eve@example.com', email_verified: true, groups: ['support'] }
    const seen = await signIn()
    expect([seen.status, doorsOf(seen)]).toEqual([200, []])
    expect(await persons.roleIn(TEAM, eve.id)).toBeNull()
    const mail = await mails.next()
    expect(mail.to).toBe('eve@example.com')
    expect((await visit(service, 'POST', pathOf(mail.secret))).status).toBe(303)
    expect(doorsOf(await signIn()).map(({ name }) => name)).toContain('&lt;b&gt;Support')
  })

  it('does not become the person with the same address if the provider has not verified it', async () => {
    const { persons } = service.service.context.repositories
    await persons.ensureAcrossTeams('root@example.com', 'Root')
    provider.account = { sub: 'liar', email: 'root@example.com', groups: ['support'] }
    expect((await signIn()).status).toBe(200)
    const named = await service.database.execute<{ email: string }>(
      "select email from persons p join person_identities i on i.person_id = p.id where i.subject = 'liar'",
    )
    expect(named).toEqual([{ email: expect.stringMatching(/^[0-9a-f]+@127\.0\.0\.1\.invalid$/) }])
  })

  describe('with the group of operators', () => {
    const answerTo = (entered: Seen, path: string) => callAs(service, { cookie: cookieOf(entered) }, 'GET', path)
    const enter = async (): Promise<Seen> => {
      const [door] = doorsOf(await signIn())
      return visit(service, 'POST', door?.path ?? '')
    }

    it('is an operator for that session, for 12 hours, whether or not they belong to a team', async () => {
      provider.account = { sub: 'root', groups: 'admins' }
      expect(doorsOf(await signIn()).map(({ name }) => name)).toEqual(['Operation'])
      const entered = await enter()
      expect((await answerTo(entered, '/me')).body).toMatchObject({ is_operator: true, team: null })
      expect((await answerTo(entered, '/operation/health')).status).toBe(200)
      expect((await answerTo(entered, '/emails')).status).toBe(403)
      provider.account = { sub: 'root', groups: ['admins', 'support'] }
      expect(doorsOf(await signIn()).map(({ name }) => name)).toEqual(['&lt;b&gt;Support'])
      const inTeam = await enter()
      expect((await answerTo(inTeam, '/me')).body).toMatchObject({ is_operator: true, team: { id: TEAM } })
      // A session that is used does not end.
      clock.advance(11 * HOUR_MS)
      expect((await answerTo(inTeam, '/operation/health')).status).toBe(200)
      clock.advance(HOUR_MS)
      expect((await answerTo(inTeam, '/operation/health')).status).toBe(404)
      expect((await answerTo(inTeam, '/me')).body).toMatchObject({ is_operator: false, team: { id: TEAM } })
    })

    it('is none in a session that begins without it, nor by a link', async () => {
      provider.account = { sub: 'ops', email: 'ops@example.com', email_verified: true, groups: ['admins', 'support'] }
      await enter()
      provider.account = { sub: 'ops', email: 'ops@example.com', email_verified: true, groups: ['support'] }
      expect((await answerTo(await enter(), '/me')).body).toMatchObject({ is_operator: false })
      const ops = await signInPerson(service, 'ops')
      expect((await callAs(service, ops, 'GET', '/me')).body).toMatchObject({ is_operator: false })
    })

    it('is none anymore once OIDC_GROUPS has no such group', async () => {
      const isOperatorWith = (groups: string) =>
        isOperator(readConfig({ ...identityProviderVariables(provider.issuer, groups) }), { email: 'a@b.example', isOperatorByGroup: true })
      expect([isOperatorWith('admins=operator'), isOperatorWith(`admins=${TEAM}`)]).toEqual([true, false])
    })
  })

  it('opens operation as a person of OPERATORS, whatever their groups', async () => {
    const other = await startIdentityProvider(ANSWER)
    const environment = { ...identityProviderVariables(other.issuer, `support=${TEAM}`), OPERATORS: 'olga@example.com' }
    const asking = await startTestService({ environment })
    const { persons } = asking.service.context.repositories
    const olga = await persons.ensureAcrossTeams('olga@example.com', 'Olga')
    await persons.addIdentityAcrossTeams(olga.id, { issuer: other.issuer, subject: 'olga' })
    other.account = { sub: 'olga' }
    const begun = await visit(asking, 'GET', '/console/sign-in/provider')
    const seen = await visit(asking, 'GET', pathOf(await other.signInAt(begun.location ?? '')), { cookie: cookieOf(begun) })
    expect(doorsOf(seen).map(({ name }) => name)).toEqual(['Operation'])
    await asking.close()
    await other.close()
  })

  it.each([[undefined], [[]], [['Support', 'support ', 'admin']], [{ support: true }], [[['support']]], ['']])(
    'opens nothing with the groups %j',
    async (groups) => {
      provider.account = { sub: 'eve', ...(groups !== undefined && { groups }) }
      expect(problemOf(await signIn())).toEqual({
        status: 403,
        problem: 'Your account is not in a group that may sign in here. Ask your operator.',
      })
    },
  )
})

it('leads to the page that was asked for, which no one else can name', async () => {
  const open = async (next: string) => {
    provider.account.groups = ['support', 'admins']
    const begun = await visit(service, 'GET', `/console/sign-in/provider?${new URLSearchParams({ next })}`)
    const back = await provider.signInAt(begun.location ?? '')
    const seen = await visit(service, 'GET', pathOf(back), { cookie: cookieOf(begun) })
    const path = /action="([^"]*)"/.exec(seen.text)?.[1] ?? ''
    const form = { next: /name="next" value="([^"]*)"/.exec(seen.text)?.[1] ?? '' }
    return (await visit(service, 'POST', path, { form })).location
  }
  expect(await open('/console/logs?status=404')).toBe('/console/logs?status=404')
  expect(await open('//evil.example/console')).toBe('/console')
  const page = await visit(service, 'GET', '/console/sign-in?next=/console/logs')
  expect(page.text).toContain('href="/console/sign-in/provider?next=%2Fconsole%2Flogs"')
})

describe('an answer', () => {
  it('is taken from the browser that asked only', async () => {
    const [mine, theirs] = [await begin(), await begin()]
    const back = pathOf(await provider.signInAt(mine.location ?? ''))
    expect(problemOf(await visit(service, 'GET', back))).toEqual(REFUSED)
    expect(problemOf(await visit(service, 'GET', back, { cookie: cookieOf(theirs) }))).toEqual(REFUSED)
  })

  it('is taken once', async () => {
    const begun = await begin()
    const back = pathOf(await provider.signInAt(begun.location ?? ''))
    const first = await visit(service, 'GET', back, { cookie: cookieOf(begun) })
    expect(first.status).toBe(200)
    expect(first.cookie).toMatch(/^posthaste-sign-in=; Max-Age=0/)
    expect(problemOf(await visit(service, 'GET', back, { cookie: cookieOf(begun) }))).toEqual(REFUSED)
  })

  it('is refused when it was changed, comes too late, or says that the person was not signed in', async () => {
    const begun = await begin()
    const cookie = cookieOf(begun)
    const back = pathOf(await provider.signInAt(begun.location ?? ''))
    for (const path of [
      back.replace(/state=[^&]*/, 'state=x'),
      back.replace(/code=[^&]*/, 'code=x'),
      '/console/sign-in/provider/answer?error=access_denied',
    ])
      expect(problemOf(await visit(service, 'GET', path, { cookie }))).toEqual(REFUSED)
    clock.advance(10 * 60_000)
    expect(problemOf(await visit(service, 'GET', back, { cookie }))).toEqual(REFUSED)
  })

  it('is bound to its browser by a cookie that scripts cannot read, and that opens nothing', async () => {
    const { cookie, location } = await begin()
    expect(cookie).toMatch(/^posthaste-sign-in=[\w.-]+; Max-Age=600; Path=\/console\/sign-in; HttpOnly; SameSite=Lax$/)
    const asked = new URL(location ?? '').searchParams
    expect(asked.get('code_challenge_method')).toBe('S256')
    const token = cookie?.split(';', 1)[0]?.split('=')[1] ?? ''
    expect((await callAs(service, { cookie: `posthaste-console=${token}` }, 'GET', '/me')).status).toBe(401)
  })
})

describe('while the provider is away', () => {
  it('says so, and the other ways stay', async () => {
    const begun = await begin()
    const back = pathOf(await provider.signInAt(begun.location ?? ''))
    provider.answer = (path) => (path === '/token' ? 502 : null)
    expect(problemOf(await visit(service, 'GET', back, { cookie: cookieOf(begun) }))).toEqual(AWAY)
    expect((await visit(service, 'POST', '/console/sign-in', { form: { email: 'ada@example.com' } })).status).toBe(200)
  })

  it('says so where nothing listens, and signs in once it is back', async () => {
    const lone = await startTestService({ environment: identityProviderVariables('http://127.0.0.1:9', 'a=operator') })
    expect(problemOf(await visit(lone, 'GET', '/console/sign-in/provider'))).toEqual(AWAY)
    await lone.close()
    expect((await signIn()).status).toBe(200)
  })
})

it('asks for groups that the ID token does not name', async () => {
  const other = await startIdentityProvider(ANSWER, { groupsIn: 'userinfo' })
  const asking = await startTestService({ environment: identityProviderVariables(other.issuer, 'admins=operator') })
  other.account = { sub: 'root', groups: ['admins'] }
  const begun = await visit(asking, 'GET', '/console/sign-in/provider')
  const seen = await visit(asking, 'GET', pathOf(await other.signInAt(begun.location ?? '')), { cookie: cookieOf(begun) })
  expect(doorsOf(seen).map(({ name }) => name)).toEqual(['Operation'])
  await asking.close()
  await other.close()
})
