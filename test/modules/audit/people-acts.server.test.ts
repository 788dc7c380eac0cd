// What people do on pages and for themselves stands in the audit log too: without it, no one could say who signed in, or who allowed a program.
import { beforeAll, expect, it } from 'vitest'
import { COMMAND_LINE_CLIENT } from '../../../src/cli/accounts/login.ts'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { PASSKEYS_PER_PERSON_MAX } from '../../../src/modules/accounts/passkeys/passkeys.repository.ts'
import { TEAMS_OF_ACT_MAX } from '../../../src/modules/accounts/people/own-acts.ts'
import { createFirstOwnerLink, invite } from '../../../src/modules/accounts/people/people.service.ts'
import { createSignInLink } from '../../../src/modules/accounts/sessions/sessions.service.ts'
import { joinWaiting, verifyChain } from '../../../src/modules/audit/chain.service.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { createAuthenticator, type Options } from '../../support/clients/authenticator.ts'
import { visit } from '../../support/clients/console.ts'
import { authorizeQuery, openBrowser, pkce, post, registerClient } from '../../support/clients/oauth-client.ts'
import { callAs, type SignedInPerson, signInPerson } from '../../support/clients/people.ts'
import { keepInstallationMails, type SentMails } from '../../support/servers/mailed-links.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

let ada: SignedInPerson
let mails: SentMails
beforeAll(async () => {
  mails = keepInstallationMails(service.service.context)
  ada = await signInPerson(service, 'ada', { roles: { [service.teamId]: 'owner', [service.other.teamId]: 'viewer' } })
})

type Row = {
  act: string
  actorKind: string
  actorId: string | null
  name: string
  address: string
  type: string
  target: string
  details: object
}

/** What the work adds to the log of each of the two teams, and of a third. */
async function added(work: () => Promise<unknown>, third?: string): Promise<{ team: Row[]; other: Row[]; third: Row[] }> {
  const ids = new Set((await service.database.execute<{ id: string }>('select id from audit_log')).map(({ id }) => id))
  await work()
  const rows = await service.database.execute<Row & { id: string; teamId: string }>(
    `select id, team_id as "teamId", act, actor_kind as "actorKind", actor_id as "actorId", actor_name as name, address, target_type as type,
      target_id as target, details from audit_log order by id`,
  )
  const of = (teamId: string | undefined) => rows.flatMap(({ id, teamId: its, ...row }) => (its === teamId && !ids.has(id) ? [row] : []))
  return { team: of(service.teamId), other: of(service.other.teamId), third: of(third) }
}

const pathOf = (link: string): string => new URL(link).pathname
const byAda = (act: string) =>
  expect.objectContaining({ act, actorKind: 'person', actorId: ada.id, name: 'ada@people.example', address: '127.0.0.1' })
const as = (method: string, path: string, body?: unknown) => callAs(service, ada, method, path, body)

it('signing in and out stands in the log of each team of the person', async () => {
  const { context } = service.service
  const link = pathOf(await createSignInLink(context, { personId: ada.id }))
  let cookie = ''
  const signedIn = await added(async () => {
    cookie = (await visit(service, 'POST', link)).cookie?.split(';', 1)[0] ?? ''
  })
  expect(signedIn).toEqual({ team: [byAda('console.sign-in')], other: [byAda('console.sign-in')], third: [] })
  const signedOut = await added(() => visit(service, 'POST', '/console/sign-out', { cookie }))
  expect(signedOut).toEqual({ team: [byAda('console.sign-out')], other: [byAda('console.sign-out')], third: [] })
  // No one was signed in, and no one signs in by a link that was used.
  expect(await added(() => visit(service, 'POST', '/console/sign-out', { cookie }))).toEqual({ team: [], other: [], third: [] })
  expect(await added(() => visit(service, 'POST', link))).toEqual({ team: [], other: [], third: [] })
})

it('whose account at an identity provider a person confirms does, too', async () => {
  const identity = { issuer: 'https://id.example', subject: 'ada' }
  const link = pathOf(await createSignInLink(service.service.context, { personId: ada.id, identity }))
  const { team } = await added(() => visit(service, 'POST', link))
  expect(team).toEqual([byAda('console.sign-in.identity'), byAda('console.sign-in')])
})

it('who joins a team by an invitation, or as its first owner, stands in its log, and then that they signed in', async () => {
  const { context } = service.service
  const made = await invite(context, service.teamId, { email: 'new@people.example', role: 'support', invitedBy: 'Ada' })
  if (typeof made === 'string') throw new Error(made)
  const { team } = await added(() => visit(service, 'POST', pathOf(made.link), { form: { name: 'New' } }))
  const person = await context.repositories.persons.findByEmailAcrossTeams('new@people.example')
  const joined = { actorId: person?.id, name: 'new@people.example', actorKind: 'person' }
  expect(team).toEqual([
    expect.objectContaining({
      ...joined,
      act: 'console.invitations.accept',
      type: 'member',
      target: person?.id,
      details: { after: { role: 'support' } },
    }),
    expect.objectContaining({ ...joined, act: 'console.sign-in' }),
  ])

  const fresh = await context.repositories.teams.create('Fresh')
  const link = pathOf(await createFirstOwnerLink(context, fresh.id, DAY_MS))
  const { third } = await added(() => visit(service, 'POST', link, { form: { email: 'first@people.example', name: 'First' } }), fresh.id)
  const first = await context.repositories.persons.findByEmailAcrossTeams('first@people.example')
  expect(third).toEqual([
    expect.objectContaining({
      act: 'console.sign-in.first-owner',
      actorId: first?.id,
      target: first?.id,
      details: { after: { role: 'owner' } },
    }),
    expect.objectContaining({ act: 'console.sign-in', actorId: first?.id }),
  ])
})

it('who allows a program or the command line stands in the log of the team, with what it may do, and no refusal does', async () => {
  const browser = openBrowser(service)
  const [name = '', value = ''] = ada.cookie.split('=', 2)
  browser.cookies.set(name, value)
  const { client_id: clientId = '' } = await registerClient(service)
  const ask = async () =>
    (await browser.go('GET', `/oauth/authorize?${authorizeQuery(clientId, pkce().challenge, { scope: 'contacts:read' })}`)).location
  const decide = async (act: string) => browser.go('POST', await ask(), { act, team: service.teamId, role: 'owner' })
  const allowed = await added(() => decide('allow'))
  expect(allowed).toEqual({
    team: [
      expect.objectContaining({
        ...{ act: 'console.grants.allow', actorId: ada.id, type: 'oauth_grant', target: expect.any(String) },
        details: { after: expect.objectContaining({ scopes: ['contacts:read'] }) },
      }),
    ],
    other: [],
    third: [],
  })
  expect((await added(() => decide('refuse'))).team).toEqual([])

  const { body } = await post(service, '/oauth/device', { client_id: COMMAND_LINE_CLIENT, scope: 'full_access' })
  const userCode = String((body as { user_code?: string }).user_code)
  const device = await added(() =>
    browser.go('POST', '/console/device', { user_code: userCode, act: 'allow', team: service.teamId, role: 'owner' }),
  )
  expect(device.team).toEqual([expect.objectContaining({ act: 'console.grants.allow', type: 'oauth_grant', target: expect.any(String) })])
})

it('every operation of people for themselves does: in each of their teams, or in the one that it names', async () => {
  const session = await signInPerson(service, 'ada')
  const device = createAuthenticator({ origin: new URL(service.service.context.publicUrl).origin })
  const asked = async (path: string) => ((await as('POST', path)).body as { options: Options }).options
  const calls: Record<string, () => Promise<unknown>> = {
    'me.update': () => as('PATCH', '/me', { name: 'Ada L' }),
    'me.confirmation.create': () => as('POST', '/me/confirmation'),
    'me.confirmation.verify': async () => as('POST', '/me/confirmation/verify', { code: (await mails.next()).secret }),
    'me.sessions.delete': () => as('DELETE', `/me/sessions/${session.sessionId}`),
    'me.sessions.delete-batch': () => as('DELETE', '/me/sessions'),
    'me.passkeys.create': async () => {
      await as('POST', '/me/passkeys', { name: 'Laptop', credential: device.create(await asked('/me/passkeys/options')) })
      await mails.next()
    },
    'me.confirmation.passkey.verify': async () =>
      as('POST', '/me/confirmation/passkey/verify', { credential: device.get(await asked('/me/confirmation/passkey')) }),
    'me.passkeys.delete': async () => {
      const { data } = (await as('GET', '/me/passkeys')).body as { data: { id: string }[] }
      return as('DELETE', `/me/passkeys/${data[0]?.id}`)
    },
    'me.team.update': () => as('POST', '/me/team', { team_id: service.other.teamId }),
    'me.teams.delete': () => as('DELETE', `/me/teams/${service.other.teamId}`),
  }
  const declared = service.service.app?.operations.filter(({ access, audit }) => access === 'person' && audit !== 'never')
  expect(declared?.map(({ id }) => id).toSorted()).toEqual(Object.keys(calls).toSorted())
  const found: Record<string, object> = {}
  for (const [name, call] of Object.entries(calls)) found[name] = await added(call)
  const everywhere = (act: string) => ({ team: [byAda(act)], other: [byAda(act)], third: [] })
  const renamed = {
    ...{ act: 'me.update', actorKind: 'person', actorId: ada.id, name: 'ada@people.example', address: '127.0.0.1' },
    ...{ type: 'person', target: ada.id, details: { before: { name: 'ada' }, after: { name: 'Ada L' } } },
  }
  const inTheOther = (act: string) => ({ team: [], other: [byAda(act)], third: [] })
  expect(found).toEqual({
    ...Object.fromEntries(Object.keys(calls).map((act) => [act, everywhere(act)])),
    'me.update': { team: [renamed], other: [renamed], third: [] },
    'me.team.update': inTheOther('me.team.update'),
    'me.teams.delete': inTheOther('me.teams.delete'),
  })
})

it('what someone without a team does for themselves stands nowhere', async () => {
  const loner = await signInPerson(service, 'loner')
  expect((await callAs(service, loner, 'PATCH', '/me', { name: 'Alone' })).status).toBe(200)
  expect(await service.database.execute('select act from audit_log where actor_id = $1', [loner.id])).toEqual([])
})

it('what is refused leaves no row, although it uses up a try or a challenge', async () => {
  const grace = await signInPerson(service, 'grace', { roles: { [service.teamId]: 'owner', [service.other.teamId]: 'viewer' } })
  const asGrace = (path: string, body?: unknown) => callAs(service, grace, 'POST', path, body)
  const nothing = { team: [], other: [], third: [] }
  const addedBy = async (work: () => Promise<unknown>) => {
    const { team, other } = await added(work)
    expect(team.map(({ act, actorId }) => [act, actorId])).toEqual(other.map(({ act, actorId }) => [act, actorId]))
    return team.map(({ act }) => act)
  }
  await asGrace('/me/confirmation')
  const code = mails.all.at(-1)?.secret ?? ''
  const wrong = code === '00000000' ? '00000001' : '00000000'
  for (const refuse of [
    async () => (await asGrace('/me/confirmation/verify', { code: wrong })).status,
    async () => (await visit(service, 'POST', '/console/confirm', { cookie: grace.cookie, form: { code: wrong } })).status,
  ])
    expect(await added(async () => expect(await refuse()).toBe(422))).toEqual(nothing)
  expect(await addedBy(() => asGrace('/me/confirmation/verify', { code }))).toEqual(['me.confirmation.verify'])

  const { origin } = new URL(service.service.context.publicUrl)
  const device = () => createAuthenticator({ origin, counts: true })
  const asked = async (path: string) => ((await asGrace(path)).body as { options: Options }).options
  const [known, options] = [device(), await asked('/me/passkeys/options')]
  const add = (key: typeof known, of: Options) => asGrace('/me/passkeys', { name: 'Key', credential: key.create(of) })
  expect(await addedBy(() => add(known, options))).toEqual(['me.passkeys.create'])
  for (const refused of [options, { ...options, challenge: (await asked('/me/passkeys/options')).challenge }])
    expect(await added(async () => expect((await add(known, refused)).status).toBe(422))).toEqual(nothing)
  for (let count = 1; count < PASSKEYS_PER_PERSON_MAX - 1; count++) await add(device(), await asked('/me/passkeys/options'))
  const both = [await asked('/me/passkeys/options'), await asked('/me/passkeys/options')]
  const last = await addedBy(async () => {
    const answers = await Promise.all(both.map((of) => add(device(), of)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 403])
  })
  expect(last).toEqual(['me.passkeys.create'])

  const confirm = async (wrongly: { counter?: number }) => {
    const credential = known.get(await asked('/me/confirmation/passkey'), wrongly)
    return (await asGrace('/me/confirmation/passkey/verify', { credential })).status
  }
  expect(await addedBy(async () => expect(await confirm({ counter: 5 })).toBe(200))).toEqual(['me.confirmation.passkey.verify'])
  expect(await added(async () => expect(await confirm({ counter: 5 })).toBe(422))).toEqual(nothing)
})

it('no body says in whose log its act stands', async () => {
  const { repositories } = service.service.context
  const { id: strangers } = await repositories.teams.create('Strangers')
  const eve = await signInPerson(service, 'eve', { roles: { [service.other.teamId]: 'viewer' } })
  const rename = (team_id: unknown) => added(() => callAs(service, eve, 'PATCH', '/me', { name: 'Eve', team_id }), strangers)
  const byEve = expect.objectContaining({ act: 'me.update', actorId: eve.id })
  for (const named of [strangers, service.teamId, UNKNOWN_ID, 5, {}, [], true, 'x', null])
    expect(await rename(named), JSON.stringify(named)).toEqual({ team: [], other: [byEve], third: [] })
  const look = (team_id: string) => added(() => callAs(service, eve, 'POST', '/me/team', { team_id }), strangers)
  for (const named of [strangers, UNKNOWN_ID]) expect(await look(named)).toEqual({ team: [], other: [], third: [] })
  expect(await look(service.other.teamId.toUpperCase())).toMatchObject({ team: [], other: [{ act: 'me.team.update' }] })
  // A path may name a team that is not theirs, too.
  expect(await added(() => callAs(service, eve, 'DELETE', `/me/teams/${strangers}`), strangers)).toEqual({ team: [], other: [], third: [] })
})

it('someone in more teams than TEAMS_OF_ACT_MAX stands in the logs of the oldest', async () => {
  const { repositories } = service.service.context
  const agency = await signInPerson(service, 'agency')
  await service.database.execute(
    `with made as (insert into teams (id, name, created_at) select gen_random_uuid(), 'Customer', now() from generate_series(0, $2::int) returning id)
     insert into members (team_id, person_id, role, is_by_groups, created_at) select id, $1, 'admin', false, now() from made`,
    [agency.id, TEAMS_OF_ACT_MAX],
  )
  await callAs(service, agency, 'PATCH', '/me', { name: 'Agency' })
  const teams = await repositories.persons.teamsAcrossTeams(agency.id)
  const recorded = await service.database.execute<{ teamId: string }>('select team_id as "teamId" from audit_log where actor_id = $1', [
    agency.id,
  ])
  expect(teams).toHaveLength(TEAMS_OF_ACT_MAX + 1)
  expect(recorded.map(({ teamId }) => teamId).toSorted()).toEqual(
    teams
      .slice(0, -1)
      .map(({ teamId }) => teamId)
      .toSorted(),
  )
})

it('what the session of a person changes does, with what changed, and what is refused does not', async () => {
  const { id } = (await service.call('POST', '/topics', { body: { name: 'News', default_subscription: 'opt_in' } })).body as { id: string }
  const rename = (name: string) => added(() => callAs(service, ada, 'PATCH', `/topics/${id}`, { name }))
  expect((await rename('Letters')).team).toEqual([
    expect.objectContaining({
      ...{ act: 'topics.update', actorId: ada.id, type: 'topic', target: id },
      details: { before: { name: 'News' }, after: { name: 'Letters' } },
    }),
  ])
  expect((await rename('x'.repeat(300))).team).toEqual([])
})

it('what a person says of a suppression is forgotten with the contact of its address', async () => {
  const email = 'forgotten@example.com'
  const { id } = (await service.call('POST', '/contacts', { body: { email } })).body as { id: string }
  const { body } = await callAs(service, ada, 'POST', '/suppressions', { email })
  const { id: suppression } = body as { id: string }
  await callAs(service, ada, 'DELETE', `/suppressions/${suppression}`)
  const said = () =>
    service.database.execute<{ act: string; details: object | null }>(
      `select act, details from audit_log where target_id = $1 order by id`,
      [suppression],
    )
  expect(await said()).toMatchObject([{ details: { after: { email } } }, { details: { before: { email } } }])
  await service.call('DELETE', `/contacts/${id}`)
  expect((await said()).map(({ details }) => details)).toEqual([null, null])
})

it('what is given out does, although it changes nothing', async () => {
  const { id } = (await service.call('POST', '/contacts', { body: { email: 'ada@example.com' } })).body as { id: string }
  const open = () => callAs(service, ada, 'GET', `/contacts/${id}/export`)
  await service.database.execute('update sessions set confirmed_at = null where id = $1', [ada.sessionId])
  expect((await added(open)).team).toEqual([])
  await service.database.execute('update sessions set confirmed_at = $2 where id = $1', [ada.sessionId, new Date()])
  expect((await added(open)).team).toEqual([expect.objectContaining({ act: 'contacts.export.retrieve', actorId: ada.id, target: id })])
})

it('all of it is in chains that fit', async () => {
  const { repositories, auditKeys } = service.service.context
  for (let joined = -1; joined !== 0; ) ({ joined } = await joinWaiting({ repositories, auditKeys }))
  for (const teamId of [service.teamId, service.other.teamId])
    expect(await verifyChain(repositories, teamId, auditKeys())).toMatchObject({ chainBreak: null, checked: expect.any(Number) })
})
