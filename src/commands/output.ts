// How commands print: what was asked for on standard output, what is good to know beside it on standard error, so that a program can read the first.
import { Option } from 'commander'
import { terminalText, withObeyedWritten } from '../lib/terminal-text.ts'
import { tableLines } from './tables.ts'

export type JsonOption = { json?: boolean }

export const jsonOption = (): Option => new Option('--json', 'print JSON, for programs')

/** Names are other people's words: what a terminal would obey is left out. */
export const print = (line: string): void => {
  process.stdout.write(`${terminalText(line)}\n`)
}

export const say = (line: string): void => {
  process.stderr.write(`${terminalText(line)}\n`)
}

export const printTable = (headings: string[], rows: (string | number)[][]): void => {
  for (const line of tableLines(headings, rows)) print(line)
}

/** Times in it are written as the API writes them. */
export const printJson = (value: unknown): void => {
  // JSON may hold some of them as they are; line feeds are between its values only.
  const text = withObeyedWritten(JSON.stringify(value, null, 2), (character) => (character === '\n' ? character : escaped(character)))
  process.stdout.write(`${text}\n`)
}

/** JSON writes a character beyond U+FFFF as two. */
const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
