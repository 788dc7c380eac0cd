import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeApi } from '../../../../../src/cli/generated/generated-files.ts'
import { Failure } from '../../../../../src/lib/failure.ts'
import { parseSegmentFilter } from '../../../../../src/modules/audience/segments/filters/segment-filters.ts'
import {
  FILTER_DEPTH_MAX,
  FILTER_LEAVES_MAX,
  FILTER_VALUE_LENGTH_MAX,
} from '../../../../../src/modules/audience/segments/segments.schema.ts'

const LEAF = { field: 'email', operator: 'is_set' }
const ID = '0193A5C2-7D4E-7B1A-9C3F-2E5D8A6B4C10'

function problemOf(filter: unknown): string | null {
  try {
    parseSegmentFilter(filter)
    return null
  } catch (error) {
    if (error instanceof Failure && error.kind === 'validation') return error.message
    throw error
  }
}

const ajv = new Ajv2020({ strict: false })
formats.default(ajv)
ajv.addSchema({ $id: 'document', ...(await describeApi()) })
const fitsDocument = ajv.compile({ $ref: 'document#/components/schemas/SegmentFilter' })

describe('the filter of a segment', () => {
  it.each<[what: string, filter: unknown, read: unknown]>([
    ['groups', { all: [LEAF, { any: [{ not: LEAF }] }] }, { all: [LEAF, { any: [{ not: LEAF }] }] }],
    ['an operator without a value', { ...LEAF, value: null }, LEAF],
    ['an empty text', { property: 'a', operator: 'equals', value: '' }, { property: 'a', operator: 'equals', value: '' }],
    ['a number', { property: 'a', operator: 'less_than', value: -0.5 }, { property: 'a', operator: 'less_than', value: -0.5 }],
    ['an id in capitals', { segment: ID, member: false }, { segment: ID.toLowerCase(), member: false }],
    ['a topic', { topic: ID, subscription: 'opt_out' }, { topic: ID.toLowerCase(), subscription: 'opt_out' }],
    [
      'true or false',
      { field: 'unsubscribed', operator: 'equals', value: true },
      { field: 'unsubscribed', operator: 'equals', value: true },
    ],
    [
      'a time with an offset',
      { field: 'created_at', operator: 'before', value: '2026-11-20T09:30:00+01:00' },
      { field: 'created_at', operator: 'before', value: '2026-11-20T08:30:00.000Z' },
    ],
    [
      'a date',
      { field: 'created_at', operator: 'after', value: '2026-11-20' },
      { field: 'created_at', operator: 'after', value: '2026-11-20T00:00:00.000Z' },
    ],
  ])('may have %s', (_what, filter, read) => {
    expect(parseSegmentFilter(filter)).toEqual(read)
    expect(fitsDocument(filter)).toBe(true)
  })

  const kinds = '`all`, `any`, `not`, `field`, `property`, `topic`, `segment`'
  it.each<[filter: unknown, problem: string]>([
    [[], 'The `filter` field must be a rule, which is an object.'],
    [{}, `The \`filter\` field must be a rule, with exactly one of ${kinds}.`],
    [{ all: [LEAF], any: [LEAF] }, `The \`filter\` field must be a rule, with exactly one of ${kinds}.`],
    [{ all: [] }, 'The `filter.all` field must not be empty.'],
    [{ any: LEAF }, 'The `filter.any` field must be an array of rules.'],
    [{ all: [LEAF, null] }, 'The `filter.all[1]` field must be a rule, which is an object.'],
    [{ not: { not: [] } }, 'The `filter.not.not` field must be a rule, which is an object.'],
    [{ ...LEAF, negate: true }, 'The `filter.negate` field does not belong here: a rule with `field` has `field`, `operator`, `value`.'],
    [
      { all: [LEAF, { not: { field: 'phone', operator: 'equals', value: 'x' } }] },
      'The `filter.all[1].not.field` field must be one of: `email`, `first_name`, `last_name`, `unsubscribed`, `created_at`. It is "phone".',
    ],
    [{ field: 'email' }, 'Missing `filter.operator` field.'],
    [
      { field: 'email', operator: 'greater_than', value: 'x' },
      'The `filter.operator` field must be one of: `equals`, `not_equals`, `contains`, `not_contains`, `starts_with`, `ends_with`, `is_set`, `is_not_set`. It is "greater_than".',
    ],
    [{ field: 'email', operator: 'equals' }, 'Missing `filter.value` field.'],
    [{ field: 'email', operator: 'equals', value: 1 }, 'The `filter.value` field must be a string. It is 1.'],
    [{ ...LEAF, value: 'x' }, 'The `filter.value` field must be left out: `is_set` takes none. It is "x".'],
    [
      { field: 'unsubscribed', operator: 'not_equals', value: true },
      'The `filter.operator` field must be one of: `equals`. It is "not_equals".',
    ],
    [{ field: 'unsubscribed', operator: 'equals', value: 'true' }, 'The `filter.value` field must be true or false. It is "true".'],
    [
      { field: 'created_at', operator: 'before', value: 'yesterday' },
      'The `filter.value` field must be a time in ISO 8601, such as `2026-11-20T09:30:00Z`. It is "yesterday".',
    ],
    [
      { field: 'created_at', operator: 'before', value: '2026-02-30' },
      'The `filter.value` field names a date or time that does not exist. It is "2026-02-30".',
    ],
    [
      { field: 'created_at', operator: 'before', value: '9999-12-31T23:59:59-14:00' },
      'The `filter.value` field must be before the year 10000, in UTC. It is "9999-12-31T23:59:59-14:00".',
    ],
    [{ property: 'a', operator: 'equals', value: true }, 'The `filter.value` field must be a string or a number. It is true.'],
    [
      { property: 'a', operator: 'equals', value: Number.POSITIVE_INFINITY },
      'The `filter.value` field must be a number that can be stored.',
    ],
    [{ property: 1, operator: 'is_set' }, 'The `filter.property` field must be a string. It is 1.'],
    [{ topic: 'news', subscription: 'opt_in' }, 'The `filter.topic` field must be a UUID. It is "news".'],
    [{ topic: ID, subscription: 'yes' }, 'The `filter.subscription` field must be one of: `opt_in`, `opt_out`. It is "yes".'],
    [{ segment: ID }, 'Missing `filter.member` field.'],
  ])('is refused with the place of what is wrong: %j', (filter, problem) => expect(problemOf(filter)).toBe(problem))

  it.each<[what: string, wrap: (rule: object) => object]>([
    ['all', (rule) => ({ all: [rule] })],
    ['any', (rule) => ({ any: [LEAF, rule] })],
    ['not', (rule) => ({ not: rule })],
  ])('may be %s within one another down to the limit, and no deeper', (_what, wrap) => {
    const nested = (depth: number) => Array.from({ length: depth - 1 }).reduce<object>(wrap, LEAF)
    const problem = 'The `filter` field may have at most 20 rules within one another.'
    expect(problemOf(nested(FILTER_DEPTH_MAX))).toBeNull()
    expect(problemOf(nested(FILTER_DEPTH_MAX + 1))).toBe(problem)
    expect(problemOf(nested(100_000))).toBe(problem)
  })

  it('may ask up to the limit, and no more', () => {
    const asking = (count: number) => ({ any: [{ all: Array(count - 1).fill(LEAF) }, { not: LEAF }] })
    expect(problemOf(asking(FILTER_LEAVES_MAX))).toBeNull()
    expect(problemOf(asking(FILTER_LEAVES_MAX + 1))).toBe(
      'The `filter` field may have at most 1,000 rules that ask something of a contact.',
    )
  })

  it('may have long values up to the limit, and none longer', () => {
    const withValue = (length: number) => ({ property: 'a', operator: 'equals', value: 'x'.repeat(length) })
    expect(problemOf(withValue(FILTER_VALUE_LENGTH_MAX))).toBeNull()
    expect(problemOf(withValue(FILTER_VALUE_LENGTH_MAX + 1))).toBe('The `filter.value` field must have at most 1000 characters.')
  })

  it('is read or refused with a sentence, whatever it is', () => {
    const word = fc.constantFrom(
      'all',
      'any',
      'not',
      'field',
      'operator',
      'value',
      'property',
      'topic',
      'subscription',
      'segment',
      'member',
      '__proto__',
    )
    const value = fc.oneof(fc.anything(), fc.constantFrom('email', 'equals', 'is_set', 'created_at', 'opt_in', ID, '2026-11-20'))
    const { rule } = fc.letrec((tie) => ({
      rule: fc.oneof(
        { maxDepth: 4 },
        value,
        fc.dictionary(word, fc.oneof(value, tie('rule'), fc.array(tie('rule'), { maxLength: 3 })), { maxKeys: 3 }),
      ),
    }))
    fc.assert(
      fc.property(rule, (filter) => {
        expect(problemOf(filter)).toSatisfy((problem: string | null) => problem === null || /^(The|Missing) .*\.$/s.test(problem))
      }),
    )
  })

  it('is refused exactly when the document says so, apart from its size', () => {
    const leaf = fc.oneof(
      fc.constantFrom<object>(
        LEAF,
        { field: 'first_name', operator: 'contains', value: 'a' },
        { field: 'unsubscribed', operator: 'equals', value: true },
        { field: 'created_at', operator: 'after', value: '2026-11-20' },
        { property: 'a', operator: 'equals', value: 'a' },
        { topic: ID, subscription: 'opt_in' },
        { segment: ID, member: true },
      ),
      ofParts({
        field: ['email', 'last_name', 'unsubscribed', 'created_at', 'phone'],
        operator: ['equals', 'ends_with', 'is_not_set', 'before', 'less_than', 'matches'],
        value: VALUES,
      }),
      ofParts({ property: ['a', '', 5], operator: ['equals', 'contains', 'is_set', 'greater_or_equal', 'after'], value: VALUES }),
      ofParts({ topic: [ID, 'news'], subscription: ['opt_in', 'opt_out', 'yes'], member: [true] }),
      ofParts({ segment: [ID, 5], member: [true, false, 'true', null] }),
    )
    const { rule } = fc.letrec((tie) => {
      const rules = fc.array(tie('rule'), { maxLength: 3 })
      return {
        rule: fc.oneof(
          { maxDepth: 4 },
          { arbitrary: leaf, weight: 4 },
          fc.record({ all: rules }),
          fc.record({ any: rules }),
          fc.record({ not: tie('rule') }),
          fc.record({ all: rules, any: rules }),
          fc.record({ all: tie('rule') }),
          fc.constantFrom(null, 'rule', 5, [], {}),
        ),
      }
    })
    fc.assert(
      fc.property(rule, (filter) => {
        expect(fitsDocument(filter)).toBe(problemOf(filter) === null)
      }),
      { numRuns: 2_000 },
    )
  })

  it('tells of a long or broken name no more than its beginning', () => {
    expect(problemOf({ ...LEAF, [`\ud800${'x'.repeat(1_000)}`]: 1 })).toBe(
      `The \`filter.\ufffd${'x'.repeat(49)}\` field does not belong here: a rule with \`field\` has \`field\`, \`operator\`, \`value\`.`,
    )
  })
})

/** The text is a time too: the document does not say which texts are times. */
const VALUES = ['2026-11-20', 'x'.repeat(FILTER_VALUE_LENGTH_MAX + 1), 5, true, null]

/** Objects with these fields, each absent or with one of its values. */
const ofParts = (parts: Record<string, unknown[]>) =>
  fc.record(Object.fromEntries(Object.entries(parts).map(([name, values]) => [name, fc.constantFrom(...values)])), { requiredKeys: [] })
