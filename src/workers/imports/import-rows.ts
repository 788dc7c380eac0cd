import { setImmediate } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { createCsvFileReader } from '../../lib/csv/csv-files.ts'
import type { CsvRow } from '../../lib/csv/csv-rows.ts'
import { createTextDecoder } from '../../lib/csv/text-encoding.ts'
import { Failure } from '../../lib/failure.ts'
import type { ImportToRun } from '../../repositories/imports/contact-imports.ts'

type Blobs = Context['gateways']['blobs']
type ImportFile = Pick<ImportToRun, 'blobKey' | 'encoding' | 'delimiter'>

/** Rows that are read at a time. Requests are answered in between. */
const ROWS_IN_ONE_GO = 200

/** The header and the rows after it, a few at a time, with a pause after each few. */
export async function* rowsOf(blobs: Blobs, { blobKey, encoding, delimiter }: ImportFile): AsyncGenerator<CsvRow[]> {
  if (blobKey === null) throw new Failure('notFound', 'The file of an import that has not ended is not there')
  const decoder = createTextDecoder(encoding)
  const reader = createCsvFileReader(delimiter)
  async function* paced(rows: CsvRow[]): AsyncGenerator<CsvRow[]> {
    for (let from = 0; from < rows.length; from += ROWS_IN_ONE_GO) {
      yield rows.slice(from, from + ROWS_IN_ONE_GO)
      await setImmediate()
    }
  }
  for await (const chunk of await blobs.open(blobKey)) yield* paced(reader.push(decoder.push(chunk)))
  yield* paced(reader.push(decoder.end()))
  yield* paced(reader.end())
}

/** The line where a row begins, counted without the header; null if the file has no such row. */
export async function lineOfRow(blobs: Blobs, file: ImportFile, row: number): Promise<number | null> {
  let before = 0
  for await (const rows of rowsOf(blobs, file)) {
    const found = rows[row - before]
    if (found) return found.line
    before += rows.length
  }
  return null
}
