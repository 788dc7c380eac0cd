// What a person typed to try a template with, in the address of its page.
import type { AskedVariable } from '../../modules/templates/filled-template.ts'
import type { VariableType, VariableValue, VariableValues } from '../../modules/templates/template-variables.schema.ts'

/** What was typed, by the key of the variable. */
export type TypedValues = Record<string, string>

/** An address may have some thousand characters. */
export const TYPED_VALUE_LENGTH_MAX = 200

/** Before the key of the variable, so that no key looks like another part of the address. */
export const VALUE_PREFIX = 'v.'

export const typedValues = (query: object): TypedValues =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, text]) =>
      name.startsWith(VALUE_PREFIX) && typeof text === 'string' && text !== ''
        ? [[name.slice(VALUE_PREFIX.length), text.slice(0, TYPED_VALUE_LENGTH_MAX).toWellFormed().replaceAll('\0', '')]]
        : [],
    ),
  )

/**
 * The values as the API would get them. A value that does not look like the type of its variable stays a text, and is refused with the sentence of
 * the API.
 */
export const valuesOf = (typed: TypedValues, asked: readonly AskedVariable[]): VariableValues =>
  Object.fromEntries(
    asked.flatMap(({ key, type }) => {
      const text = Object.hasOwn(typed, key) ? typed[key] : undefined
      return text === undefined ? [] : [[key, parsedValue(type ?? 'string', text)]]
    }),
  )

function parsedValue(type: VariableType, text: string): VariableValue {
  if (type === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return type === 'string' ? text : jsonOf(text)
}

function jsonOf(text: string): VariableValue {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? Object(value) : text
  } catch {
    return text
  }
}

export type PreviewPlace = {
  /** Null: the newest. */
  version: string | null
  typed: TypedValues
  view: 'html' | 'text'
  remote: boolean
}

/** The query of an address that shows this. */
export function previewQuery({ version, typed, view, remote }: PreviewPlace): string {
  const query = new URLSearchParams({
    ...(version !== null && { version }),
    ...(view === 'text' && { view }),
    ...(remote && { remote: 'yes' }),
    ...Object.fromEntries(Object.entries(typed).map(([key, text]) => [VALUE_PREFIX + key, text])),
  }).toString()
  return query === '' ? '' : `?${query}`
}
