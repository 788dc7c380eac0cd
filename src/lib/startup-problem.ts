/** Why the service cannot start, in one line for whoever started it: what is wrong, with what, and what to do. */
export class StartupProblem extends Error {
  constructor(line: string, options: { cause?: unknown } = {}) {
    super(line.replaceAll(/\s*[\r\n]+\s*/g, ' ').trim(), options)
    this.name = 'StartupProblem'
  }
}
