// Fills in a template for one email: what it says once the variables have values.
import { invalid } from '../../lib/failure.ts'
import { explainProblem } from '../../lib/problem.ts'
import type { VariableType, VariableValue, VariableValues } from '../../schemas/template-variables.ts'
import { isOfContact } from '../rendering/contact-placeholders.ts'
import type { ReadContent } from '../rendering/read-contents.ts'
import { FILLED_BYTES_MAX, type Renderable, type Rendered, render, type ValueOf } from '../rendering/rendering.ts'
import { isReserved, RESERVED_REASON, textOfValue, typeProblem } from './template-fields.ts'

export type DeclaredVariable = { key: string; type: VariableType; fallbackValue: VariableValue | null }

export type FilledTemplate = {
  subject: string | null
  html: string
  text: string | null
  /** Names that have neither a value nor a fallback: variables, and what only messages to contacts have. */
  missing: string[]
  /** Variables that stand in the subject and have more than one line. */
  broken: string[]
}

/**
 * @param field where the values are in the request, for the sentence; `bytesMax`: of HTML and text together, if that is less than
 * `FILLED_BYTES_MAX`
 * @returns `too long`: it would have more
 * @throws Failure about the first value that is wrong
 */
export function fillTemplate(
  { subject, html, text }: ReadContent,
  {
    variables,
    values,
    field,
    bytesMax = FILLED_BYTES_MAX,
    contactValue = () => null,
    isOfOthers = () => false,
  }: {
    variables: readonly DeclaredVariable[]
    values: VariableValues
    field: string
    bytesMax?: number
    /** What stands for the placeholders of contacts, if it is for one. */
    contactValue?: ValueOf
    /** Whether the value of a variable comes from other people, and is escaped. */
    isOfOthers?: (key: string) => boolean
  },
): FilledTemplate | 'too long' {
  checkValues(variables, values, field)
  const valueFor = valuesOf({ variables, values, contactValue, isOfOthers })
  const ofSubject = subject && render(subject, valueFor, Math.min(bytesMax, FILLED_BYTES_MAX))
  if (ofSubject === 'too long') return 'too long'
  const rendered = renderAll([html, text], valueFor, Math.min(bytesMax, FILLED_BYTES_MAX))
  if (rendered === 'too long') return 'too long'
  const [ofHtml, ofText] = rendered
  return {
    subject: ofSubject?.text ?? null,
    html: ofHtml?.text ?? '',
    text: ofText?.text ?? null,
    missing: [...new Set([ofSubject, ...rendered].flatMap((part) => part?.missing ?? []))],
    broken: ofSubject?.broken ?? [],
  }
}

function renderAll(parts: (Renderable | null)[], valueFor: ValueOf, bytesMax: number): (Rendered | null)[] | 'too long' {
  const all: (Rendered | null)[] = []
  let left = bytesMax
  for (const part of parts) {
    const rendered = part && render(part, valueFor, left)
    if (rendered === 'too long') return 'too long'
    left -= Buffer.byteLength(rendered?.text ?? '')
    all.push(rendered)
  }
  return all
}

function checkValues(variables: readonly DeclaredVariable[], values: VariableValues, at: string): void {
  const declared = new Map(variables.map((variable) => [variable.key, variable]))
  for (const [key, value] of Object.entries(values)) {
    const field = `${at}.${key}`
    if (isReserved(key)) throw invalid(explainProblem(field, { problem: `must be left out: ${RESERVED_REASON}` }))
    const variable = declared.get(key)
    const problem = variable ? typeProblem(variable.type, value) : null
    if (problem) throw invalid(explainProblem(field, problem))
  }
}

/** What the team writes is put into HTML as it is: it may be a table of the goods that were bought. */
function valuesOf({
  variables,
  values,
  contactValue,
  isOfOthers,
}: {
  variables: readonly DeclaredVariable[]
  values: VariableValues
  contactValue: ValueOf
  isOfOthers: (key: string) => boolean
}): ValueOf {
  const fallbacks = new Map(variables.map(({ key, fallbackValue }) => [key, fallbackValue]))
  const known = new Map<string, ReturnType<ValueOf>>()
  const read: ValueOf = (name) => {
    if (isOfContact(name)) return contactValue(name)
    const fallback = fallbacks.get(name) ?? null
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    return {
      text: value === undefined ? null : textOfValue(value),
      fallback: fallback === null ? null : textOfValue(fallback),
      isRaw: !isOfOthers(name),
    }
  }
  return (name) => {
    const value = known.has(name) ? (known.get(name) ?? null) : read(name)
    known.set(name, value)
    return value
  }
}
