// The filters of lists: query parameters beside those of every list. A list with one of them is searched, newest first, within a bound.
import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { ListQuery, listFields, listSentence, Named } from './common.ts'

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
              'The last record that was looked at, if a filter found too few among as many as one request looks at. Give it as `after`, or as `before` if you gave that, to go on. Absent otherwise.',
          }),
        ),
      },
      { description: listSentence(what) },
    ),
  )
