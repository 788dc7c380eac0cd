/** Why the service cannot start, in one line for the person who started it: what is wrong, with what, and what to do. */
export class StartupProblem extends Error {
  constructor(line: string, options: { cause?: unknown } = {}) {
    super(inOneLine(line), options)
    this.name = 'StartupProblem'
  }
}

const inOneLine = (text: string): string =>
  text
    .split(/[\r\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')

/**
 * Foreign text for a terminal, without what the terminal would act on (control characters), what reorders or hides words (U+202E, U+200B), and what
 * begins a line that could pass for one of ours.
 */
export const terminalText = (text: string): string => text.replaceAll(OBEYED, ' ')

/** Writes each of these characters in another way. */
export const withObeyedWritten = (text: string, written: (character: string) => string): string => text.replaceAll(OBEYED, written)

const OBEYED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
