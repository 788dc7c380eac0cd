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
