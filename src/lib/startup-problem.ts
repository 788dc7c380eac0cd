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
