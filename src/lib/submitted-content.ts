/** A message that is sent as its client made it. `head`: the header fields with those that the service writes, without the empty line after them. */
export type SubmittedContent = {
  head: string
  /** A small body itself, or where a large one begins in its blob. */
  body: Buffer | { blobKey: string; start: number }
  /** Which of its parts, from 0 in the order of the message, is the HTML that may be tracked; null if there is none. */
  htmlPart: number | null
}

/** That of a large message is in UTF-8, which the thread writes that reads it: to write 15 MB takes a processor 70 ms. */
export type SubmittedText = string | Uint8Array | null

/** What is accepted with an email. */
export type NewSubmittedContent = SubmittedContent & { html: SubmittedText; text: SubmittedText }
