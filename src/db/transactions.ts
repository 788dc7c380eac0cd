// Locks on rows until the transaction ends; in SQL, because Prisma has none.
import { setTimeout as sleep } from 'node:timers/promises'
import { isId } from '../lib/ids.ts'
import type { TeamLimit } from '../lib/limits/team-limit.ts'
import { type Execute, statement } from './database.ts'
import { isDeadlock } from './database-errors.ts'

const TRIES = 5
const PAUSE_MS = 100

/** Retries a transaction that PostgreSQL has ended because it and another waited for each other. Nothing of it was done. */
export async function againAfterDeadlock<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let triesLeft = TRIES; ; triesLeft -= 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!isDeadlock(error) || triesLeft <= 1) throw error
    }
    // Lets the other one finish first, or both would wait for each other again.
    await sleep(PAUSE_MS)
  }
}

type LockedTable = 'automations' | 'broadcasts' | 'contact_properties' | 'domains' | 'segments' | 'templates' | 'topics' | 'webhooks'

/** No other team is created. */
export const lockTeams = (execute: Execute) => execute('lock table teams in share row exclusive mode')

/** Who counts what a team has before adding to it does so one at a time: two that come together must not both count the place that is left. */
export const lockTeam = (execute: Execute, teamId: string) => execute('select from teams where id = $1 for no key update', [teamId])

/** Before a record of a team is added. @throws Failure if it has as many as it may have, which undoes the transaction. */
export async function lockTeamWithin(execute: Execute, teamId: string, { limit, count }: Room): Promise<void> {
  await lockTeam(execute, teamId)
  if ((await count()) >= limit.max) throw limit.failure()
}

type Room = { limit: TeamLimit; count: () => PromiseLike<number> }

/** No other team becomes the owner of the name. */
export const lockDomainName = (execute: Execute, name: string) =>
  execute('select pg_advisory_xact_lock(hashtextextended($1, 0))::text', [`domain ${name}`])

/** Replays of a webhook come one after the other, so that each sees when those before are due. Its row stays free for what is being sent. */
export const lockReplays = (execute: Execute, webhookId: string): Promise<unknown[]> =>
  execute('select pg_advisory_xact_lock(hashtextextended($1, 0))::text', [`replays of webhook ${webhookId}`])

/** No other transaction adds up or corrects the counts of emails. False if one does, unless this one `waits` for it. */
export async function lockEmailCounts(execute: Execute, { waits }: { waits: boolean }): Promise<boolean> {
  if (waits) await execute('select pg_advisory_xact_lock(hashtextextended($1, 0))::text', [EMAIL_COUNTS])
  const [row] = await execute<{ isLocked: boolean }>('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as "isLocked"', [
    EMAIL_COUNTS,
  ])
  return row?.isLocked ?? false
}

const EMAIL_COUNTS = 'email counts'

/** No other transaction tells automations what happened. False if one does. */
export async function lockDispatching(execute: Execute): Promise<boolean> {
  const [row] = await execute<{ isLocked: boolean }>('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as "isLocked"', [TELLING])
  return row?.isLocked ?? false
}

const TELLING = 'telling automations'

/** No other transaction changes or deletes these domains. Returns those that exist. Before `lockDomainName`, and always in the same order. For workers only. */
export async function lockDomainsAcrossTeams(execute: Execute, ids: string[]): Promise<Set<string>> {
  const rows = await execute<{ id: string }>('select id from domains where id = any($1::uuid[]) order by id for update', [ids])
  return new Set(rows.map(({ id }) => id))
}

/**
 * No other transaction ends the access of a token, or uses one of its refresh tokens. Returns the id of its grant; null if it has ended. It crosses
 * teams: the token is the credential.
 */
export async function lockGrantAcrossTeams(execute: Execute, { kind, digest }: { kind: string; digest: string }): Promise<string | null> {
  const [grant] = await execute<{ id: string }>(LOCK_GRANT, [kind, digest])
  return grant?.id ?? null
}

const LOCK_GRANT = statement(
  'lock_grant_of_token',
  `select id from oauth_grants where id = (select grant_id from oauth_records where kind = $1 and digest = $2) and revoked_at is null
      for no key update`,
)

/** No other transaction changes, deletes or refers to it. Null if the team has no such row. */
export async function lockRow(execute: Execute, table: LockedTable, teamId: string, id: string): Promise<{ id: string } | null> {
  const [row] = await execute<{ id: string }>(`select id from ${table} where team_id = $1 and id = $2 for update`, [teamId, id])
  return row ?? null
}

/**
 * Which of these ids are rows of the team. A shared lock: others may hold it too, and a transaction that deletes a row waits. Always in the same order, so that no two wait for
 * each other.
 */
export async function lockRowsShared(execute: Execute, table: LockedTable, teamId: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await execute<{ id: string }>(
    `select id from ${table} where team_id = $1 and id = any($2::uuid[]) order by id for key share`,
    [teamId, ids],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Whether the team has all of these templates, each named by its id or its alias. A shared lock. */
export async function lockTemplatesShared(execute: Execute, teamId: string, references: readonly string[]): Promise<boolean> {
  if (references.length === 0) return true
  const ids = references.filter(isId).map((id) => id.toLowerCase())
  const aliases = references.filter((reference) => !isId(reference))
  const found = await execute<{ id: string; alias: string | null }>(LOCK_TEMPLATES, [teamId, ids, aliases])
  return ids.every((id) => found.some((row) => row.id === id)) && aliases.every((alias) => found.some((row) => row.alias === alias))
}

const LOCK_TEMPLATES = `
select id, alias from templates where team_id = $1 and (id = any($2::uuid[]) or alias = any($3::text[])) order by id for key share`
