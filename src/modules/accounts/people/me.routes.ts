// What people do as themselves, whatever their teams: their name, the team that they look at, and where they are signed in.
import { nameTeams } from '../../../db/acts.ts'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { plainResource } from '../../../http/plain-resource.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toList } from '../../../http/resource.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { invalid, notFound } from '../../../lib/failure.ts'
import { pageRequest } from '../../../lib/page-request.ts'
import { EXAMPLE_TIME, WholeListQuery } from '../../../lib/validation/common.schema.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { confirmByCode, mailCode } from '../sessions/confirmation.service.ts'
import { requireConfirmed } from '../sessions/confirmation.ts'
import type { SessionRow } from '../sessions/sessions.repository.ts'
import {
  Confirmation,
  ConfirmationAsked,
  EXAMPLE_ME,
  ME,
  Me,
  MeUpdate,
  MyTeamChoice,
  MyTeamDeletion,
  MyTeamParams,
  OtherSessionsDeletion,
  SESSIONS,
  SessionDeletion,
  SessionList,
  SessionParams,
} from './me.schema.ts'
import { readMe } from './me.service.ts'
import { LAST_OWNER, personName } from './people.service.ts'

type Context = PlatformContext & SecretsContext & AccountsContext

const operation = declareOperations(ME)
const sessionOperation = declareOperations(SESSIONS)
const session = plainResource(SESSIONS, 'session')

export const meRoutes: Routes<Context> = async (app, { context }) => {
  const { repositories, clock } = context
  const { persons, sessions } = repositories

  app.get(
    '/me',
    operation({
      id: 'me.retrieve',
      summary: 'Retrieve yourself',
      description: 'Returns the person who is signed in, with their teams and the role in each.',
      access: 'person',
      audit: 'never',
      reply: { 200: Me },
      example: { reply: EXAMPLE_ME },
    }),
    async ({ person }) => readMe(context, person),
  )

  app.patch(
    '/me',
    operation({
      id: 'me.update',
      summary: 'Change your name',
      description: 'Changes the name of the person who is signed in, in all their teams.',
      access: 'person',
      audit: 'always',
      body: MeUpdate,
      reply: { 200: Me },
      example: { body: { name: 'Ada Lovelace' }, reply: EXAMPLE_ME },
    }),
    async ({ person, body }) => {
      const name = personName(body.name)
      await persons.renameAcrossTeams(person.id, name)
      return readMe(context, { ...person, name })
    },
  )

  app.post(
    '/me/team',
    operation({
      id: 'me.team.update',
      summary: 'Switch the team',
      description:
        'Changes the team that the session looks at: requests without the header `Posthaste-Team` are for it from then on, also in other tabs.',
      access: 'person',
      audit: 'always',
      names: 'Team',
      body: MyTeamChoice,
      reply: { 200: Me },
      example: { body: { team_id: EXAMPLE_ME.team.id }, reply: EXAMPLE_ME },
    }),
    async ({ person, body }) => {
      const teamId = body.team_id.toLowerCase()
      const chosen = (await persons.teamsAcrossTeams(person.id)).find((team) => team.teamId === teamId)
      if (!chosen) throw notFound('Team')
      nameTeams([teamId], clock)
      await sessions.lookAtAcrossTeams(person.sessionId, person.id, teamId)
      return readMe(context, { ...person, team: { id: teamId, name: chosen.teamName, role: chosen.role } })
    },
  )

  app.delete(
    '/me/teams/:team_id',
    operation({
      id: 'me.teams.delete',
      confirms: 'when they are an owner there',
      summary: 'Leave a team',
      description:
        'Ends your membership of a team at once, whatever your role. Programs that you allowed stop working there; API keys that you made belong to the team and keep working. The last owner stays.',
      access: 'person',
      audit: 'always',
      params: MyTeamParams,
      reply: { 200: MyTeamDeletion },
      example: { reply: { object: 'membership', id: EXAMPLE_ME.team.id, deleted: true } },
    }),
    async ({ person, params }) => {
      const id = params.team_id.toLowerCase()
      if ((await persons.roleIn(id, person.id)) === 'owner') requireConfirmed(person, context)
      const removed = await persons.removeMember(id, person.id)
      if (removed === null) throw notFound('Team')
      if (removed === 'lastOwner') throw invalid(LAST_OWNER)
      return { object: 'membership' as const, id, deleted: true }
    },
  )

  app.post(
    '/me/confirmation',
    operation({
      id: 'me.confirmation.create',
      summary: 'Ask for a code',
      description:
        'Mails a code of eight digits to the person, which confirms that it is them. It works once, for 10 minutes and 5 tries, in this session only; a code that was mailed before stops working. At most 5 are mailed within an hour: a 429 after that, and the last one stays, with the tries that it has left. While no mail leaves the installation, the terminal of its start shows the code.',
      access: 'person',
      audit: 'always',
      reply: { 200: ConfirmationAsked },
      example: { reply: { object: 'confirmation', expires_at: EXAMPLE_TIME } },
    }),
    async ({ person, ip }) => ({ object: 'confirmation' as const, expires_at: toTimestamp(await mailCode(context, person, ip)) }),
  )

  app.post(
    '/me/confirmation/verify',
    operation({
      id: 'me.confirmation.verify',
      summary: 'Confirm that it is you',
      description:
        'Takes the code that was mailed. The session may then do for 10 minutes what needs a confirmation: delete a domain, export a contact, change owners, create a key with full access.',
      access: 'person',
      audit: 'always',
      body: Confirmation,
      reply: { 200: Me },
      example: { body: { code: '07346128' }, reply: EXAMPLE_ME },
    }),
    async ({ person, body }) => readMe(context, { ...person, confirmedAt: await confirmByCode(context, person, body.code) }),
  )

  app.get(
    '/me/sessions',
    sessionOperation({
      id: 'me.sessions.list',
      summary: 'List your sessions',
      description: 'Returns where the person is signed in, newest first.',
      access: 'person',
      audit: 'never',
      query: WholeListQuery,
      reply: { 200: SessionList },
      example: { reply: session.examples.list },
    }),
    async ({ person, query }) =>
      toList(await sessions.listOf(person.id, clock.now(), pageRequest(query, 'optional')), toSession(person.sessionId)),
  )

  app.delete(
    '/me/sessions',
    sessionOperation({
      id: 'me.sessions.delete-batch',
      summary: 'End your other sessions',
      description: 'Signs the person out everywhere but in the session of this request, at once.',
      access: 'person',
      audit: 'always',
      reply: { 200: OtherSessionsDeletion },
      example: { reply: { object: 'sessions', deleted: 2 } },
    }),
    async ({ person }) => ({ object: 'sessions' as const, deleted: await sessions.endOthers(person.id, person.sessionId) }),
  )

  app.delete(
    '/me/sessions/:session_id',
    sessionOperation({
      id: 'me.sessions.delete',
      summary: 'End a session',
      description: 'Signs the person out in one browser, at once. It may be that of this request.',
      access: 'person',
      audit: 'always',
      params: SessionParams,
      reply: { 200: SessionDeletion },
      example: { reply: session.examples.deletion },
    }),
    async ({ person, params }) => {
      const id = params.session_id.toLowerCase()
      return session.deletion((await sessions.end(person.id, id)) ? { id } : null)
    },
  )
}

const toSession =
  (currentId: string) =>
  ({ createdAt, usedAt, expiresAt, ...row }: SessionRow) => ({
    ...row,
    is_current: row.id === currentId,
    ...{ created_at: toTimestamp(createdAt), last_used_at: toTimestamp(usedAt), expires_at: toTimestamp(expiresAt) },
  })
