// Watches the bytes of a message as they arrive, for what makes it unacceptable.

export type LineFault = 'bare line break' | 'loop'

/** More hops than mail takes. Postfix and Exchange draw the line at 50 and 60. */
export const RECEIVED_HEADERS_MAX = 50

/**
 * Returns a function that takes the message piece by piece, and says what is wrong with it once that is seen.
 *
 * A line break is CR LF (RFC 5321, section 2.3.8). Servers that take one alone for a line break see the end of the message at another place, and so
 * commands in it that an attacker has written there. Each hop adds a Received header (RFC 5321, section 6.3).
 */
export function createLineWatch(): (piece: Uint8Array) => LineFault | null {
  let isAfterCr = false
  let isInHeader = true
  /** How much of the line has matched so far; -1 once it can be no Received header. */
  let matched = 0
  let received = 0

  return (piece) => {
    for (const byte of piece) {
      if (isAfterCr !== (byte === LF)) return 'bare line break'
      if (isInHeader && byte === LF) {
        if (matched === 0) isInHeader = false
        matched = 0
      } else if (isInHeader && byte !== CR && matched !== -1) {
        matched = (byte | LOWER_CASE) === RECEIVED[matched] ? matched + 1 : -1
        if (matched === RECEIVED.length) {
          matched = -1
          received += 1
          if (received >= RECEIVED_HEADERS_MAX) return 'loop'
        }
      }
      isAfterCr = byte === CR
    }
    return null
  }
}

const CR = 0x0d
const LF = 0x0a
/** Makes a capital letter small, and leaves a colon as it is. */
const LOWER_CASE = 0x20
const RECEIVED = Buffer.from('received:')
