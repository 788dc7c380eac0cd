// The content of the emails of broadcasts. It stands in the database once, is read once, and is filled in whenever an email of it is sent or looked at.

import type { PlatformContext } from '../../http/platform.context.ts'
import { createExpiringCache } from '../../lib/cache.ts'
import type { Clock } from '../../lib/clock.ts'
import { invalid, notFound } from '../../lib/failure.ts'
import { isLong, MAIN_THREAD_BYTES_MAX } from '../../lib/main-thread.ts'
import { MESSAGE_BYTES_MAX } from '../../mail/attachments.ts'
import {
  type ContactPlaceholders,
  contactPlaceholders,
  contactValues,
  type PropertyOfContacts,
  type RecipientLinks,
  type RenderedContact,
  toPropertyOfContacts,
} from '../../mail/rendering/contact-placeholders.ts'
import { type ContentSource, createReadContents, type ReadContent, readShortContent, readText } from '../../mail/rendering/rendering.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import { placeholderProperties } from '../audience/properties/placeholder-properties.service.ts'
import type { EmailOfBroadcast, ShownEmailOfBroadcast } from '../emails/emails.context.ts'
import { broadcastHtml, type FilledBroadcast, fillBroadcast } from './broadcast-content.ts'
import type { BroadcastsContext, BroadcastToPreview, PreviewOfBroadcast } from './broadcasts.context.ts'
import { filledSubject, subjectParts, toRenderedContact } from './merge-fields.ts'
import { linkAsWritten, type WrittenLink } from './written-links.ts'

type Context = PlatformContext & AccountsContext & AudienceContext & BroadcastsContext

type Dependencies = Pick<Context, 'repositories'> & {
  texts: Context['gateways']['texts']
  clock: Clock
  unsubscribeUrlOf: (recipient: { teamId: string; email: string; topicId: string | null; emailId: string | null }) => string
  /** Where it is shown in a browser. Mail is read years later, so the link does not expire. */
  viewUrlOf: (emailId: string) => string
  /** See `feedbackSenderId`. */
  feedbackSenderId: string
}

/** The properties of a team, or of a broadcast, and what their names stand for. */
type Properties = { rows: readonly PropertyOfContacts[]; placeholders: ContactPlaceholders }

/** `content`: null if it is long. */
type Filling = {
  versionId: string | null
  content: ReadContent | null
  source: ContentSource
  properties: Properties
  contact: RenderedContact
  links: RecipientLinks
}

/** A change of a property is seen within this time. */
const PROPERTIES_MS = 10_000
const TEAMS_MAX = 1_000

export function createBroadcastContents({ repositories, texts, clock, unsubscribeUrlOf, viewUrlOf, feedbackSenderId }: Dependencies) {
  const contents = createReadContents<{ topicId: string | null; links: WrittenLink[]; kept: Properties | null }>()
  const properties = createExpiringCache<Properties>({ entriesMax: TEAMS_MAX, clock })

  /** For a broadcast that was stored without properties: the version before may be making its emails. */
  async function loadProperties(teamId: string): Promise<Properties> {
    const known = properties.get(teamId)
    if (known) return known
    const found = propertiesFrom(await placeholderProperties(repositories, teamId))
    properties.set(teamId, found, PROPERTIES_MS)
    return found
  }

  const contentOf = (teamId: string, broadcastId: string) =>
    contents(broadcastId, async () => {
      const broadcast = await repositories.broadcasts.find(teamId, broadcastId)
      if (!broadcast) return null
      const { html, text, previewText, topicId, properties: kept } = broadcast
      const read = await readHtml(teamId, html)
      const source = { subject: null, html: read.html, text, previewText }
      return { source, about: { topicId, links: read.links, kept: kept && propertiesFrom(kept) } }
    })

  async function filledIn(email: Omit<ShownEmailOfBroadcast, 'html' | 'text'> & { broadcastId: string }) {
    const found = await contentOf(email.teamId, email.broadcastId)
    if (!found) throw notFound('Broadcast')
    const { content, source, about } = found
    const [address = ''] = email.to
    const unsubscribeUrl = unsubscribeUrlOf({ teamId: email.teamId, email: address, topicId: about.topicId, emailId: email.id })
    const contact = toRenderedContact(address, email.mergeValues ?? {})
    const properties = about.kept ?? (await loadProperties(email.teamId))
    const links = { unsubscribeUrl, viewUrl: viewUrlOf(email.id) }
    return { versionId: email.broadcastId, content, source, unsubscribeUrl, ...{ properties, contact, links } }
  }

  async function readHtml(teamId: string, html: string | null, options: { isOfRequest?: boolean } = {}) {
    if (html === null) return { html, links: [] }
    return isLong(html) ? texts.do(teamId, { kind: 'broadcastHtml', html }, options) : broadcastHtml(html)
  }

  async function fill(
    teamId: string,
    { content, properties, contact, links, ...source }: Filling,
    { isForMail, ...options }: { isForMail: boolean; isOfRequest?: boolean },
  ): Promise<FilledBroadcast> {
    const valueFor = contactValues(properties.placeholders, contact, links)
    const short = content ? fillBroadcast(content, valueFor, { bytesMax: MAIN_THREAD_BYTES_MAX, isForMail }) : 'too long'
    if (short !== 'too long') return short
    const contactOfText = { properties: properties.rows, contact, links }
    const task = { kind: 'broadcast' as const, ...source, contact: contactOfText, bytesMax: MESSAGE_BYTES_MAX, isForMail }
    const filled = await texts.do(teamId, task, options)
    if (filled === 'too long')
      throw invalid(
        'An email of this broadcast is too long once its placeholders are filled in. Use fewer placeholders, or shorten the content.',
      )
    return filled
  }

  return {
    async forMail<Email extends EmailOfBroadcast>(email: Email): Promise<Email> {
      if (!isOfBroadcast(email)) return email
      const { unsubscribeUrl, ...filling } = await filledIn(email)
      const { mail } = await fill(email.teamId, filling, { isForMail: true })
      return {
        ...email,
        ...mail,
        headers: { ...email.headers, ...bulkHeaders(email, unsubscribeUrl, feedbackSenderId) },
      }
    },

    /** Anything of it may change until it is sent, so nothing is kept. */
    async preview({ teamId, emailId, broadcast, contact, address }: BroadcastToPreview): Promise<PreviewOfBroadcast> {
      const { subject, html, text, previewText, topicId } = broadcast
      const source = { subject: null, html: (await readHtml(teamId, html, { isOfRequest: true })).html, text, previewText }
      const unsubscribeUrl = unsubscribeUrlOf({ teamId, email: address, topicId, emailId })
      const properties = propertiesFrom(broadcast.properties ?? (await placeholderProperties(repositories, teamId)))
      // No email has the id of a broadcast: the link of what is not sent looks as it will, and leads to no email.
      const links = { unsubscribeUrl, viewUrl: viewUrlOf(emailId ?? broadcast.id) }
      const content = await readShortContent(source)
      const filling = { versionId: null, content, source, properties, contact, links }
      const { mail, ...shown } = await fill(teamId, filling, { isForMail: true, isOfRequest: true })
      return {
        ...shown,
        subject: filledSubject(subjectParts(readText(subject, 'line'), properties.placeholders), contact),
        mail: {
          html: mail?.html ?? null,
          text: mail?.text ?? null,
          headers: bulkHeaders({ teamId, broadcastId: broadcast.id }, unsubscribeUrl, feedbackSenderId),
        },
      }
    },

    /** For each click, the link that the author of a broadcast wrote; null if it led everyone to the same place. */
    async linksAsWritten(clicks: readonly { emailId: string; target: string }[]): Promise<(string | null)[]> {
      const emails = await repositories.broadcastRecipients.emailsAcrossTeams([...new Set(clicks.map(({ emailId }) => emailId))])
      return Promise.all(
        clicks.map(async ({ emailId, target }) => {
          const email = emails.get(emailId)
          const content = email && (await contentOf(email.teamId, email.broadcastId))
          if (!email || !content || content.about.links.length === 0) return null
          const { properties, contact, links } = await filledIn(email)
          return linkAsWritten(content.about.links, target, contactValues(properties.placeholders, contact, links))
        }),
      )
    },

    async forReaders<Email extends ShownEmailOfBroadcast>(email: Email): Promise<Email> {
      if (!isOfBroadcast(email)) return email
      const { unsubscribeUrl: _, ...filling } = await filledIn(email)
      const { html, text } = await fill(email.teamId, filling, { isForMail: false })
      return { ...email, html, text }
    },
  }
}

const propertiesFrom = (rows: readonly PropertyOfContacts[]): Properties => ({
  rows: rows.map(toPropertyOfContacts),
  placeholders: contactPlaceholders(rows),
})

const isOfBroadcast = <Email extends ShownEmailOfBroadcast>(email: Email): email is Email & { broadcastId: string } =>
  email.broadcastId !== null

/** One click unsubscribes (RFC 8058). Receivers count complaints by the Feedback-ID. */
function bulkHeaders(
  { teamId, broadcastId }: Pick<EmailOfBroadcast, 'teamId' | 'broadcastId'>,
  unsubscribeUrl: string,
  feedbackSenderId: string,
): Record<string, string> {
  return {
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'Feedback-ID': `${broadcastId}:${teamId}:broadcast:${feedbackSenderId}`,
    Precedence: 'bulk',
  }
}
