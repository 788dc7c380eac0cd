// Rows as parameters of a statement, an array for each column; in SQL, because PostgreSQL reads arrays in less time than the same rows as JSON.
import type { Prisma } from '../generated/prisma/client.ts'

// Columns whose type Prisma does not know. A closed set is a text with a check in the database, not an enum, because plain SQL compares and joins
// it as text.

/**
 * A text of a closed set.
 * @throws if it is not in the set, because another version has written it.
 */
export function oneOf<Value extends string>(words: readonly Value[], text: string): Value {
  const word = words.find((one) => one === text)
  if (word !== undefined) return word
  throw new Error(`A row says ${JSON.stringify(text)} where it can only say ${words.join(' or ')}`)
}

/** The value of a JSON column. Only the repository that reads it writes it, from the type that it names here. */
export const stored = <Value>(json: Prisma.JsonValue): Value => json as Value

/** `bytea`: as PostgreSQL writes it. `text`: a string, or its bytes. `json text`: JSON already, read as jsonb. `text[]`: of each row. */
export type ColumnType = 'boolean' | 'bytea' | 'int' | 'json text' | 'jsonb' | 'text' | 'text[]' | 'timestamptz' | 'uuid'

export type RowArrays<Name extends string> = {
  /** SQL: the rows, for a FROM with an alias. */
  source: string
  /** The parameters, in their order. */
  values(rows: Readonly<Record<Name, unknown>>[]): (string | Buffer)[]
  /** The number of the parameter that follows. */
  next: number
}

/**
 * @param columns the fields of a row, and their types in SQL
 * @param first the number of the first parameter
 */
export function rowArrays<Name extends string>(columns: Record<Name, ColumnType>, first: number): RowArrays<Name> {
  const names = Object.keys(columns).filter((name): name is Name => name in columns)
  const typeOf = (name: Name) => SENT_AS[columns[name]] ?? columns[name]
  const selected = names.map((name) => (columns[name] === 'text[]' ? `"${name}"::text[] as "${name}"` : `"${name}"`))
  const parameters = names.map((name, index) => `$${first + index}::${typeOf(name)}[]`)
  const aliases = names.map((name) => `"${name}"`)
  return {
    source: `(select ${selected.join(', ')} from unnest(${parameters.join(', ')}) as row(${aliases.join(', ')}))`,
    values: (rows) => names.map((name) => encodeColumn(rows, name, columns[name])),
    next: first + names.length,
  }
}

const SENT_AS: Partial<Record<ColumnType, ColumnType>> = { 'text[]': 'text', 'json text': 'jsonb' }

/** A column of nulls alone is empty, and `unnest` fills it up to the length of the others. */
function encodeColumn<Name extends string>(rows: Readonly<Record<Name, unknown>>[], name: Name, type: ColumnType): string | Buffer {
  const isEmpty = rows.every((row) => row[name] === null || row[name] === undefined)
  if (isEmpty) return '{}'
  if (type === 'text' && rows.some((row) => row[name] instanceof Uint8Array)) return binaryTexts(rows.map((row) => row[name]))
  return toArrayLiteral(rows.map((row) => element(row[name], type)))
}

function element(value: unknown, type: ColumnType): string {
  if (value === null || value === undefined) return 'NULL'
  if (value instanceof Date) return value.toISOString()
  if (type === 'jsonb') return quoted(JSON.stringify(value))
  // A text for now: an array would become a dimension, and all rows would need one of the same length.
  return quoted(Array.isArray(value) ? toArrayLiteral(value.map((text) => quoted(String(text)))) : String(value))
}

/** An array as PostgreSQL's `array_send` writes it, for texts that are in UTF-8 already. */
function binaryTexts(texts: unknown[]): Buffer {
  const head = int32s(1, 0, TEXT_OID, texts.length, 1)
  const elements = texts.flatMap((text) => {
    if (text === null || text === undefined) return [int32s(-1)]
    const bytes = text instanceof Uint8Array ? text : Buffer.from(String(text))
    return [int32s(bytes.length), bytes]
  })
  return Buffer.concat([head, ...elements])
}

const TEXT_OID = 25

function int32s(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * Int32Array.BYTES_PER_ELEMENT)
  for (const [index, number] of numbers.entries()) bytes.writeInt32BE(number, index * Int32Array.BYTES_PER_ELEMENT)
  return bytes
}

const toArrayLiteral = (elements: string[]): string => `{${elements.join(',')}}`

/** Most texts have nothing to escape, which is seen much faster than replaced. */
const quoted = (text: string): string =>
  text.includes('"') || text.includes('\\') ? `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : `"${text}"`
