// Checks the fields of a template that no schema can check.
import { invalid } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { explainProblem, isProblem, type Problem, problem } from '../../lib/problem.ts'
import { FALLBACK_LENGTH_MAX, type TemplateVariableInput, type VariableType, type VariableValue } from '../../schemas/template-variables.ts'
import type { TemplateUpdate } from '../../schemas/templates.ts'
import { parseMailbox } from '../addresses.ts'
import { checkSubject, notEmpty } from '../email-draft.ts'
import { RESERVED_NAMES } from '../rendering/contact-placeholders.ts'

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
  const keys = new Set<string>()
  for (const [index, { key, type, fallback_value: fallback }] of variables.entries()) {
    const field = `variables[${index}]`
    if (isReserved(key)) throw invalid(`The \`${field}.key\` field must not be \`${key}\`: ${RESERVED_REASON}.`)
    if (keys.has(key)) throw invalid(`The \`${field}.key\` field names \`${key}\` for the second time.`)
    keys.add(key)
    if (fallback != null) refuse(`${field}.fallback_value`, typeProblem(type, fallback) ?? lengthProblem(fallback))
  }
}

export const isReserved = (key: string): boolean => RESERVED_NAMES.includes(key)

export const RESERVED_REASON = 'this name stands for something of a contact'

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
