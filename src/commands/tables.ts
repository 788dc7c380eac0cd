// Lines that a person reads in a terminal: aligned columns, times in words.
import { terminalText } from '../lib/terminal-text.ts'

/** Columns aligned under their headings, numbers to the right, without blanks at the ends. */
export function tableLines(headings: string[], rows: (string | number)[][]): string[] {
  const cells = [headings, ...rows.map((row) => row.map((cell) => toText(cell)))]
  const widths = headings.map((_heading, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const isNumeric = headings.map((_heading, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'))
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
  const amount = lengthOf(Math.abs(seconds))
  return seconds > 0 ? `in ${amount}` : `${amount} ago`
}

const lengthOf = (seconds: number): string => {
  if (seconds < 2 * MINUTE) return `${seconds} s`
  if (seconds < 2 * HOUR) return `${Math.round(seconds / MINUTE)} min`
  if (seconds < 2 * DAY) return `${Math.round(seconds / HOUR)} h`
  return `${Math.round(seconds / DAY)} days`
}
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `2026-11-20 07:26:55 UTC` */
export const moment = (date: Date): string => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** A longer text ends in an ellipsis. */
export const shortened = (text: string, lengthMax: number): string => (text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`)
