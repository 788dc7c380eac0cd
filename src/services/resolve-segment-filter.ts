// Turns a client's filter into the stored form: names become numbers and ids of the team's own properties, topics and segments.
import type { Context } from '../context.ts'
import {
  asksOnlyWhetherSet,
  type FieldLeaf,
  type FilterLeaf,
  mapLeaves,
  NUMBER_OPERATORS,
  type StoredLeaf,
  type StoredRule,
  TEXT_OPERATORS,
} from '../lib/audience/segment-rules.ts'
import { invalid } from '../lib/failure.ts'
import { quotedValue } from '../lib/quotation.ts'
import { contactAddress, partOfContactAddress } from '../mail/audience/contact-addresses.ts'
import { parseSegmentFilter } from '../mail/audience/segment-filters.ts'
import type { PropertyRow } from '../repositories/contacts/contact-properties.ts'

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
          `The \`${path}.property\` field is not a property of your contacts: create it first at POST /contact-properties.${quotedValue(leaf.property)}`,
        )
      uses.add(property.id)
      return ofProperty(property, leaf, path)
    }
    if ('topic' in leaf) {
      const defaultSubscription = topics.get(leaf.topic)
      if (!defaultSubscription) throw invalid(`The \`${path}.topic\` field is not the id of a topic of yours.${quotedValue(leaf.topic)}`)
      uses.add(leaf.topic)
      return { ...leaf, default: defaultSubscription }
    }
    const hasFilter = segments.get(leaf.segment)
    if (hasFilter === undefined)
      throw invalid(`The \`${path}.segment\` field is not the id of a segment of yours.${quotedValue(leaf.segment)}`)
    if (hasFilter)
      throw invalid(
        `The \`${path}.segment\` field names a segment with a filter: a filter can ask only for segments that have none.${quotedValue(leaf.segment)}`,
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
