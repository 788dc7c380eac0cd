// Values of variables as they are typed, and as the API gets them.
import type { RecordOf } from '../api/queries'

export type Variable = RecordOf<'/templates/{template_id}'>['variables'][number]
export type VariableType = Variable['type']
export type VariableValue = Variable['fallback_value']

export const VARIABLE_TYPES: readonly VariableType[] = ['string', 'number', 'boolean', 'object', 'list']

export const textOf = (value: VariableValue): string =>
  value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

/** What does not look like its type stays a text, and is refused with the sentence of the API. */
export function typedValue(type: VariableType, text: string): NonNullable<VariableValue> {
  if (type === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return type === 'string' ? text : jsonOf(text)
}

function jsonOf(text: string): NonNullable<VariableValue> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? Object(value) : text
  } catch {
    return text
  }
}

const PLACEHOLDER = /\{\{\{\s*(\w+)\s*(?:\|[^{}]*)?\}\}\}/g
/** They stand for what is of a contact or of the team, or for a link. */
const RESERVED = new Set([
  'FIRST_NAME',
  'LAST_NAME',
  'EMAIL',
  'UNSUBSCRIBE_URL',
  'RESEND_UNSUBSCRIBE_URL',
  'SERVICE_UNSUBSCRIBE_URL',
  'VIEW_URL',
  'TEAM_NAME',
  'TEAM_COLOR',
  'TEAM_LOGO_URL',
  'contact',
  'this',
])

/** The variables that the texts have, in their order. */
export const placeholdersIn = (...texts: string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].flatMap(([, name]) => (name && !RESERVED.has(name) ? [name] : [])))),
]
