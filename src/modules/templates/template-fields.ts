// Checks the fields of a template that no schema can check.
import { invalid } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { explainProblem, isProblem, type Problem, problem } from '../../lib/problem.ts'
import { notEmpty } from '../../mail/address-forms.ts'
import { parseMailbox } from '../../mail/addresses.ts'
import { checkSubject } from '../../mail/headers.ts'
import {
  contactPlaceholders,
  isOfContact,
  isReserved,
  type PropertyOfContacts,
  RESERVED_NAMES,
  RESERVED_REASON,
} from '../../mail/rendering/contact-placeholders.ts'
import { type ExplainedWarning, placeholderLookAlikes } from '../../mail/rendering/placeholder-look-alikes.ts'
import { readPlaceholders } from '../../mail/rendering/placeholders.ts'
import { FALLBACK_LENGTH_MAX, type TemplateVariableInput, type VariableType, type VariableValue } from './template-variables.schema.ts'
import type { TemplateUpdate } from './templates.schema.ts'

/** @throws Failure about the first field that is wrong. */
export function checkTemplateFields({ alias, from, subject, reply_to: replyTo, variables }: TemplateUpdate): void {
  if (alias != null && isId(alias)) throw invalid('The `alias` field must not have the form of an id.')
  if (from != null) checkMailbox('from', from)
  if (subject != null) refuse('subject', checkSubject(subject))
  const repliesTo = notEmpty(replyTo)
  if (typeof repliesTo === 'string') checkMailbox('reply_to', repliesTo)
  else for (const [index, address] of (repliesTo ?? []).entries()) checkMailbox(`reply_to[${index}]`, address)
  if (variables !== undefined) checkVariables(variables ?? [])
}

function checkMailbox(field: string, text: string): void {
  const parsed = parseMailbox(text)
  if (isProblem(parsed)) throw invalid(explainProblem(field, parsed, text))
}

function checkVariables(variables: TemplateVariableInput[]): void {
  for (const [index, { key, type, fallback_value: fallback }] of variables.entries()) {
    const field = `variables[${index}]`
    if (isReserved(key)) throw invalid(`The \`${field}.key\` field must not be \`${key}\`: ${RESERVED_REASON}.`)
    if (fallback != null) refuse(`${field}.fallback_value`, typeProblem(type, fallback) ?? lengthProblem(fallback))
  }
}

const WORDS: Record<VariableType, string> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  list: 'an array',
}

/** What is wrong with a value of a variable; null if it has the type. */
export function typeProblem(type: VariableType, value: VariableValue): Problem | null {
  if (typeOf(value) !== type) return problem(`must be ${WORDS[type]}, as the template declares`)
  return typeof value === 'number' && !Number.isFinite(value) ? problem(`must be a number of at most ${Number.MAX_VALUE}`) : null
}

function typeOf(value: VariableValue): VariableType {
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'object') return 'object'
  if (typeof value === 'number') return 'number'
  return typeof value === 'boolean' ? 'boolean' : 'string'
}

/** The value as it is written in an email. */
export const textOfValue = (value: VariableValue): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

const lengthProblem = (value: VariableValue): Problem | null =>
  textOfValue(value).length > FALLBACK_LENGTH_MAX
    ? problem(`may not have more than ${FALLBACK_LENGTH_MAX.toLocaleString('en')} characters`)
    : null

function refuse(field: string, found: Problem | null): void {
  if (found) throw invalid(explainProblem(field, found))
}

// What is doubtful about the placeholders of a template. It can still be saved: a property may be created later.

/** The limit of one answer. */
export const WARNINGS_MAX = 20

type Declared = { properties: readonly PropertyOfContacts[]; variables: readonly { key: string }[] }

/** The sentences of `explainedTemplateWarnings`. */
export const templateWarnings = async (texts: readonly (string | null)[], declared: Declared): Promise<string[]> =>
  (await explainedTemplateWarnings(texts, declared)).map(({ message }) => message)

/**
 * One about each name that nothing can fill in, and about each text that only looks like a placeholder, in the order of the texts: the first
 * `WARNINGS_MAX`.
 */
export async function explainedTemplateWarnings(
  texts: readonly (string | null)[],
  { properties, variables }: Declared,
): Promise<ExplainedWarning[]> {
  const known = contactPlaceholders(properties)
  const declared = new Set(variables.map(({ key }) => key))
  const names = new Set<string>()
  for (const text of texts) {
    for (const part of readPlaceholders(text ?? '')) if (typeof part !== 'string') names.add(part.name)
  }
  const warnings: ExplainedWarning[] = []
  const add = (message: string) => warnings.push({ code: 'placeholder_unknown', message })
  for (const name of names) {
    if (warnings.length === WARNINGS_MAX) return warnings
    const reserved = name.toUpperCase()
    if (isOfContact(name)) {
      if (known(name) === null)
        add(
          `\`{{{${name}}}}\` names a property that your contacts do not have: create it with POST /contact-properties, or correct the name.`,
        )
    } else if (name.includes('.')) add(`\`{{{${name}}}}\` cannot be filled in: the key of a variable has no dots.`)
    else if (RESERVED_NAMES.includes(reserved) && !declared.has(name))
      add(`\`{{{${name}}}}\` is a variable that the template does not declare: for what contacts have, write \`{{{${reserved}}}}\`.`)
  }
  const lookAlikes = await placeholderLookAlikes(texts, 'filled')
  return [...warnings, ...lookAlikes].slice(0, WARNINGS_MAX)
}
