// Maps the columns of a file to fields of a contact.
import { type Problem, problem } from '../../../lib/problem.ts'
import type { PropertyType } from '../properties/properties.schema.ts'

/**
 * The name of a column, by its field. Null means that the field is not read. A field that is missing here is read from the column of its name, if
 * there is one.
 */
export type ColumnMap = {
  email?: string | null
  first_name?: string | null
  last_name?: string | null
  unsubscribed?: string | null
  properties?: Record<string, { column: string; type?: ColumnType | null }> | null
}

/** A boolean is stored as the text `true` or `false`. */
export type ColumnType = PropertyType | 'boolean'

/** Positions in a row; null if the file has no such column. */
export type ContactColumns = {
  email: number
  firstName: number | null
  lastName: number | null
  unsubscribed: number | null
  properties: { at: number; key: string; type: ColumnType }[]
  /** The names of the columns in the file. */
  names: string[]
}

/** Made once the properties exist, with the number under which contacts store their values. */
export type NumberedColumns = Omit<ContactColumns, 'properties'> & {
  properties: (ContactColumns['properties'][number] & { number: number })[]
}

export const COLUMNS_MAX = 1_000
export const COLUMN_NAME_LENGTH_MAX = 256
/** Limits the ignored columns that an answer names. */
export const IGNORED_COLUMNS_MAX = 50
export const IGNORED_COLUMN_NAME_LENGTH_MAX = 100

export type KnownProperty = { key: string; type: PropertyType }

const FIELDS = ['email', 'first_name', 'last_name', 'unsubscribed'] as const

/** The sentences of its problems follow "The `file` field". */
export function contactColumns(header: string[], map: ColumnMap, properties: KnownProperty[]): ContactColumns | Problem {
  const names = header.map((name) => name.trim())
  if (names.length > COLUMNS_MAX) return problem(`may not have more than ${COLUMNS_MAX} columns`)
  if (names.some((name) => name.length > COLUMN_NAME_LENGTH_MAX))
    return problem(`may not have a column whose name is longer than ${COLUMN_NAME_LENGTH_MAX} characters`)
  const byName = new Map<string, number>()
  const repeated = new Set<string>()
  for (const [at, name] of names.entries()) {
    if (name === '') continue
    if (byName.has(fold(name))) repeated.add(name)
    else byName.set(fold(name), at)
  }
  const find = (name: string): number | null => byName.get(fold(name)) ?? null

  const places: Partial<Record<(typeof FIELDS)[number], number>> = {}
  for (const field of FIELDS) {
    const name = map[field]
    const at = name === null ? null : find(name ?? field)
    if (at !== null) places[field] = at
    else if (typeof name === 'string') return missing(`column_map.${field}`, name)
  }
  if (places.email === undefined) return problem(NO_EMAIL)
  // Checked last, because the first line of a file without a header holds the data of a person.
  const [twice] = repeated
  if (twice !== undefined) return problem(`has two columns called \`${twice}\`: their names must differ, in more than upper and lower case`)

  const mapped = new Map(Object.entries(map.properties ?? {}))
  const read: ContactColumns['properties'] = []
  for (const [key, { column, type }] of mapped) {
    const at = find(column)
    if (at === null) return missing(`column_map.properties.${key}.column`, column)
    const known = properties.find((property) => property.key === key)
    if (known && type && (type === 'boolean' ? 'string' : type) !== known.type)
      return problem(`cannot be read: \`column_map.properties.${key}.type\` is ${type}, and the property \`${key}\` is a ${known.type}`)
    read.push({ at, key, type: type ?? known?.type ?? 'string' })
  }
  for (const { key, type } of properties) {
    const at = names.indexOf(key)
    if (at !== -1 && !mapped.has(key)) read.push({ at, key, type })
  }
  return {
    email: places.email,
    firstName: places.first_name ?? null,
    lastName: places.last_name ?? null,
    unsubscribed: places.unsubscribed ?? null,
    properties: read,
    names,
  }
}

/** Names of ignored columns: the first of them, each cut if it is long. */
export function ignoredColumns({ email, firstName, lastName, unsubscribed, properties, names }: NumberedColumns): string[] {
  const read = new Set([email, firstName, lastName, unsubscribed, ...properties.map(({ at }) => at)])
  return names
    .filter((name, at) => name !== '' && !read.has(at))
    .slice(0, IGNORED_COLUMNS_MAX)
    .map((name) => name.slice(0, IGNORED_COLUMN_NAME_LENGTH_MAX).toWellFormed())
}

const fold = (name: string): string => name.trim().toLowerCase()

const missing = (field: string, name: string): Problem => problem(`has no column called \`${name}\`, which \`${field}\` names`)

const NO_EMAIL =
  'must have a header line with a column `email`: its first line has none. Add the line, or name the column of the addresses in `column_map`'
