// What query parameters say: several values, times, and what a client looks for in a list. Null if it gave no filter: then the list is not searched.
import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { DAY_MS } from '../lib/clock.ts'
import { invalid } from '../lib/failure.ts'
import { isProblem, quotedValue } from '../lib/problem.ts'
import { parseIsoTime } from '../lib/times/iso-times.ts'
import { instantsAt, wallClockAt } from '../lib/times/time-zones.ts'
import { ListQuery, listFields, listSentence, Named } from '../lib/validation/common.schema.ts'

// The filters of lists: query parameters beside those of every list. A list with one of them is searched, newest first, within a bound.

/** The longest address. */
const FILTER_LENGTH_MAX = 320

/** The query of a list with these filters. */
export const FilteredListQuery = <Filters extends TProperties>(filters: Filters) => Type.Object({ ...ListQuery.properties, ...filters })

/** Without NUL, which no text in the database has. */
export const TextFilter = (
  description: string,
  examples: string[],
  { lengthMax = FILTER_LENGTH_MAX, ...form }: { lengthMax?: number; pattern?: string; 'x-rule'?: string } = {},
) => Type.Optional(Type.String({ minLength: 1, maxLength: lengthMax, ...form, description, examples }))

/** Both ends of a range of time. */
export const DateFilters = (what: string) => ({
  start_date: TextFilter(`Return only ${what} from then on, in ISO 8601: a date in UTC, or a time, in UTC unless it has an offset.`, [
    '2026-11-01',
  ]),
  end_date: TextFilter(`Return only ${what} before then: a date is the beginning of that day.`, ['2026-11-20']),
})

/** Said in the description of each list that is searched. */
export const searchedSentence = (readMax: number): string =>
  `With a filter, one request looks at the ${readMax.toLocaleString('en')} newest records beyond the cursor. If it finds too few among them, \`has_more\` is true, and \`searched_to\` says where to go on, although there may be no more.`

/** The envelope of a list that can be searched. */
export const SearchedList = <T extends TSchema>(name: string, what: string, item: T) =>
  Named(
    name,
    Type.Object(
      {
        ...listFields(what, item),
        searched_to: Type.Optional(
          Type.String({
            format: 'uuid',
            description:
              'The last record that was searched, if one request searched as many as it may and found too few. To search on, give it as `after`, or as `before` if you gave that. Absent otherwise.',
          }),
        ),
      },
      { description: listSentence(what) },
    ),
  )

/** More than what every list has. */
export function hasFilter(query: Static<typeof ListQuery>): boolean {
  const { limit: _limit, after: _after, before: _before, ...filters } = query
  return Object.values(filters).some((value) => value !== undefined)
}

/**
 * The ends of the range of time; null: open.
 *
 * @throws Failure `validation` about a time that is none, or an end before its beginning
 */
export function toTimeRange({ start_date: start, end_date: end }: { start_date?: string; end_date?: string }): {
  since: Date | null
  until: Date | null
} {
  const since = start === undefined ? null : timeOfParameter('start_date', start, 'UTC')
  const until = end === undefined ? null : timeOfParameter('end_date', end, 'UTC')
  if (since !== null && until !== null && since > until) throw invalid('The `start_date` parameter must be on or before `end_date`.')
  return { since, until }
}

/** Each once. */
export const splitList = (given: string[] = []): string[] => [
  ...new Set(
    given
      .flatMap((text) => text.split(','))
      .map((text) => text.trim())
      .filter((text) => text !== ''),
  ),
]

/** @throws Failure about the first that is not one of `words` */
export const readChoices = <const Word extends string>(name: string, given: string[] | undefined, words: readonly Word[]): Word[] =>
  splitList(given).map((text) => {
    const found = words.find((word) => word === text)
    if (found !== undefined) return found
    throw invalid(`The \`${name}\` parameter must hold only ${words.map((word) => `\`${word}\``).join(', ')}.${quotedValue(text)}`)
  })

/**
 * The time that a query parameter names: a date alone is the beginning of that day in the zone, a time is in UTC unless it has an offset.
 * @throws Failure `validation` for other texts, and for a date or time that does not exist
 */
export function timeOfParameter(name: string, text: string, zone = 'UTC'): Date {
  const time = parseIsoTime(text.trim())
  if (time === null)
    throw invalid(
      `The \`${name}\` parameter must be an ISO 8601 date or time, such as \`2026-11-20\` or \`2026-11-20T15:00:00Z\`.${quotedValue(text)}`,
    )
  if (isProblem(time)) throw invalid(`The \`${name}\` parameter ${time.problem}.${quotedValue(text)}`)
  return new Date(DATE_ALONE.test(text.trim()) ? beginningOfDay(time.wallClockMs, zone) : time.wallClockMs - (time.offsetMs ?? 0))
}

export const DATE_ALONE = /^[\d-]{8,10}$/

/** Where clocks skip midnight, the day begins when they are changed. */
export function beginningOfDay(midnightMs: number, zone: string): number {
  const there = { names: [zone], daylight: null }
  const dayBeforeMs = midnightMs - DAY_MS
  return instantsAt(midnightMs, there)[0] ?? midnightMs - (wallClockAt(dayBeforeMs, there) - dayBeforeMs)
}

/** Values of one parameter. */
export const LIST_VALUES_MAX = 100

/** Text of any length would be cut into any number of words. */
export const LIST_LENGTH_MAX = 8_192

/** A parameter that holds several values. `shown` is what the document says of one. It is checked where the list is taken apart (`splitList`). */
export const TextList = (description: string, shown: { enum: readonly string[] } | { format: 'uuid' }) =>
  Type.Optional(Type.Array(Type.String({ maxLength: LIST_LENGTH_MAX }), { maxItems: LIST_VALUES_MAX, description, 'x-separated': shown }))
