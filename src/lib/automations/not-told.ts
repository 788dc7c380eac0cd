/** These events could not be told to automations. The cause says why. */
export class NotTold extends Error {
  readonly seqs: string[]

  constructor(seqs: string[], cause: unknown) {
    super('Events were not told', { cause })
    this.seqs = seqs
  }
}
