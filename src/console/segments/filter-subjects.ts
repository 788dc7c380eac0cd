// What the rules of a filter can test, and how each is written in a form.

import type { PropertyRow } from '../../modules/audience/properties/properties.repository.ts'
import { NUMBER_OPERATORS, TEXT_OPERATORS, TIME_OPERATORS } from '../../modules/audience/segments/filters/segment-rules.ts'

type Named = { id: string; name: string }

/** What a team has that filters can name. */
export type Nameable = { properties: Pick<PropertyRow, 'key' | 'type'>[]; topics: Named[]; segments: Named[] }

export type Subject = {
  /** `field:email`, `property:company`, `topic:ID`, `segment:ID` */
  key: string
  words: string
  operators: readonly string[]
  /** The values to choose from, with their words; null if one is typed. */
  choices: readonly (readonly [value: string, words: string])[] | null
}

export type SubjectGroup = { words: string; subjects: Subject[] }

export const subjectGroups = ({ properties, topics, segments }: Nameable): SubjectGroup[] => [
  {
    words: 'Contact',
    subjects: [
      textSubject('field:email', 'Address'),
      textSubject('field:first_name', 'First name'),
      textSubject('field:last_name', 'Last name'),
      {
        ...{ key: 'field:unsubscribed', words: 'Subscription', operators: ['equals'] },
        choices: [
          ['false', 'subscribed'],
          ['true', 'unsubscribed'],
        ],
      },
      { key: 'field:created_at', words: 'Added', operators: TIME_OPERATORS, choices: null },
    ],
  },
  {
    words: 'Properties',
    subjects: properties.map(({ key, type }) =>
      type === 'number'
        ? { key: `property:${key}`, words: key, operators: NUMBER_OPERATORS, choices: null }
        : textSubject(`property:${key}`, key),
    ),
  },
  { words: 'Topics', subjects: topics.map(({ id, name }) => ({ key: `topic:${id}`, words: name, operators: [], choices: OPTED })) },
  { words: 'Segments', subjects: segments.map(({ id, name }) => ({ key: `segment:${id}`, words: name, operators: [], choices: MEMBER })) },
]

/** A rule about what is gone keeps its place, so that the sentence about it can be shown. */
export const subjectNamed = (groups: SubjectGroup[], key: string): Subject =>
  groups.flatMap(({ subjects }) => subjects).find((subject) => subject.key === key) ?? {
    ...{ key, words: `${key.slice(key.indexOf(':') + 1)} (unknown)`, operators: TEXT_OPERATORS, choices: null },
  }

const textSubject = (key: string, words: string): Subject => ({ key, words, operators: TEXT_OPERATORS, choices: null })

const OPTED = [
  ['opt_in', 'opted in'],
  ['opt_out', 'opted out'],
] as const
const MEMBER = [
  ['true', 'in the segment'],
  ['false', 'not in the segment'],
] as const

export const OPERATOR_WORDS: Partial<Record<string, string>> = {
  equals: 'is',
  not_equals: 'is not',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  ends_with: 'ends with',
  is_set: 'has a value',
  is_not_set: 'has no value',
  greater_than: 'is more than',
  greater_or_equal: 'is at least',
  less_than: 'is less than',
  less_or_equal: 'is at most',
  before: 'before',
  after: 'after',
}
