// Topics, contacts and what contacts chose, made over HTTP as a client makes them.
import type { TestService } from '../servers/service.ts'

type Caller = Pick<TestService, 'call'>

/** Creates a topic and returns its id. */
export async function createTopic({ call }: Caller, fields: Record<string, unknown> = {}, token?: string): Promise<string> {
  const body = { name: 'Weekly newsletter', default_subscription: 'opt_in', ...fields }
  return idOf(await call('POST', '/topics', { body, ...(token !== undefined && { token }) }))
}

/** Creates a contact and returns its id. */
export async function createContact(
  { call }: Caller,
  email: string,
  fields: Record<string, unknown> = {},
  token?: string,
): Promise<string> {
  return idOf(await call('POST', '/contacts', { body: { email, ...fields }, ...(token !== undefined && { token }) }))
}

/** Lets a contact, by its id or address, choose one topic. */
export async function chooseTopic({ call }: Caller, contact: string, id: string, subscription: 'opt_in' | 'opt_out'): Promise<void> {
  const answer = await call('PATCH', `/contacts/${contact}/topics`, { body: [{ id, subscription }] })
  if (answer.status !== 200) throw new Error(`The topic was not chosen: ${answer.text}`)
}

/** The rows that remember addresses which opted out of a topic. */
export async function countTopicOptOuts({ database }: Pick<TestService, 'database'>, topicId: string): Promise<number> {
  const rows = await database.execute('select from topic_opt_outs where topic_id = $1', [topicId])
  return rows.length
}

function idOf({ status, body, text }: { status: number; body: unknown; text: string }): string {
  if (status !== 201) throw new Error(`It was not created: ${text}`)
  return (body as { id: string }).id
}

// A visitor of the unsubscribe page without a browser.

type Team = Pick<TestService, 'call'>

/** On for people who have not chosen, unless stated otherwise. */
export const createPublicTopic = (service: Team, fields: { name: string } & Record<string, unknown>): Promise<string> =>
  createTopic(service, { visibility: 'public', ...fields })

/** The path of the contact's page. */
export async function linkTo(service: Team, contact: string, topicId?: string): Promise<string> {
  const query = topicId === undefined ? '' : `?topic_id=${topicId}`
  const { status, body, text } = await service.call('GET', `/contacts/${contact}/unsubscribe-link${query}`)
  if (status !== 200) throw new Error(text)
  return new URL((body as { url: string }).url).pathname
}

export type Page = { status: number; headers: Headers; text: string; location: string | null }

export async function visitPage(service: Pick<TestService, 'url'>, path: string, init: RequestInit = {}): Promise<Page> {
  const response = await fetch(`${service.url}${path}`, { redirect: 'manual', ...init })
  return { status: response.status, headers: response.headers, text: await response.text(), location: response.headers.get('location') }
}

/** Sends the form as a browser does. */
export const submit = (
  service: Pick<TestService, 'url'>,
  path: string,
  fields: [string, string][] | Record<string, string>,
): Promise<Page> => visitPage(service, path, { method: 'POST', body: new URLSearchParams(fields) })

export const ONE_CLICK = { 'List-Unsubscribe': 'One-Click' }

/** What the page offers: each topic by its name, with its field and whether it is on. */
export const switchesOf = ({ text }: Page): { name: string; field: string; isOn: boolean }[] =>
  [
    ...text.matchAll(
      /<input type="checkbox" role="switch" id="([\w-]+)"[^>]*?( checked)?(?: aria-describedby="[\w-]+")?>\s*<label[^>]*>([^<]*)</g,
    ),
  ].map(([, field = '', checked, name = '']) => ({ name, field, isOn: checked !== undefined }))

export async function isUnsubscribed(service: Team, contact: string): Promise<boolean> {
  const { body } = await service.call('GET', `/contacts/${contact}`)
  return (body as { unsubscribed: boolean }).unsubscribed
}

/** The subscription to each topic, by its name. */
export async function subscriptions(service: Team, contact: string): Promise<Record<string, string>> {
  const { body } = await service.call('GET', `/contacts/${contact}/topics`)
  const { data } = body as { data: { name: string; subscription: string }[] }
  return Object.fromEntries(data.map(({ name, subscription }) => [name, subscription]))
}

/** The notifications about a contact since it was created, oldest first. */
export const toldOf = ({ database }: Pick<TestService, 'database'>, contact: string): Promise<unknown[]> =>
  database.execute(
    "select type, data->'unsubscribed' as unsubscribed, data->'topics' as topics from notifications where subject_id = $1 and type <> 'contact.created' order by id",
    [contact],
  )

/** Everything that a visit could change. */
export function storedDecisions({ database }: Pick<TestService, 'database'>): Promise<unknown[]> {
  const tables = ['contacts', 'contact_topics', 'opt_outs', 'topic_opt_outs', 'notifications']
  return Promise.all(tables.map((table) => database.execute(`select * from ${table} as t order by t::text`)))
}
