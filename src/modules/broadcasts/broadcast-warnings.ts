import { senderDomain } from '../../mail/addresses.ts'
import { contactPlaceholders, type PropertyOfContacts } from '../../mail/rendering/contact-placeholders.ts'
import { type ExplainedWarning, placeholderLookAlikes } from '../../mail/rendering/placeholder-look-alikes.ts'
import { readPlaceholders } from '../../mail/rendering/placeholders.ts'
import { unknownPlaceholders } from './merge-fields.ts'

/** The limit of one answer. */
export const WARNINGS_MAX = 20

export type WrittenBroadcast = {
  segmentId: string
  from: string
  subject: string
  html: string | null
  text: string | null
  previewText: string | null
}

/** `domain`: whether the team may send from the domain of the sender. Null for what is no longer looked at. */
export type BroadcastSurroundings = {
  properties: readonly PropertyOfContacts[]
  isSegmentEmpty: boolean | null
  domain: 'verified' | 'registered' | 'unknown' | null
}

/** Each with a code and a sentence; the first ones. */
export async function broadcastWarnings(
  written: WrittenBroadcast,
  { properties, isSegmentEmpty, domain }: BroadcastSurroundings,
): Promise<ExplainedWarning[]> {
  const { segmentId, from, subject, html, text, previewText } = written
  const texts = [subject, html, text, previewText]
  return [
    ...linksMissing(written),
    ...(isSegmentEmpty ? [segmentEmpty(segmentId)] : []),
    ...domainWarnings(senderDomain(from), domain),
    ...unknownPlaceholders(texts, properties).map((message) => ({ code: 'placeholder_unknown', message })),
    ...(await placeholderLookAlikes(texts, 'filled')),
  ].slice(0, WARNINGS_MAX)
}

/** A person who reads the text does not see the HTML. A text that is made from the HTML has its links. */
function linksMissing({ html, text }: WrittenBroadcast): ExplainedWarning[] {
  return [['html', html] as const, ['text', text] as const].flatMap(([name, part]) =>
    !part?.trim() || hasUnsubscribeLink(part)
      ? []
      : [
          {
            code: 'unsubscribe_link_missing',
            about: name,
            message: `The \`${name}\` has no unsubscribe link: put \`{{{UNSUBSCRIBE_URL}}}\` where the link is to lead.`,
          },
        ],
  )
}

const hasUnsubscribeLink = (text: string): boolean =>
  readPlaceholders(text).some((part) => typeof part !== 'string' && FIELDS(part.name) === 'unsubscribeUrl')

const FIELDS = contactPlaceholders([])

const segmentEmpty = (id: string): ExplainedWarning => ({
  code: 'segment_empty',
  about: id,
  message: `The segment \`${id}\` has no contacts: add some before the broadcast is sent, or choose another segment.`,
})

function domainWarnings(name: string, domain: BroadcastSurroundings['domain']): ExplainedWarning[] {
  if (name === '' || domain === null || domain === 'verified') return []
  return [
    domain === 'registered'
      ? {
          code: 'domain_not_verified',
          about: name,
          message: `The domain \`${name}\` of the sender is not verified: publish its DNS records, and verify it with POST /domains/{id}/verify.`,
        }
      : {
          code: 'domain_not_registered',
          about: name,
          message: `The domain \`${name}\` of the sender is not registered: register it with POST /domains, publish its DNS records, and verify it.`,
        },
  ]
}
