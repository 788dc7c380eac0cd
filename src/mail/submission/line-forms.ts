// Watches the bytes of a message that is handed in, for what cannot be sent as it is.

export type FormFault = 'long line' | 'NUL'

/** RFC 5322, section 2.1.1, without the line break. */
const LINE_BYTES_MAX = 998

/** Returns a function that takes the message piece by piece, and says what is wrong with it once that is seen. */
export function createFormWatch(): (piece: Buffer) => FormFault | null {
  let lineBytes = 0
  return (piece) => {
    if (piece.includes(0)) return 'NUL'
    let at = 0
    while (at < piece.length) {
      const end = piece.indexOf(LF, at)
      lineBytes += (end === -1 ? piece.length : end) - at
      // The bytes include the CR of the line break.
      if (lineBytes > LINE_BYTES_MAX + 1) return 'long line'
      if (end === -1) return null
      lineBytes = 0
      at = end + 1
    }
    return null
  }
}

const LF = 0x0a
