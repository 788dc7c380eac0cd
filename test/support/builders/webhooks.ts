// Webhooks, what happens to them, and reads of their tables.
import { createId } from '../../../src/lib/ids.ts'
import type { TestService } from '../servers/service.ts'

export type NewHook = { id: string; secret: string }

export async function createWebhook(
  { call }: Pick<TestService, 'call'>,
  fields: Record<string, unknown>,
  token?: string,
): Promise<NewHook> {
  const body = { events: ['contact.created'], ...fields }
  const answer = await call('POST', '/webhooks', { body, ...(token !== undefined && { token }) })
  if (answer.status !== 201) throw new Error(`The webhook was not created: ${answer.text}`)
  const { id, signing_secret: secret } = answer.body as { id: string; signing_secret: string }
  return { id, secret }
}

/** Lets this happen, all in one transaction: each a notification about its subject. Returns their ids, in order. */
export async function happen(
  { database, service, teamId }: Pick<TestService, 'database' | 'service' | 'teamId'>,
  subjectIds: string[],
  { team = teamId, type = 'contact.created', data = {} }: { team?: string; type?: string; data?: Record<string, unknown> } = {},
): Promise<string[]> {
  const { clock, wakeWorkers } = service.context
  const ids = subjectIds.map(() => createId(clock))
  await database.execute(
    `insert into notifications (id, team_id, type, subject_id, data, created_at)
     select id, $3::uuid, $4, subject_id, $5::jsonb || jsonb_build_object('id', subject_id), $6::timestamptz from unnest($1::uuid[], $2::uuid[]) as n(id, subject_id) order by id`,
    [ids, subjectIds, team, type, JSON.stringify(data), clock.now()],
  )
  wakeWorkers()
  return ids
}

export const newSubjects = (count: number): string[] => Array.from({ length: count }, () => createId())

export type AttemptRead = { outcome: string | null; httpStatus: number | null; response: string | null; error: string | null }

export const webhookAttemptsOf = ({ database }: Pick<TestService, 'database'>, webhookId: string): Promise<AttemptRead[]> =>
  database.execute<AttemptRead>(
    'select outcome, http_status as "httpStatus", response, error from webhook_attempts where webhook_id = $1 order by id',
    [webhookId],
  )

export const waitingOf = ({ database }: Pick<TestService, 'database'>, webhookId: string): Promise<{ dueAt: Date; failures: number }[]> =>
  database.execute<{ dueAt: Date; failures: number }>(
    'select due_at as "dueAt", failures from webhook_deliveries where webhook_id = $1 order by seq',
    [webhookId],
  )

export const failuresOf = ({ database }: Pick<TestService, 'database'>, webhookId: string): Promise<{ reason: string }[]> =>
  database.execute<{ reason: string }>('select reason from webhook_failures where webhook_id = $1 order by message_id', [webhookId])

export async function readWebhook({ call }: Pick<TestService, 'call'>, id: string): Promise<Record<string, unknown>> {
  return (await call('GET', `/webhooks/${id}`)).body as Record<string, unknown>
}
