// Which column of a file holds what, as a form asks for it and as the API takes it.
import type { components } from '../api/schema'

type ImportColumns = components['schemas']['ContactImportColumns']

/** Columns that can be chosen. Later ones are ignored, unless they have the name of a field or property. */
export const COLUMNS_SHOWN_MAX = 100
const KEY_LENGTH_MAX = 50

export const FIELDS = ['email', 'first_name', 'last_name', 'unsubscribed'] as const
export const IGNORED = 'ignored'
export const NEW_TEXT = 'new:string'
export const NEW_NUMBER = 'new:number'
export const propertyChoice = (key: string): string => `property:${key}`

const USUAL_NAMES: Readonly<Record<string, string>> = {
  ...{ email: 'email', 'e-mail': 'email', email_address: 'email', mail: 'email', address: 'email' },
  ...{ first_name: 'first_name', firstname: 'first_name', given_name: 'first_name', forename: 'first_name' },
  ...{ last_name: 'last_name', lastname: 'last_name', family_name: 'last_name', surname: 'last_name' },
  ...{ unsubscribed: 'unsubscribed', opted_out: 'unsubscribed' },
}

/** What a column probably holds, each field at most once. */
export function likelyChoices(names: readonly string[], keys: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.slice(0, COLUMNS_SHOWN_MAX).map((name) => {
    const folded = name.toLowerCase().replaceAll(' ', '_')
    const field = Object.hasOwn(USUAL_NAMES, folded) ? USUAL_NAMES[folded] : undefined
    const key = keys.includes(name) ? name : keys.find((each) => each.toLowerCase() === folded)
    const choice = key === undefined ? field : propertyChoice(key)
    if (choice === undefined || taken.has(choice)) return IGNORED
    taken.add(choice)
    return choice
  })
}

export function columnMapOf(names: readonly string[], choices: readonly string[]): ImportColumns {
  const chosen = names.slice(0, COLUMNS_SHOWN_MAX).map((column, index) => ({ column, choice: choices[index] ?? IGNORED }))
  const columnOf = (field: string) => chosen.find(({ choice }) => choice === field)?.column ?? null
  const properties = chosen.flatMap(({ column, choice }): [string, { column: string; type?: 'string' | 'number' }][] => {
    if (choice === NEW_TEXT) return [[keyOf(column), { column, type: 'string' }]]
    if (choice === NEW_NUMBER) return [[keyOf(column), { column, type: 'number' }]]
    return choice.startsWith('property:') ? [[choice.slice('property:'.length), { column }]] : []
  })
  return {
    ...{ email: columnOf('email'), first_name: columnOf('first_name'), last_name: columnOf('last_name') },
    unsubscribed: columnOf('unsubscribed'),
    properties: Object.fromEntries(properties),
  }
}

/** What the API calls the field that a choice fills in; null if the column is left out. */
export function fieldOfColumn(name: string, choice: string): string | null {
  if (choice === IGNORED) return null
  if (choice === NEW_TEXT || choice === NEW_NUMBER) return `column_map.properties.${keyOf(name)}`
  return `column_map.${choice.startsWith('property:') ? `properties.${choice.slice('property:'.length)}` : choice}`
}

/** The key of a new property: what is no letter, digit or underscore becomes an underscore. */
const keyOf = (column: string): string =>
  column
    .toLowerCase()
    .replace(/[^a-z0-9_]/g, '_')
    .slice(0, KEY_LENGTH_MAX)
