// Whether a report is what its sender sent to us: its DKIM signature (RFC 6376), and what this one covers.
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { domainOf, isAligned } from './report-sender.ts'

export type SignedReport = {
  bytes: Uint8Array
  /** In lower case. */
  sender: string
  /** The address that the report came to. */
  rcptTo: string
  /** TXT records by their names in lower case. Nothing else exists. */
  keys: Readonly<Record<string, string[]>>
  now: Date
}

/**
 * The signature covers the whole body, the only `From`, and a `To` that names the address that the report came to. Otherwise a person who got
 * a signed report about other mail could pass it on, changed.
 */
export async function isSignedReport({ bytes, sender, rcptTo, keys, now }: SignedReport): Promise<boolean> {
  if (!hasShortHead(bytes)) return false
  const { headerFrom, fromFields, headers, results } = await dkimVerify(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
    curTime: now,
    rejectRsaSha1: true,
    async resolver(name) {
      const texts = keys[name.toLowerCase()] ?? []
      if (texts.length === 0) throw Object.assign(new Error(`${name} is not known`), { code: 'ENOTFOUND' })
      return texts.map((text) => [text])
    },
  })
  const isFromSender = fromFields === 1 && headerFrom.length === 1 && headerFrom[0]?.toLowerCase() === sender
  if (!isFromSender || headers?.parsed.filter(({ key }) => key === 'to').length !== 1) return false
  return results.some(
    ({ status, signingDomain, signingHeaders }) =>
      status.result === 'pass' &&
      (status.underSized ?? 0) === 0 &&
      isAligned(signingDomain ?? '', domainOf(sender)) &&
      signingHeaders?.headers.some((line) => /^to[ \t]*:/i.test(line) && names(line, rcptTo)) === true,
  )
}

const names = (line: string, address: string): boolean =>
  line
    .toLowerCase()
    .split(/[\s<>,;:"()]+/)
    .includes(address.toLowerCase())

/** The library joins the lines of a head in a time that grows with the square of their number. Those of honest reports are a hundred. */
function hasShortHead(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, HEAD_BYTES_MAX)).toString('latin1')
  const end = start.search(/\r?\n\r?\n/)
  return end !== -1 && start.slice(0, end).split('\n').length <= HEAD_LINES_MAX
}

const HEAD_BYTES_MAX = 64 * 1024

const HEAD_LINES_MAX = 1_000
