// Fields in which a request names segments and topics, and sentences about them.

/** Ids of segments, each given bare or in an object. */
export const idsOfSegments = (segments: ({ id: string } | string)[]): string[] =>
  segments.map((segment) => (typeof segment === 'string' ? segment : segment.id))

type Wrong = { problem: 'unknown segment' | 'unknown topic' | 'segment with a filter'; index: number }

/** How the client named them, if not in the usual way. */
type FieldNames = { segment?: (index: number) => string; topics?: string }

/** What is wrong with a segment or a topic that a request named. */
export function referenceSentence({ problem, index }: Wrong, { segment, topics = 'topics' }: FieldNames = {}): string {
  if (problem === 'unknown topic') return `The \`${topics}[${index}].id\` field is not the id of one of your topics.`
  const field = segment?.(index) ?? `segments[${index}]`
  return problem === 'unknown segment'
    ? `The \`${field}\` field is not the id of one of your segments.`
    : `The \`${field}\` field names a segment with a filter, which selects its contacts. Name a segment without one.`
}

export const SUBSCRIPTIONS = ['opt_in', 'opt_out'] as const

export type Subscription = (typeof SUBSCRIPTIONS)[number]
