/** These events could not be told to automations. The cause says why. */
export class NotTold extends Error {
  readonly events: { seq: string; teamId: string }[]

  constructor(events: { seq: string; teamId: string }[], cause: unknown) {
    super('Events were not told', { cause })
    this.events = events
  }
}
