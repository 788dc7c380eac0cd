// Links to the page where a person decides what they get. They never expire: mail is read years later. Short, because they stand in a header line.
import type { Context } from '../context.ts'
import { Failure } from '../lib/failure.ts'
import { idOfShort, shortId } from '../lib/short-ids.ts'

export type UnsubscribeTarget = {
  teamId: string
  contactId: string
  /** What one click is about; without a topic it is about everything. */
  topicId?: string
}

export function unsubscribeUrl(
  { links, publicUrl }: Pick<Context, 'links' | 'publicUrl'>,
  { teamId, contactId, topicId }: UnsubscribeTarget,
): string {
  const payload = { team: shortId(teamId), contact: shortId(contactId), ...(topicId !== undefined && { topic: shortId(topicId) }) }
  return `${publicUrl}/unsubscribe/${links.sign('unsubscribe', payload, null)}`
}

/** @returns null for a token that is not one of ours. */
export function openUnsubscribeLink({ links }: Pick<Context, 'links'>, token: string): UnsubscribeTarget | null {
  const { team, contact, topic } = verified(links, token)
  const teamId = idOfShort(String(team))
  const contactId = idOfShort(String(contact))
  if (teamId === null || contactId === null) return null
  const topicId = topic === undefined ? null : idOfShort(String(topic))
  return { teamId, contactId, ...(topicId !== null && { topicId }) }
}

function verified(links: Context['links'], token: string): Record<string, unknown> {
  try {
    return links.open('unsubscribe', token)
  } catch (error) {
    if (error instanceof Failure) return {}
    throw error
  }
}
