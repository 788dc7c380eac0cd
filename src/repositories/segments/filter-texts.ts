// Rules over texts as conditions of SQL.

import type { StoredRule, TextField, TextOperator } from '../../lib/audience/segment-rules.ts'
import { WHITE_SPACE } from '../../lib/blank.ts'
import type { Lists } from './filter-lists.ts'
import { hasPairsOf } from './filter-pairs.ts'

/** A text of contacts `c`. */
type Text = {
  column: string
  /** Without regard to case. */
  folded: string
  /** The field as letter pairs know it; null if they do not know it. */
  field: string | null
}

export type TextLeaf = { operator: TextOperator; value?: string } & ({ field: TextField } | { property: number; type: 'string' })
/** A search in one text. */
export type TextTest = { text: Text; operator: TextOperator; value: string }

export const isTextLeaf = (rule: StoredRule): rule is TextLeaf =>
  ('property' in rule && rule.type === 'string') || ('field' in rule && rule.field !== 'unsubscribed' && rule.field !== 'created_at')

export const textTestOf = (leaf: TextLeaf, lists: Lists): TextTest => ({
  text: textOf(leaf, lists),
  operator: leaf.operator,
  value: leaf.value ?? '',
})

function textOf(leaf: TextLeaf, lists: Lists): Text {
  const column = 'property' in leaf ? `(c.properties ->> ${lists.key(leaf.property)})` : `c.${leaf.field}`
  // Addresses are stored in lower case.
  if ('field' in leaf && leaf.field === 'email') return { column, folded: column, field: null }
  return { column, folded: `lower(${column})`, field: 'property' in leaf ? String(leaf.property) : leaf.field }
}

/** Returns yes or no, never null. */
export function textCondition({ text, operator, value }: TextTest, lists: Lists): string {
  const isSet = () => `(coalesce(btrim(${text.column}, ${lists.parameter(WHITE_SPACE, 'text')}), '') <> '')`
  if (operator === 'is_set') return isSet()
  if (operator === 'is_not_set') return `(not ${isSet()})`
  const sought = SOUGHT[operator]
  const holds = anyTextCondition([{ text, operator: sought ?? operator, value }], lists)
  return sought === undefined ? holds : `(not ${holds})`
}

/** What must not be found. */
const SOUGHT: Partial<Record<TextOperator, TextOperator>> = { not_equals: 'equals', not_contains: 'contains' }

export const isAbsence = ({ operator }: TextLeaf): boolean => SOUGHT[operator] !== undefined

export function soughtTextOf(leaf: TextLeaf, lists: Lists): TextTest {
  const test = textTestOf(leaf, lists)
  return { ...test, operator: SOUGHT[test.operator] ?? test.operator }
}

/** Whether it can be combined with others of the same text, because reading the text is the expensive part. */
export const isSearch = ({ operator }: TextLeaf): boolean => operator === 'equals' || patternOf({ operator, value: '' }) !== null

/** Whether any of these searches, all in one text, finds something. */
export function anyTextCondition(searches: TextTest[], lists: Lists): string {
  const [first] = searches
  if (first === undefined) return 'false'
  const folded = (texts: string[]) => `any(array[${texts.map((text) => `lower(${lists.parameter(text, 'text')})`).join(', ')}])`
  const equal = searches.filter(({ operator }) => operator === 'equals').map(({ value }) => value)
  const patterns = searches.flatMap((search) => patternOf(search) ?? [])
  const conditions = [
    ...(equal.length > 0 ? [`${first.text.folded} = ${folded(equal)}`] : []),
    ...(patterns.length > 0 ? [`${first.text.folded} like ${folded(patterns)}`] : []),
  ]
  const { field } = first.text
  const hint =
    field === null
      ? ''
      : hasPairsOf(
          searches.map(({ value }) => [field, value]),
          lists,
        )
  return `(${hint}(${conditions.join(' or ')})) is true`
}

/** Null for what is no search within a text. */
function patternOf({ operator, value }: Pick<TextTest, 'operator' | 'value'>): string | null {
  const text = value.replace(/[\\%_]/g, '\\$&')
  if (operator === 'contains') return `%${text}%`
  if (operator === 'starts_with') return `${text}%`
  return operator === 'ends_with' ? `%${text}` : null
}
