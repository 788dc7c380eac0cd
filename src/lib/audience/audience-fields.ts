// Fields in which a request names segments and topics, and sentences about them.
import { invalid } from '../failure.ts'

/** Ids of segments, each given bare or in an object. */
export const idsOfSegments = (segments: ({ id: string } | string)[]): string[] =>
  segments.map((segment) => (typeof segment === 'string' ? segment : segment.id))

/** @param field the array of topics; empty when it is the whole body. @throws Failure about the first topic that is named twice. */
export function refuseRepeated(topics: { id: string }[], field = 'topics'): void {
  const seen = new Set<string>()
  for (const [index, { id }] of topics.entries()) {
    if (seen.has(id.toLowerCase())) throw invalid(`The \`${field}[${index}].id\` field names a topic for the second time.`)
    seen.add(id.toLowerCase())
  }
}

type Wrong = { problem: 'unknown segment' | 'unknown topic' | 'segment with a filter'; index: number }

/** How the client named them, if not in the usual way. */
type FieldNames = { segment?: (index: number) => string; topics?: string }

/** What is wrong with a segment or a topic that a request named. */
export function referenceSentence({ problem, index }: Wrong, { segment, topics = 'topics' }: FieldNames = {}): string {
  if (problem === 'unknown topic') return `The \`${topics}[${index}].id\` field is not the id of a topic of yours.`
  const field = segment?.(index) ?? `segments[${index}]`
  return problem === 'unknown segment'
    ? `The \`${field}\` field is not the id of a segment of yours.`
    : `The \`${field}\` field names a segment with a filter, which finds its contacts by itself.`
}
