/** A message that is sent as its client made it. `head`: the header fields with those that the service writes, without the empty line after them. */
export type SubmittedContent = {
  head: string
  /** A small body itself, or where a large one begins in its blob. */
  body: Buffer | { blobKey: string; start: number }
  /** Which of its parts, from 0 in the order of the message, is the HTML that may be tracked; null if there is none. */
  htmlPart: number | null
}

/** As it is accepted, with its texts in UTF-8. */
export type NewSubmittedContent = SubmittedContent & { html: Uint8Array | null; text: Uint8Array | null }
