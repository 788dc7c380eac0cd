// Lines that a person reads in a terminal: aligned columns, times in words.

import { Option } from 'commander'
import { systemClock } from '../lib/clock.ts'
import { terminalText, withObeyedWritten } from '../lib/startup-problem.ts'

/** Columns aligned under their headings (null: those of lines before, of the same widths), numbers to the right, without blanks at the ends. */
export function tableLines(headings: string[] | null, rows: (string | number)[][]): string[] {
  const cells = [...(headings ? [headings] : []), ...rows.map((row) => row.map((cell) => toText(cell)))]
  const columns = headings ?? rows[0] ?? []
  const widths = columns.map((_heading, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const isNumeric = columns.map((_heading, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'))
  return cells.map((row) =>
    row
      .map((cell, column) => (isNumeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

/** Names are other people's text. Characters that a terminal would act on are left out here, so that columns stay aligned. */
const toText = (cell: string | number): string => (typeof cell === 'number' ? grouped(cell) : terminalText(cell))

/** 1,234,567 */
export const grouped = (count: number): string => count.toLocaleString('en-US')

/** `1 delivery`, `1,200 deliveries` */
export const counted = (count: number, one: string, many: string): string => `${grouped(count)} ${count === 1 ? one : many}`

/** `in 4 min`, `12 s ago`, `now`. */
export function relative(date: Date, now: Date): string {
  const seconds = Math.round((date.getTime() - now.getTime()) / 1_000)
  if (seconds === 0) return 'now'
  const amount = formatDuration(Math.abs(seconds))
  return seconds > 0 ? `in ${amount}` : `${amount} ago`
}

const formatDuration = (seconds: number): string => {
  if (seconds < 2 * MINUTE) return `${seconds} s`
  if (seconds < 2 * HOUR) return `${Math.round(seconds / MINUTE)} min`
  if (seconds < 2 * DAY) return `${Math.round(seconds / HOUR)} h`
  return `${Math.round(seconds / DAY)} days`
}
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `2026-11-20 07:26:55 UTC` */
export const formatTime = (date: Date): string => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** A longer text ends in an ellipsis. */
export const shortened = (text: string, lengthMax: number): string => (text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`)

// How commands print: what was asked for on standard output, everything else on standard error, so that a program can read the first.

export type JsonOption = { json?: boolean }

export const jsonOption = (): Option => new Option('--json', 'print JSON, for programs')

/** Names are other people's text, so characters that a terminal would act on are left out. */
export const print = (line: string): void => {
  process.stdout.write(`${terminalText(line)}\n`)
}

export const say = (line: string): void => {
  process.stderr.write(`${terminalText(line)}\n`)
}

export const printTable = (headings: string[] | null, rows: (string | number)[][]): void => {
  for (const line of tableLines(headings, rows)) print(line)
}

/** Writes a part of a file and waits until there is room for the next. False if the reader has gone. */
export const write = (text: string): Promise<boolean> =>
  new Promise((written) => process.stdout.write(text, (error) => written(error == null)))

/** Times are in the format of the API. */
export const printJson = (value: unknown): void => {
  process.stdout.write(`${jsonText(value)}\n`)
}

/** Prints an array page by page, as `printJson` would print all of it. */
export async function printJsonList<Row>(pages: AsyncIterable<Row[]>, toValue: (row: Row) => unknown): Promise<void> {
  let isEmpty = true
  for await (const page of pages) {
    const values = page.map((row) => jsonText(toValue(row)).replaceAll(/^/gm, '  '))
    if (values.length > 0 && !(await write(`${isEmpty ? '[' : ','}\n${values.join(',\n')}`))) return
    if (values.length > 0) isEmpty = false
  }
  await write(isEmpty ? '[]\n' : '\n]\n')
}

/** JSON may contain some characters literally that a terminal obeys. Line feeds are only between its values. */
const jsonText = (value: unknown): string =>
  withObeyedWritten(JSON.stringify(value, null, 2), (character) => (character === '\n' ? character : escaped(character)))

/** JSON writes a character beyond U+FFFF as two escapes. */
const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

// Lines about work that may take long: now and then how far it is, and at its end what it was.

const SAID_EVERY_MS = 5_000

export type Progress = {
  /** Bytes that are done. */
  add(bytes: number, line: (done: string) => string): void
  end(line: (done: string) => string): void
}

export function createProgress(say: (line: string) => void, clock = systemClock): Progress {
  let done = 0
  let saidAtMs = clock.monotonicMs()
  return {
    add(bytes, line) {
      done += bytes
      if (clock.monotonicMs() - saidAtMs < SAID_EVERY_MS) return
      saidAtMs = clock.monotonicMs()
      say(line(megabytes(done)))
    },
    end: (line) => say(line(megabytes(done))),
  }
}

const MIB = 1024 * 1024

/** `1,234 MB` */
export const megabytes = (bytes: number): string => `${Math.ceil(bytes / MIB).toLocaleString('en-US')} MB`
