// Answers that are CSV files with as many rows as a team has: read page by page, and written as fast as the client takes them. No transaction is open
// meanwhile, and no more than a page is in memory.
import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { csvLine } from '../lib/csv/csv-files.ts'
import { Failure } from '../lib/failure.ts'
import { pause } from '../lib/poll-loop.ts'
import { Named } from '../lib/validation/common.schema.ts'
import { asDownload } from './headers.ts'

/** More than a spreadsheet opens. */
export const CSV_ROWS_MAX = 2_000_000
/** Rows that one query of a file reads. */
export const CSV_ROWS_AT_ONCE = 1_000

type Cell = string | number | boolean | Date | null | undefined

/** Rows that are read together. */
export type CsvPage = Cell[][]

/** The reply of an operation that gives out a file. */
export const CsvFile = (name: string, columns: readonly string[], more = '') =>
  Named(
    name,
    Type.String({
      description: `CSV in UTF-8 (RFC 4180), with a header line. Columns: ${columns.map((column) => `\`${column}\``).join(', ')}${more}. A cell that a spreadsheet would take for a formula begins with an apostrophe. At most ${CSV_ROWS_MAX.toLocaleString('en')} rows.`,
    }),
  )

/** @param rows a page at a time */
export function sendCsv(
  reply: FastifyReply,
  { name, columns, rows }: { name: string; columns: readonly string[]; rows: AsyncIterable<CsvPage> },
): never {
  const lines = Readable.from(linesOf(columns, rows), { highWaterMark: 1 })
  reply.type('text/csv; charset=utf-8').header('content-disposition', asDownload(name))
  // What the handler returns is sent once the audit log has that it is given out. The type of its operation is that of the file.
  return lines as never
}

async function* linesOf(columns: readonly string[], rows: AsyncIterable<CsvPage>): AsyncGenerator<string> {
  yield csvLine([...columns])
  let left = CSV_ROWS_MAX
  for await (const page of rows) {
    const kept = page.slice(0, left)
    if (kept.length > 0) yield kept.map((row) => csvLine(row.map(textOf))).join('')
    left -= kept.length
    if (left === 0) return
  }
}

function textOf(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  return cell instanceof Date ? cell.toISOString() : String(cell)
}

/** Others may search at the same time: a file that has begun waits for its turn. */
const TRIES_MAX = 60
const PAUSE_MS = 1_000

/** Reads a page as soon as there is room for it. */
export async function patiently<Page>(read: () => Promise<Page>, { pauseMs = PAUSE_MS }: { pauseMs?: number } = {}): Promise<Page> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read()
    } catch (error) {
      if (tries >= TRIES_MAX || !(error instanceof Failure) || error.kind !== 'unavailable') throw error
      await pause(pauseMs)
    }
  }
}
