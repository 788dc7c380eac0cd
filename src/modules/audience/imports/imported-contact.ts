// Reads a contact from a row of a file. Reasons name columns and never their contents, because reasons are kept longer than the file.

import { badByteIn } from '../../../lib/csv/text-encoding.ts'
import { isProblem, type Problem, problem } from '../../../lib/problem.ts'
import { contactAddress, contactForm } from '../../../mail/address-forms.ts'
import { parseMailbox } from '../../../mail/addresses.ts'
import { CONTACT_NAME_LENGTH_MAX } from '../contacts/contacts.schema.ts'
import { PROPERTY_VALUE_LENGTH_MAX } from '../properties/properties.schema.ts'
import type { ColumnType, NumberedColumns } from './contact-columns.ts'
import { saysUnsubscribed, UNSUBSCRIBED_WORDS } from './imports.schema.ts'

/** Null, false and absent mean that the row does not say. */
export type RowContact = {
  email: string
  firstName: string | null
  lastName: string | null
  unsubscribed: boolean
  /** Keyed by the number of the property. */
  properties: Record<string, string | number>
}

/**
 * A problem is a sentence of its own. `person` is the person of the row, as far as it can be read: an opt-out counts even if the row is refused.
 */
export type RefusedRow = Problem & { person: RowPerson | null }

export type RowPerson = Pick<RowContact, 'email' | 'unsubscribed'>

export function readContactRow(cells: string[], columns: NumberedColumns): RowContact | RefusedRow {
  const contact = readFields(cells, columns)
  return isProblem(contact) ? { ...contact, person: readPerson(cells, columns) } : contact
}

/** A row that the reader of the file refused. No cell can be trusted in a row that is cut in the middle, and such a row has none. */
export const refusedRow = ({ problem, cells }: { problem: string; cells?: string[] }, columns: NumberedColumns): RefusedRow => ({
  problem,
  person: cells ? readPerson(cells, columns) : null,
})

/**
 * In a row with too many cells, the positions are uncertain. If a field cannot be read counted from the start, it is looked for counted from the end.
 */
function readPerson(cells: string[], { names, email, unsubscribed }: NumberedColumns): RowPerson | null {
  const filled = cells.findLastIndex((cell) => cell.trim() !== '') + 1
  const shift = Math.max(0, filled - names.length)
  const read = <Value>(at: number, meaning: (cell: string) => Value | null): Value | null =>
    meaning(cells[at] ?? '') ?? meaning(cells[at + shift] ?? '')
  const address = read(email, addressIn)
  if (address === null) return null
  return { email: address, unsubscribed: unsubscribed !== null && read(unsubscribed, (cell) => saysUnsubscribed(cell) ?? null) === true }
}

/** An address with a name is found too. The row is refused for the name, but the person is clear. */
function addressIn(cell: string): string | null {
  const mailbox = parseMailbox(cell)
  return isProblem(mailbox) || badByteIn(mailbox.address) !== null ? null : contactForm(mailbox.address)
}

function readFields(cells: string[], columns: NumberedColumns): RowContact | Problem {
  if (cells.length !== columns.names.length)
    return problem(`The row has ${columnsCount(cells.length)}, and the header has ${columns.names.length}.`)
  const cell = (at: number | null): string => (at === null ? '' : (cells[at] ?? '').trim())
  const about = (at: number, { problem: what }: Problem) => problem(`The column \`${columns.names[at]}\` ${what}.`)

  const address = cell(columns.email)
  const email = address === '' ? NO_ADDRESS : contactAddress(address)
  if (typeof email !== 'string') return about(columns.email, email)
  const contact: RowContact = { email, firstName: null, lastName: null, unsubscribed: false, properties: {} }
  for (const field of ['firstName', 'lastName'] as const) {
    const at = columns[field]
    if (at === null) continue
    if (cell(at).length > CONTACT_NAME_LENGTH_MAX) return about(at, TOO_LONG_A_NAME)
    contact[field] = cell(at) || null
  }
  if (columns.unsubscribed !== null) {
    const said = saysUnsubscribed(cell(columns.unsubscribed))
    if (said === undefined) return about(columns.unsubscribed, NOT_SUCH_A_WORD)
    contact.unsubscribed = said ?? false
  }
  for (const { at, type, number } of columns.properties) {
    const value = propertyValue(type, cell(at))
    if (typeof value === 'object' && value !== null) return about(at, value)
    if (value !== null) contact.properties[number] = value
  }
  return contact
}

const columnsCount = (count: number): string => (count === 1 ? '1 column' : `${count} columns`)

function propertyValue(type: ColumnType, text: string): string | number | null | Problem {
  if (text === '') return null
  if (type === 'number') return NUMBER.test(text) && Number.isFinite(Number(text)) ? Number(text) : NOT_A_NUMBER
  if (type === 'boolean') {
    const said = truth(text)
    return typeof said === 'boolean' ? String(said) : said
  }
  return text.length > PROPERTY_VALUE_LENGTH_MAX ? TOO_LONG_A_VALUE : text
}

function truth(text: string): boolean | null | Problem {
  return text === '' ? null : (WORDS.get(text.toLowerCase()) ?? NOT_A_BOOLEAN)
}

const WORDS = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
])

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

const NO_ADDRESS = problem('is empty')
const NOT_SUCH_A_WORD = problem(`takes ${UNSUBSCRIBED_WORDS}`)
const NOT_A_BOOLEAN = problem('must be true, false, yes, no, 1, 0 or empty')
const NOT_A_NUMBER = problem('must be a number such as 1234.5')
const TOO_LONG_A_NAME = problem(`may not be longer than ${CONTACT_NAME_LENGTH_MAX} characters`)
const TOO_LONG_A_VALUE = problem(`may not be longer than ${PROPERTY_VALUE_LENGTH_MAX.toLocaleString('en')} characters`)
