import { type FilterRule, mapLeaves, type StoredRule } from '../lib/audience/segment-rules.ts'
import type { PropertyRow } from '../repositories/contacts/contact-properties.ts'

/**
 * A filter as the client wrote it.
 *
 * @param properties those of the team; a property that a filter uses cannot be deleted
 */
export function toSegmentFilter(filter: StoredRule, properties: Pick<PropertyRow, 'number' | 'key'>[]): FilterRule {
  const keys = new Map(properties.map(({ number, key }) => [number, key]))
  return mapLeaves(filter, (leaf) => {
    if ('topic' in leaf) return { topic: leaf.topic, subscription: leaf.subscription }
    if ('written' in leaf) return { field: leaf.field, operator: leaf.operator, value: leaf.written }
    if (!('property' in leaf)) return leaf
    const key = keys.get(leaf.property)
    if (key === undefined) throw new Error(`A filter names the property ${leaf.property}, which is gone`)
    const { operator, value } = leaf
    return { property: key, operator, ...(value !== undefined && { value }) }
  })
}
