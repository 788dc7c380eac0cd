// Rows of a file as they become a batch: each address once, later rows over earlier ones.
import type { Clock } from '../lib/clock.ts'
import type { CsvRow } from '../lib/csv-rows.ts'
import { createId } from '../lib/ids.ts'
import { isProblem } from '../lib/problem.ts'
import { type RowContact, readContactRow } from '../mail/contact-rows.ts'
import type { ImportToRun } from '../repositories/contact-imports.ts'
import type { ImportBatch } from '../repositories/import-batches.ts'

export type RowBatch = {
  readonly total: number
  /** Characters of its rows in the file. */
  readonly length: number
  add(row: CsvRow): void
  content(): ImportBatch
}

export type RowBatchOptions = Pick<ImportToRun, 'columns' | 'onConflict'> & { hashAddress: (email: string) => string; clock: Clock }

export function createRowBatch({ columns, onConflict, hashAddress, clock }: RowBatchOptions): RowBatch {
  const contacts = new Map<string, ImportBatch['contacts'][number]>()
  const refusals: ImportBatch['refusals'] = []
  let total = 0
  let length = 0

  function addContact(contact: RowContact): void {
    const before = contacts.get(contact.email)
    if (!before) {
      contacts.set(contact.email, { ...contact, id: createId(clock), addressHash: hashAddress(contact.email) })
      return
    }
    // Whoever wants no more mail is heard, also where the row is dropped otherwise.
    before.unsubscribed ||= contact.unsubscribed
    if (onConflict === 'skip') return
    before.firstName = contact.firstName ?? before.firstName
    before.lastName = contact.lastName ?? before.lastName
    Object.assign(before.properties, contact.properties)
  }

  return {
    get total() {
      return total
    },
    get length() {
      return length
    },
    add(row) {
      total += 1
      length += row.length
      const contact = 'problem' in row ? row : readContactRow(row.cells, columns)
      if (isProblem(contact)) refusals.push({ line: row.line, reason: contact.problem })
      else addContact(contact)
    },
    content: () => ({
      total,
      contacts: [...contacts.values()],
      repeated: total - refusals.length - contacts.size,
      refusals,
    }),
  }
}
