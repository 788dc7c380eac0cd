// Turns a client's filter into the stored form: names become numbers and ids of the team's own properties, topics and segments.

import { type Failure, invalid, notFound } from '../../../lib/failure.ts'
import { assertNever, quotedValue } from '../../../lib/problem.ts'
import { inUse, type Uses, usesIn } from '../../../lib/uses.ts'
import { contactAddress, partOfContactAddress } from '../../../mail/address-forms.ts'
import type { AudienceContext } from '../audience.context.ts'
import { TOO_MANY_SEGMENTS } from '../contacts/contacts.schema.ts'
import type { PropertyRow } from '../properties/properties.repository.ts'
import type { MembershipProblem } from './contact-segments.repository.ts'
import { parseSegmentFilter } from './filters/segment-filters.ts'
import {
  asksOnlyWhetherSet,
  type FieldLeaf,
  type FilterLeaf,
  mapLeaves,
  NUMBER_OPERATORS,
  type StoredLeaf,
  type StoredRule,
  TEXT_OPERATORS,
} from './filters/segment-rules.ts'
import type { FilterProblem, FilterToStore, SegmentChange } from './segments.repository.ts'

type Context = AudienceContext

/**
 * Why a contact cannot be added to a segment, or removed from it.
 * @param thing what the client calls a segment
 */
export function membershipFailure(problem: MembershipProblem, thing: 'Segment' | 'Audience' = 'Segment'): Failure {
  switch (problem) {
    case 'unknown segment':
      return notFound(thing)
    case 'unknown contact':
      return notFound('Contact')
    case 'segment with a filter':
      return invalid(
        'This segment has a filter, which selects its contacts, so none can be added or removed. Change the contact, or the filter.',
      )
    case 'too many segments':
      return invalid(TOO_MANY_SEGMENTS)
    default:
      return assertNever(problem)
  }
}

/** @param uses ids of the properties, topics and segments that the filter uses, each once */
export type ResolvedFilter = { filter: StoredRule; uses: string[] }

/**
 * The code that stores the filter must look up and lock what it uses again, because it may have been deleted by then.
 *
 * @throws Failure about the first rule that is wrong, with its place
 */
export async function resolveSegmentFilter(
  { repositories }: Pick<Context, 'repositories'>,
  teamId: string,
  input: unknown,
): Promise<ResolvedFilter> {
  const rule = parseSegmentFilter(input)
  const topicIds = new Set<string>()
  const segmentIds = new Set<string>()
  mapLeaves(rule, (leaf) => {
    if ('topic' in leaf) topicIds.add(leaf.topic)
    if ('segment' in leaf) segmentIds.add(leaf.segment)
    return leaf
  })
  const properties = new Map((await repositories.contactProperties.all(teamId)).map((property) => [property.key, property]))
  const { topics, segments } = await repositories.namedInFilters.named(teamId, { topicIds: [...topicIds], segmentIds: [...segmentIds] })
  const uses = new Set<string>()

  function resolve(leaf: FilterLeaf, path: string): StoredLeaf {
    if ('field' in leaf) return ofField(leaf)
    if ('property' in leaf) {
      const property = properties.get(leaf.property)
      if (!property)
        throw invalid(
          `The \`${path}.property\` field is not a property of your contacts: create it first with POST /contact-properties.${quotedValue(leaf.property)}`,
        )
      uses.add(property.id)
      return ofProperty(property, leaf, path)
    }
    if ('topic' in leaf) {
      const defaultSubscription = topics.get(leaf.topic)
      if (!defaultSubscription) throw invalid(`The \`${path}.topic\` field is not the id of one of your topics.${quotedValue(leaf.topic)}`)
      uses.add(leaf.topic)
      return { ...leaf, default: defaultSubscription }
    }
    const hasFilter = segments.get(leaf.segment)
    if (hasFilter === undefined)
      throw invalid(`The \`${path}.segment\` field is not the id of one of your segments.${quotedValue(leaf.segment)}`)
    if (hasFilter)
      throw invalid(
        `The \`${path}.segment\` field names a segment with a filter: a filter can refer only to segments without one.${quotedValue(leaf.segment)}`,
      )
    uses.add(leaf.segment)
    return leaf
  }

  return { filter: mapLeaves(rule, resolve), uses: [...uses] }
}

/** Addresses are stored in one form, which a rule about them would otherwise miss. */
function ofField(leaf: FieldLeaf): StoredLeaf {
  if (leaf.field !== 'email' || leaf.value === undefined) return leaf
  const { field, operator, value: written } = leaf
  const whole = operator === 'equals' || operator === 'not_equals' ? contactAddress(written) : null
  const value = typeof whole === 'string' ? whole : partOfContactAddress(written)
  return value === written ? leaf : { field, operator, value, written }
}

function ofProperty(
  { number, key, type }: PropertyRow,
  { operator, value }: Extract<FilterLeaf, { property: string }>,
  path: string,
): StoredLeaf {
  const refuseOperator = (operators: readonly string[]) =>
    invalid(
      `The \`${path}.operator\` field must be one of: ${operators.map((name) => `\`${name}\``).join(', ')}. The property \`${key}\` is a ${type}.${quotedValue(operator)}`,
    )
  const refuseValue = () =>
    invalid(`The \`${path}.value\` field must be a ${type}, like every value of the property \`${key}\`.${quotedValue(value)}`)

  if (type === 'string') {
    const known = TEXT_OPERATORS.find((name) => name === operator)
    if (!known) throw refuseOperator(TEXT_OPERATORS)
    if (asksOnlyWhetherSet(known)) return { property: number, type, operator: known }
    if (typeof value !== 'string') throw refuseValue()
    return { property: number, type, operator: known, value }
  }
  const known = NUMBER_OPERATORS.find((name) => name === operator)
  if (!known) throw refuseOperator(NUMBER_OPERATORS)
  if (asksOnlyWhetherSet(known)) return { property: number, type, operator: known }
  if (typeof value !== 'number') throw refuseValue()
  return { property: number, type, operator: known, value }
}

// Creates, changes and deletes segments, under either of their names.

type Dependencies = Pick<Context, 'repositories'>

/** @throws Failure about a limit, or about something that the filter uses and that no longer exists; FormUsed */
export async function createSegment(
  { repositories }: Dependencies,
  teamId: string,
  segment: { name: string; filter: FilterToStore | null },
  formId?: string,
): Promise<{ id: string; name: string }> {
  const created = await repositories.segments.create(teamId, segment, formId)
  if (typeof created === 'string' || 'usedBy' in created) throw invalid(filterSentence(created))
  return created
}

/** @returns null if the team has no such segment */
export async function updateSegment(
  { repositories }: Dependencies,
  teamId: string,
  { id, change }: { id: string; change: SegmentChange },
): Promise<{ id: string } | null> {
  const changed = await repositories.segments.updateSegment(teamId, id, change)
  if (typeof changed === 'string' || (changed !== null && 'usedBy' in changed)) throw invalid(filterSentence(changed))
  return changed
}

/**
 * A segment that does not exist counts as deleted.
 * Returns what could not go on without it.
 * @throws Failure if the filter of another segment uses it, or, with `unlessUsed`, an automation or a scheduled broadcast
 */
export async function deleteSegment(
  { repositories }: Dependencies,
  teamId: string,
  id: string,
  { unlessUsed = false } = {},
): Promise<{ id: string; ended: Uses }> {
  const result = await repositories.segments.deleteSegment(teamId, id, { unlessUsed })
  if (result === 'unknown') return { id: id.toLowerCase(), ended: usesIn([]) }
  if ('usedByFilterOf' in result)
    throw invalid(`This segment is used by the filter of the segment \`${result.usedByFilterOf}\`. Change that filter first.`)
  if ('usedBy' in result) throw inUse('segment', result.usedBy)
  return result
}

function filterSentence(problem: FilterProblem): string {
  if (typeof problem !== 'string')
    return `This segment cannot get a filter, because the filter of the segment \`${problem.usedBy}\` uses it. Change that filter first.`
  switch (problem) {
    case 'gone':
      return 'Something that the `filter` field names was changed or deleted at the same time. Check the filter, and retry.'
    case 'names itself':
      return 'The `filter` field must not name its own segment.'
    case 'has contacts':
      return 'Contacts were added to this segment, so it cannot get a filter. Remove them first, or create another segment.'
    default:
      return assertNever(problem)
  }
}
