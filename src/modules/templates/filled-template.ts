// Fills in a template for one email: what it says once the variables have values.
import { invalid } from '../../lib/failure.ts'
import { explainProblem } from '../../lib/problem.ts'
import { isOfContact, isReserved, linkOfContact, RESERVED_REASON } from '../../mail/rendering/contact-placeholders.ts'
import { readPlaceholders, type ValueOf } from '../../mail/rendering/placeholders.ts'
import {
  type ContentSource,
  FILLED_BYTES_MAX,
  type ReadContent,
  type Renderable,
  type Rendered,
  render,
} from '../../mail/rendering/rendering.ts'
import { isOfTeam, type TeamValues, teamValue } from '../../mail/rendering/team-placeholders.ts'
import { textOfValue, typeProblem } from './template-fields.ts'
import type { VariableType, VariableValue, VariableValues } from './template-variables.schema.ts'

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
    team = null,
  }: {
    variables: readonly DeclaredVariable[]
    values: VariableValues
    field: string
    bytesMax?: number
    /** What stands for the placeholders of contacts, if it is for one. */
    contactValue?: ValueOf
    /** Whether the value of a variable comes from other people, and is escaped. */
    isOfOthers?: (key: string) => boolean
    /** What stands for the placeholders of the team, unless a variable has their name. */
    team?: TeamValues | null | undefined
  },
): FilledTemplate | 'too long' {
  checkValues(variables, values, field)
  const valueFor = valuesOf({ variables, values, contactValue, isOfOthers, team })
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
  team,
}: {
  variables: readonly DeclaredVariable[]
  values: VariableValues
  contactValue: ValueOf
  isOfOthers: (key: string) => boolean
  team: TeamValues | null
}): ValueOf {
  const fallbacks = new Map(variables.map(({ key, fallbackValue }) => [key, fallbackValue]))
  const known = new Map<string, ReturnType<ValueOf>>()
  const read: ValueOf = (name) => {
    if (isOfContact(name)) return contactValue(name)
    const fallback = fallbacks.get(name) ?? null
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    const ofTeam = team === null || value !== undefined || fallbacks.has(name) ? undefined : teamValue(name, team)
    if (ofTeam !== undefined) return { text: ofTeam, fallback: '', isRaw: false }
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

// Which variables a person can try a template with.

/** `type`: null for a placeholder that the template does not declare. */
export type AskedVariable = { key: string; type: VariableType | null; fallbackValue: DeclaredVariable['fallbackValue'] }

/** More than a person fills in. */
export const ASKED_VARIABLES_MAX = 100

/** Lists the declared variables, then the undeclared placeholders: at most `ASKED_VARIABLES_MAX`. */
export function askedVariables(texts: readonly (string | null)[], declared: readonly DeclaredVariable[]): AskedVariable[] {
  const asked = new Map<string, AskedVariable>(declared.map(({ key, type, fallbackValue }) => [key, { key, type, fallbackValue }]))
  for (const text of texts) {
    for (const part of readPlaceholders(text ?? '')) {
      if (asked.size >= ASKED_VARIABLES_MAX) return [...asked.values()]
      if (typeof part === 'string' || asked.has(part.name) || isOfContact(part.name) || isOfTeam(part.name) || part.name.includes('.'))
        continue
      asked.set(part.name, { key: part.name, type: null, fallbackValue: part.fallback })
    }
  }
  return [...asked.values()]
}

type TemplateContent = { subject: string | null; html: string; text: string | null }

/** What an email takes from a version of a template: what is read, and what else belongs to it. Null if the version is gone. */
export const templateSource = <Content extends TemplateContent>(
  content: Content | null,
): { source: ContentSource; about: Content } | null =>
  content && {
    source: { subject: content.subject, html: content.html, text: content.text, previewText: null },
    about: { ...content, subject: null, html: '', text: null },
  }

// Why an email cannot be made of a template, for the client.

/**
 * @param name of a placeholder that has neither a value nor a fallback
 * @param isForContact whether the email is to a contact, and not just to addresses
 */
export function sentenceAboutMissing(name: string, { isForContact }: { isForContact: boolean }): string {
  const link = linkOfContact(name)
  if (link === 'unsubscribeUrl')
    return `The template has \`{{{${name}}}}\`, the link with which a contact unsubscribes, and this email is to addresses. Use a variable of another name, with the link of GET /contacts/{contact_id}/unsubscribe-link as its value, or send the template by a broadcast or an automation.`
  if (link === 'viewUrl')
    return `The template has \`{{{${name}}}}\`, the link to an email of a broadcast in a browser. Use a template without this link, or send this one by a broadcast.`
  if (isOfContact(name) && isForContact)
    return `The template has \`{{{${name}}}}\`, which is not a field or a property of this contact. Correct the name, create the property with POST /contact-properties, or give the placeholder a fallback.`
  if (isOfContact(name))
    return `The template has \`{{{${name}}}}\`, which is a field of contacts, and this email is to addresses. Give the placeholder a fallback, or use a variable.`
  if (name.includes('.'))
    return `The template has \`{{{${name}}}}\`, which no variable can fill in, because the key of a variable has no dots. Correct the name.`
  return `Missing \`template.variables.${name}\` field: the template has no fallback for it.`
}

/** @param name of a placeholder in the subject whose value has several lines */
export const sentenceAboutBroken = (name: string): string =>
  `The \`template.variables.${name}\` field must be one line, because the subject of the template uses it.`
