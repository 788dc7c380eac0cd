/** What a worker makes of a message that came back, a closed list. */
export const INBOUND_VERDICTS = [
  // Acted upon.
  'bounce',
  'complaint',
  // Changes nothing, and is shown in the timeline of the email.
  'delay',
  'success',
  'auto_reply',
  'challenge',
  'other',
  // Changes nothing.
  /** A bounce of mail that was never sent here, or so long ago that its return path is no longer valid. */
  'backscatter',
  /** A complaint without a known recipient, or without proof of who sent it. */
  'unmatched',
  /** It could not be read, or its content is lost. */
  'unreadable',
] as const

export type InboundVerdict = (typeof INBOUND_VERDICTS)[number]
