// Reads the filter of a segment. It is strict, because ignoring a part would silently select other contacts.

import { invalid } from '../../../../lib/failure.ts'
import { isId } from '../../../../lib/ids.ts'
import { isProblem, quotedValue } from '../../../../lib/problem.ts'
import { parseIsoTime } from '../../../../lib/times/iso-times.ts'
import { isRecord } from '../../../../lib/validation/field-tree.ts'
import { SUBSCRIPTIONS } from '../../audience-fields.ts'
import { FILTER_DEPTH_MAX, FILTER_LEAVES_MAX, FILTER_VALUE_LENGTH_MAX } from '../segments.schema.ts'
import {
  asksOnlyWhetherSet,
  BOOLEAN_OPERATORS,
  type FilterLeaf,
  type FilterRule,
  NUMBER_OPERATORS,
  TEXT_FIELDS,
  TEXT_OPERATORS,
  TIME_OPERATORS,
} from './segment-rules.ts'

/** @throws Failure about the first rule that is wrong, with its place: `filter.all[2].not.operator`. */
export function parseSegmentFilter(filter: unknown): FilterRule {
  let leaves = 0

  function parse(rule: unknown, path: string, depth: number): FilterRule {
    // Checked before anything below is read, so that no filter makes this walk deeper.
    if (depth > FILTER_DEPTH_MAX) throw invalid(`The \`filter\` field may have at most ${FILTER_DEPTH_MAX} rules within one another.`)
    if (!isRecord(rule)) throw wrong(path, 'must be a rule, which is an object', rule)
    const [kind, ...others] = KINDS.filter((name) => Object.hasOwn(rule, name))
    if (kind === undefined || others.length > 0) throw wrong(path, `must be a rule, with exactly one of ${listed(KINDS)}`)
    const known: readonly string[] = FIELDS[kind]
    const unknown = Object.keys(rule).find((name) => !known.includes(name))
    if (unknown !== undefined) throw wrong(fieldPath(path, unknown), `does not belong here: a rule with \`${kind}\` has ${listed(known)}`)
    const parseEach = (name: string, rules: unknown) => {
      if (!Array.isArray(rules)) throw wrong(`${path}.${name}`, 'must be an array of rules', rules)
      if (rules.length === 0) throw wrong(`${path}.${name}`, 'must not be empty')
      return rules.map((one, index) => parse(one, `${path}.${name}[${index}]`, depth + 1))
    }
    if (kind === 'all') return { all: parseEach('all', rule.all) }
    if (kind === 'any') return { any: parseEach('any', rule.any) }
    if (kind === 'not') return { not: parse(rule.not, `${path}.not`, depth + 1) }
    leaves += 1
    if (leaves > FILTER_LEAVES_MAX)
      throw invalid(
        `The \`filter\` field may have at most ${FILTER_LEAVES_MAX.toLocaleString('en')} rules that ask something of a contact.`,
      )
    return LEAVES[kind](rule, path)
  }

  return parse(filter, 'filter', 1)
}

const KINDS = ['all', 'any', 'not', 'field', 'property', 'topic', 'segment'] as const
const FIELDS = {
  all: ['all'],
  any: ['any'],
  not: ['not'],
  field: ['field', 'operator', 'value'],
  property: ['property', 'operator', 'value'],
  topic: ['topic', 'subscription'],
  segment: ['segment', 'member'],
} as const

type RuleInput = Record<string, unknown>

const LEAVES: Record<'field' | 'property' | 'topic' | 'segment', (rule: RuleInput, path: string) => FilterLeaf> = {
  field(rule, path) {
    const field = readChoice(FIELD_NAMES, rule.field, `${path}.field`)
    if (field === 'unsubscribed') {
      const operator = readChoice(BOOLEAN_OPERATORS, rule.operator, `${path}.operator`)
      return { field, operator, value: readBoolean(rule.value, `${path}.value`) }
    }
    if (field === 'created_at') {
      const operator = readChoice(TIME_OPERATORS, rule.operator, `${path}.operator`)
      return { field, operator, value: readTime(rule.value, `${path}.value`) }
    }
    const operator = readChoice(TEXT_OPERATORS, rule.operator, `${path}.operator`)
    if (asksOnlyWhetherSet(operator)) return refuseValue(rule, path, { field, operator })
    return { field, operator, value: readText(rule.value, `${path}.value`) }
  },

  /** The caller checks whether operator and value fit the type of the property. */
  property(rule, path) {
    const property = readText(rule.property, `${path}.property`)
    const operator = readChoice(PROPERTY_OPERATORS, rule.operator, `${path}.operator`)
    if (asksOnlyWhetherSet(operator)) return refuseValue(rule, path, { property, operator })
    if (typeof rule.value !== 'number') return { property, operator, value: readText(rule.value, `${path}.value`, 'a string or a number') }
    if (!Number.isFinite(rule.value)) throw wrong(`${path}.value`, 'must be a number that can be stored')
    return { property, operator, value: rule.value }
  },

  topic: (rule, path) => ({
    topic: readId(rule.topic, `${path}.topic`),
    subscription: readChoice(SUBSCRIPTIONS, rule.subscription, `${path}.subscription`),
  }),

  segment: (rule, path) => ({
    segment: readId(rule.segment, `${path}.segment`),
    member: readBoolean(rule.member, `${path}.member`),
  }),
}

const FIELD_NAMES = [...TEXT_FIELDS, 'unsubscribed', 'created_at'] as const
const PROPERTY_OPERATORS = [...new Set([...TEXT_OPERATORS, ...NUMBER_OPERATORS])]

const wrong = (path: string, sentence: string, value?: unknown) => invalid(`The \`${path}\` field ${sentence}.${quotedValue(value)}`)
const listed = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

/** A name that the client made up may be long, and may end in half a character. */
const fieldPath = (path: string, name: string) => `${path}.${name.slice(0, NAME_LENGTH_MAX).toWellFormed()}`
const NAME_LENGTH_MAX = 50

/** Null means "not given", as in all requests. */
function given(value: unknown, path: string): unknown {
  if (value === undefined || value === null) throw invalid(`Missing \`${path}\` field.`)
  return value
}

function readChoice<const Name extends string>(names: readonly Name[], value: unknown, path: string): Name {
  const text = given(value, path)
  const found = names.find((name) => name === text)
  if (found === undefined) throw wrong(path, `must be one of: ${listed(names)}`, text)
  return found
}

function readText(value: unknown, path: string, what = 'a string'): string {
  const text = given(value, path)
  if (typeof text !== 'string') throw wrong(path, `must be ${what}`, text)
  if (text.length > FILTER_VALUE_LENGTH_MAX) throw wrong(path, `must have at most ${FILTER_VALUE_LENGTH_MAX} characters`)
  return text
}

function readBoolean(value: unknown, path: string): boolean {
  const answer = given(value, path)
  if (typeof answer !== 'boolean') throw wrong(path, 'must be true or false', answer)
  return answer
}

function readId(value: unknown, path: string): string {
  const id = given(value, path)
  if (typeof id !== 'string' || !isId(id)) throw wrong(path, 'must be a UUID', id)
  return id.toLowerCase()
}

function readTime(value: unknown, path: string): string {
  const text = readText(value, path)
  const time = parseIsoTime(text)
  if (time === null) throw wrong(path, 'must be a time in ISO 8601, such as `2026-11-20T09:30:00Z`', text)
  if (isProblem(time)) throw wrong(path, time.problem, text)
  const instant = new Date(time.wallClockMs - (time.offsetMs ?? 0)).toISOString()
  // With its offset, a time of the last day of the calendar can be in a year of five digits, which PostgreSQL does not read in this form.
  if (!/^\d{4}-/.test(instant)) throw wrong(path, 'must be before the year 10000, in UTC', text)
  return instant
}

function refuseValue<Leaf extends { operator: string }>(rule: RuleInput, path: string, leaf: Leaf): Leaf {
  if (rule.value !== undefined && rule.value !== null)
    throw wrong(`${path}.value`, `must be left out: \`${leaf.operator}\` takes none`, rule.value)
  return leaf
}
