// How commands print: what was asked for on standard output, everything else on standard error, so that a program can read the first.
import { Option } from 'commander'
import { terminalText, withObeyedWritten } from '../lib/terminal-text.ts'
import { tableLines } from './tables.ts'

export type JsonOption = { json?: boolean }

export const jsonOption = (): Option => new Option('--json', 'print JSON, for programs')

/** Names are other people's text, so characters that a terminal would act on are left out. */
export const print = (line: string): void => {
  process.stdout.write(`${terminalText(line)}\n`)
}

export const say = (line: string): void => {
  process.stderr.write(`${terminalText(line)}\n`)
}

export const printTable = (headings: string[], rows: (string | number)[][]): void => {
  for (const line of tableLines(headings, rows)) print(line)
}

/** Writes a part of a file and waits until there is room for the next. False if the reader has gone. */
export const write = (text: string): Promise<boolean> =>
  new Promise((written) => process.stdout.write(text, (error) => written(error == null)))

/** Times are in the format of the API. */
export const printJson = (value: unknown): void => {
  // JSON may contain some of them literally. Line feeds are only between its values.
  const text = withObeyedWritten(JSON.stringify(value, null, 2), (character) => (character === '\n' ? character : escaped(character)))
  process.stdout.write(`${text}\n`)
}

/** JSON writes a character beyond U+FFFF as two escapes. */
const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
