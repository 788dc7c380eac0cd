// Webhooks, what happens to them, and reads of their tables.

import { expect } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { until } from '../clocks/until.ts'
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

// The feed of a webhook, as its readers see it.

export type Feed = { object: 'list'; has_more: boolean; data: FeedEvent[]; next: string }
type FeedEvent = { id: string; type: string; created_at: string; payload: { type: string; data: { name: string } } | null }
type Query = Record<string, string | number>
type Service = Pick<TestService, 'call'>

/** A feed of created topics, without an endpoint. Returns the id of its webhook. */
export async function createFeed(service: Service, fields: Record<string, unknown> = {}): Promise<string> {
  const { id } = await createWebhook(service, { endpoint: null, events: ['topic.created'], ...fields })
  return id
}

export function askFeed({ call }: Service, id: string, query: Query = {}, token?: string): ReturnType<TestService['call']> {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]))
  return call('GET', `/webhooks/${id}/feed?${parameters}`, { ...(token !== undefined && { token }) })
}

export async function readFeed(service: Service, id: string, query: Query = {}): Promise<Feed> {
  const answer = await askFeed(service, id, query)
  expect(answer.status, answer.text).toBe(200)
  return answer.body as Feed
}

/** Transactions of other databases on the same server hold events back for a moment. */
export const readFeedUntil = (service: Service, id: string, count: number, query: Query = {}): Promise<Feed> =>
  until(async () => {
    const feed = await readFeed(service, id, { limit: 1_000, ...query })
    expect(feed.data).toHaveLength(count)
    return feed
  })

/** The names of the topics that it tells of. */
export const namesOf = ({ data }: Feed): (string | undefined)[] => data.map(({ payload }) => payload?.data.name)
