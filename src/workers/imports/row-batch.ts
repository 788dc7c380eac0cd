// Collects the rows of a file into a batch: each address once, later rows over earlier ones.
import type { Clock } from '../../lib/clock.ts'
import type { CsvRow } from '../../lib/csv/csv-rows.ts'
import { createId } from '../../lib/ids.ts'
import { type RefusedRow, type RowContact, type RowPerson, readContactRow, refusedRow } from '../../mail/audience/imported-contact.ts'
import type { ImportToRun } from '../../repositories/imports/contact-imports.ts'
import type { ImportBatch } from '../../repositories/imports/import-batches.ts'

export type RowBatch = {
  readonly total: number
  /** Characters of its rows in the file. */
  readonly length: number
  add(row: CsvRow): void
  content(): ImportBatch
}

export type RowBatchOptions = Pick<ImportToRun, 'columns' | 'onConflict' | 'topics'> & {
  hashAddress: (email: string) => string
  clock: Clock
}

export function createRowBatch({ columns, onConflict, topics, hashAddress, clock }: RowBatchOptions): RowBatch {
  const hasOptOuts = topics.some(({ subscription }) => subscription === 'opt_out')
  const contacts = new Map<string, ImportBatch['contacts'][number]>()
  const refusals: ImportBatch['refusals'] = []
  const optOuts: ImportBatch['optOuts'] = []
  let total = 0
  let length = 0

  function addContact(contact: RowContact): void {
    const before = contacts.get(contact.email)
    if (!before) {
      contacts.set(contact.email, { ...contact, id: createId(clock), addressHash: hashAddress(contact.email) })
      return
    }
    // An opt-out counts even if the rest of the row is dropped.
    before.unsubscribed ||= contact.unsubscribed
    if (onConflict === 'skip') return
    before.firstName = contact.firstName ?? before.firstName
    before.lastName = contact.lastName ?? before.lastName
    Object.assign(before.properties, contact.properties)
  }

  function refuse(line: number, { problem, person }: RefusedRow): void {
    const isHeard = person !== null && wantsLess(person)
    refusals.push({ line, reason: isHeard ? `${problem} ${HEARD}` : problem })
    if (isHeard) optOuts.push({ addressHash: hashAddress(person.email), unsubscribed: person.unsubscribed })
  }

  const wantsLess = ({ unsubscribed }: RowPerson): boolean => unsubscribed || hasOptOuts

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
      const read = 'problem' in row ? refusedRow(row, columns) : readContactRow(row.cells, columns)
      if ('problem' in read) refuse(row.line, read)
      else addContact(read)
    },
    content: () => ({
      total,
      contacts: [...contacts.values()],
      repeated: total - refusals.length - contacts.size,
      refusals,
      optOuts,
    }),
  }
}

const HEARD = 'Its opt-out was recorded nevertheless.'
