// Links to the page where people decide what they get. They never expire, because mail is read years later, and they are short, because they are in
// a header line.
import type { PlatformContext } from '../../../http/platform.context.ts'
import { Failure } from '../../../lib/failure.ts'
import { idOfShort, shortId } from '../../../lib/ids.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { AudienceContext } from '../audience.context.ts'

type Context = PlatformContext & SecretsContext & AudienceContext

export type UnsubscribeTarget = {
  teamId: string
  /** The address that the link was made for. Anyone who has the mail speaks for it, whatever became of the contact. */
  addressHash: string
  /** What one click unsubscribes from; everything if there is no topic. */
  topicId?: string
  /** The email of a broadcast that has the link. */
  emailId?: string
  /** Private topics that the page has shown to this person. They stay on the page even when they are switched off. */
  shownTopicIds: string[]
}

/** They share a link with its other fields, and a link has at most 1,800 characters (lib/crypto/sealing.ts). */
const SHOWN_TOPICS_MAX = 40

export function unsubscribeUrl(
  { links, publicUrl, hashAddress }: Pick<Context, 'links' | 'publicUrl' | 'hashAddress'>,
  { teamId, email, topicId, emailId = null }: { teamId: string; email: string; topicId: string | null; emailId?: string | null },
): string {
  const address = { teamId, addressHash: hashAddress(teamId, email) }
  const target = { ...address, ...(topicId !== null && { topicId }), ...(emailId !== null && { emailId }), shownTopicIds: [] }
  return `${publicUrl}/unsubscribe/${unsubscribeToken({ links }, target)}`
}

export function unsubscribeToken(
  { links }: Pick<Context, 'links'>,
  { teamId, addressHash, topicId, emailId, shownTopicIds }: UnsubscribeTarget,
): string {
  const payload = {
    team: shortId(teamId),
    address: addressHash,
    ...(topicId !== undefined && { topic: shortId(topicId) }),
    ...(emailId !== undefined && { email: shortId(emailId) }),
    ...(shownTopicIds.length > 0 && { shown: shownTopicIds.slice(0, SHOWN_TOPICS_MAX).map(shortId).join() }),
  }
  return links.sign('unsubscribe', payload, null)
}

/** The token alone: mail programs include what follows a link, such as a full stop or a bracket. */
export const tokenIn = (link: string): string => /^[\w-]+\.[\w-]+\.[\w-]+/.exec(link)?.[0] ?? link

/** @returns null for a token that is not ours. */
export function openUnsubscribeLink({ links }: Pick<Context, 'links'>, token: string): UnsubscribeTarget | null {
  const { team, address, topic, email, shown } = verified(links, token)
  const teamId = idOfShort(String(team))
  if (teamId === null) return null
  const topicId = topic === undefined ? null : idOfShort(String(topic))
  const emailId = email === undefined ? null : idOfShort(String(email))
  const shownTopicIds = String(shown ?? '')
    .split(',')
    .map(idOfShort)
    .filter((id) => id !== null)
  return { teamId, addressHash: String(address), ...(topicId !== null && { topicId }), ...(emailId !== null && { emailId }), shownTopicIds }
}

function verified(links: Context['links'], token: string): Record<string, unknown> {
  try {
    return links.open('unsubscribe', token)
  } catch (error) {
    if (error instanceof Failure) return {}
    throw error
  }
}
