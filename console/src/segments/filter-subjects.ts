// What the rules of a filter can test, and how each is written in a form.
import { useAllRows } from '../api/queries'
import { useMay } from '../session/me'
import { SEGMENT_TEXTS as TEXTS } from '../texts/segments'
import { useListedSegments } from './listed-segments'

export type Subject = {
  /** `field:email`, `property:company`, `topic:ID`, `segment:ID` */
  key: string
  words: string
  operators: readonly string[]
  /** The values to choose from, with their words; null if one is typed. */
  choices: Readonly<Record<string, string>> | null
  /** Its values are times. */
  isTime?: boolean
  /** The property whose values are offered. */
  propertyId?: string
}
export type SubjectGroup = { words: string; subjects: readonly Subject[] }

const SET = ['is_set', 'is_not_set']
const TEXT_OPERATORS = ['equals', 'not_equals', 'contains', 'not_contains', 'starts_with', 'ends_with', ...SET]
const NUMBER_OPERATORS = ['equals', 'not_equals', 'greater_than', 'greater_or_equal', 'less_than', 'less_or_equal', ...SET]

const ofText = (key: string, words: string): Subject => ({ key, words, operators: TEXT_OPERATORS, choices: null })
const ofNumber = (key: string, words: string): Subject => ({ key, words, operators: NUMBER_OPERATORS, choices: null })
const ofChoice = (key: string, words: string, choices: Readonly<Record<string, string>>): Subject => ({
  key,
  words,
  operators: [],
  choices,
})

const FIELDS: readonly Subject[] = [
  ofText('field:email', TEXTS.fields.email),
  ofText('field:first_name', TEXTS.fields.first_name),
  ofText('field:last_name', TEXTS.fields.last_name),
  { key: 'field:unsubscribed', words: TEXTS.fields.unsubscribed, operators: ['equals'], choices: TEXTS.subscription },
  { key: 'field:created_at', words: TEXTS.fields.created_at, operators: ['before', 'after'], choices: null, isTime: true },
]

/** What a team has that filters can test, and which of its properties are numbers. */
export function useSubjects(): { groups: readonly SubjectGroup[]; isNumber: (key: string) => boolean } {
  const may = useMay()
  const mayReadValues = may('contacts:read')
  const properties = useAllRows('/contact-properties', { isEnabled: may('contact-properties:read') }).rows
  const topics = useAllRows('/topics', { isEnabled: may('topics:read') }).rows
  const segments = useListedSegments({ isEnabled: may('segments:read') })
  const groups = [
    { words: TEXTS.subjectGroups.contact, subjects: FIELDS },
    {
      words: TEXTS.subjectGroups.properties,
      subjects: properties.map(({ id, key, type }) => ({
        ...(type === 'number' ? ofNumber : ofText)(`property:${key}`, key),
        ...(mayReadValues && { propertyId: id }),
      })),
    },
    { words: TEXTS.subjectGroups.topics, subjects: topics.map(({ id, name }) => ofChoice(`topic:${id}`, name, TEXTS.opted)) },
    { words: TEXTS.subjectGroups.segments, subjects: segments.map(({ id, name }) => ofChoice(`segment:${id}`, name, TEXTS.member)) },
  ]
  return {
    groups: groups.filter(({ subjects }) => subjects.length > 0),
    isNumber: (key) => properties.some((property) => property.key === key && property.type === 'number'),
  }
}

/** A rule about what is gone keeps its place, so that the sentence about it can be shown. */
export const subjectNamed = (groups: readonly SubjectGroup[], key: string): Subject =>
  groups.flatMap(({ subjects }) => subjects).find((subject) => subject.key === key) ??
  (key.startsWith('topic:')
    ? ofChoice(key, TEXTS.unknown(key.slice('topic:'.length)), TEXTS.opted)
    : key.startsWith('segment:')
      ? ofChoice(key, TEXTS.unknown(key.slice('segment:'.length)), TEXTS.member)
      : ofText(key, TEXTS.unknown(key.slice(key.indexOf(':') + 1))))
