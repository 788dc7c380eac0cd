// The content of the emails of broadcasts. It stands in the database once, is read once, and is filled in whenever an email of it is sent or looked at.
import type { BroadcastToPreview, Context, EmailOfBroadcast, PreviewOfBroadcast, ShownEmailOfBroadcast } from '../context.ts'
import type { Clock } from '../lib/clock.ts'
import { createExpiringCache } from '../lib/expiring-cache.ts'
import { invalid, notFound } from '../lib/failure.ts'
import { MESSAGE_BYTES_MAX } from '../mail/attachment-content.ts'
import { contactOf, filledSubject, subjectParts } from '../mail/broadcasts/merge-values.ts'
import { PREHEADER, preheader, withPreheader } from '../mail/broadcasts/preheader.ts'
import { linkAsWritten, type WrittenLink, writtenLinks } from '../mail/broadcasts/written-links.ts'
import { textFromHtml } from '../mail/html/text-from-html.ts'
import { type ContactPlaceholders, contactPlaceholders, contactValues } from '../mail/rendering/contact-placeholders.ts'
import { createReadContents, type ReadContent, readContent } from '../mail/rendering/read-contents.ts'
import { type Renderable, readText, render, type ValueOf } from '../mail/rendering/rendering.ts'

type Dependencies = Pick<Context, 'repositories'> & {
  clock: Clock
  unsubscribeUrlOf: (recipient: { teamId: string; email: string; topicId: string | null; emailId: string | null }) => string
  /** Where it is shown in a browser. Mail is read years later, so the link does not expire. */
  viewUrlOf: (emailId: string) => string
  /** See `feedbackSenderId`. */
  feedbackSenderId: string
}

/** A change of a property is seen within this time. */
const PROPERTIES_MS = 10_000
const TEAMS_MAX = 1_000

export function createBroadcastContents({ repositories, clock, unsubscribeUrlOf, viewUrlOf, feedbackSenderId }: Dependencies) {
  const contents = createReadContents<{ topicId: string | null; links: WrittenLink[]; placeholders: ContactPlaceholders | null }>()
  const properties = createExpiringCache<ContactPlaceholders>({ entriesMax: TEAMS_MAX, clock })

  /** For a broadcast that was stored without properties: the version before may be making its emails. */
  async function placeholdersOf(teamId: string): Promise<ContactPlaceholders> {
    const known = properties.get(teamId)
    if (known) return known
    const found = contactPlaceholders(await repositories.contactProperties.all(teamId))
    properties.set(teamId, found, PROPERTIES_MS)
    return found
  }

  const contentOf = (teamId: string, broadcastId: string) =>
    contents(broadcastId, async () => {
      const broadcast = await repositories.broadcasts.find(teamId, broadcastId)
      if (!broadcast) return null
      const { html, text, previewText, topicId, properties: kept } = broadcast
      const source = { subject: null, html: html === null ? null : await withPreheader(html), text, previewText }
      const links = html === null ? [] : await writtenLinks(html)
      return { source, about: { topicId, links, placeholders: kept && contactPlaceholders(kept) } }
    })

  async function filledIn(email: Omit<ShownEmailOfBroadcast, 'html' | 'text'> & { broadcastId: string }) {
    const found = await contentOf(email.teamId, email.broadcastId)
    if (!found) throw notFound('Broadcast')
    const { content, about } = found
    const [address = ''] = email.to
    const unsubscribeUrl = unsubscribeUrlOf({ teamId: email.teamId, email: address, topicId: about.topicId, emailId: email.id })
    const contact = contactOf(address, email.mergeValues ?? {})
    return {
      content,
      unsubscribeUrl,
      valueFor: contactValues(about.placeholders ?? (await placeholdersOf(email.teamId)), contact, {
        unsubscribeUrl,
        viewUrl: viewUrlOf(email.id),
      }),
    }
  }

  return {
    async forMail<Email extends EmailOfBroadcast>(email: Email): Promise<Email> {
      if (!isOfBroadcast(email)) return email
      const { content, unsubscribeUrl, valueFor } = await filledIn(email)
      const shown = written(content, valueFor, '')
      const { html } = written(content, valueFor, preheader(filled(content.previewText, valueFor) ?? ''))
      return {
        ...email,
        html,
        // The hidden text is not a part of it.
        text: shown.text ?? (shown.html === null ? null : textFromHtml(shown.html)),
        headers: { ...email.headers, ...headersOf(email, unsubscribeUrl, feedbackSenderId) },
      }
    },

    /** Anything of it may change until it is sent, so nothing is kept. */
    async preview({ teamId, emailId, broadcast, contact, address }: BroadcastToPreview): Promise<PreviewOfBroadcast> {
      const { subject, html, text, previewText, topicId } = broadcast
      const content = await readContent({ subject: null, html: html === null ? null : await withPreheader(html), text, previewText })
      const unsubscribeUrl = unsubscribeUrlOf({ teamId, email: address, topicId, emailId })
      const placeholders = contactPlaceholders(broadcast.properties ?? (await repositories.contactProperties.all(teamId)))
      // No email has the id of a broadcast: the link of what is not sent looks as it will, and leads to no email.
      const valueFor = contactValues(placeholders, contact, { unsubscribeUrl, viewUrl: viewUrlOf(emailId ?? broadcast.id) })
      const shown = written(content, valueFor, '')
      const shownPreview = filled(content.previewText, valueFor)
      return {
        ...shown,
        subject: filledSubject(subjectParts(readText(subject, 'line'), placeholders), contact),
        previewText: shownPreview,
        mail: {
          html: written(content, valueFor, preheader(shownPreview ?? '')).html,
          text: shown.text ?? (shown.html === null ? null : textFromHtml(shown.html)),
          headers: headersOf({ teamId, broadcastId: broadcast.id }, unsubscribeUrl, feedbackSenderId),
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
          return linkAsWritten(content.about.links, target, (await filledIn(email)).valueFor)
        }),
      )
    },

    async forReaders<Email extends ShownEmailOfBroadcast>(email: Email): Promise<Email> {
      if (!isOfBroadcast(email)) return email
      const { content, valueFor } = await filledIn(email)
      return { ...email, ...written(content, valueFor, '') }
    },
  }
}

const isOfBroadcast = <Email extends ShownEmailOfBroadcast>(email: Email): email is Email & { broadcastId: string } =>
  email.broadcastId !== null

function written(content: ReadContent, valueFor: ValueOf, hidden: string): { html: string | null; text: string | null } {
  const withHidden: ValueOf = (name) => (name === PREHEADER ? { text: hidden, fallback: null, isRaw: true } : valueFor(name))
  return { html: filled(content.html, withHidden), text: filled(content.text, valueFor) }
}

function filled(part: Renderable | null, valueFor: ValueOf): string | null {
  if (part === null) return null
  const rendered = render(part, valueFor, MESSAGE_BYTES_MAX)
  if (rendered === 'too long') throw invalid('An email of this broadcast is too long once its placeholders are filled in.')
  return rendered.text
}

/** One click unsubscribes (RFC 8058). Receivers count complaints by the Feedback-ID. */
function headersOf(
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
