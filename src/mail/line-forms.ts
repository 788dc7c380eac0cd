// Which encoding the lines of a text need to be sent unchanged (RFC 2045, sections 2.7 and 2.8).
import { isAscii } from 'node:buffer'
import type { Readable } from 'node:stream'
import { LINE_OCTETS_MAX } from './header-fields.ts'

/** Null if they cannot: a line is too long, or there is a NUL, or a CR without its LF. A bare LF becomes a line break. Reads to where that is known. */
export async function lineForm(content: Readable): Promise<'7bit' | '8bit' | null> {
  let form: '7bit' | '8bit' = '7bit'
  let lineBytes = 0
  let isAfterCr = false
  for await (const piece of content) {
    const bytes: Buffer = piece
    let cr = bytes.indexOf(CR)
    if (bytes.includes(0)) return null
    if (!isAscii(bytes)) form = '8bit'
    for (let at = 0; at < bytes.length; ) {
      if (isAfterCr && bytes[at] !== LF) return null
      const lf = bytes.indexOf(LF, at)
      if (cr !== -1 && cr < at) cr = bytes.indexOf(CR, at)
      const end = lf === -1 ? bytes.length : lf
      if (cr !== -1 && cr < end - 1) return null
      isAfterCr = cr !== -1 && cr === end - 1 && lf === -1
      lineBytes += end - at - (cr !== -1 && cr === end - 1 ? 1 : 0)
      if (lineBytes > LINE_OCTETS_MAX) return null
      if (lf === -1) break
      lineBytes = 0
      at = lf + 1
    }
  }
  return isAfterCr ? null : form
}

const LF = 0x0a
const CR = 0x0d
