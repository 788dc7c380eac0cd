// The feed of a webhook, as its readers see it.
import { expect } from 'vitest'
import { until } from '../clocks/until.ts'
import type { TestService } from '../servers/service.ts'
import { createWebhook } from './webhooks.ts'

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
