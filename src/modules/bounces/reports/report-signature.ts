// Whether a report is what its sender sent to us: its DKIM signature (RFC 6376), and what this one covers.
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import addressparser from 'nodemailer/lib/addressparser'

export type SignedReport = {
  bytes: Uint8Array
  /** The address in lower case. */
  sender: string
  /** Domains whose signatures count, in lower case. */
  signers: readonly string[]
  /** The address that the report came to. */
  rcptTo: string
  /** TXT records by their names in lower case. Nothing else exists. */
  keys: Readonly<Record<string, string[]>>
  now: Date
}

/**
 * The signature covers the whole body, the only `From`, a `To` that names nothing but the address that the report came to, and the fields that say
 * how the body is read, none of which is there twice. Otherwise a person who got a signed mail could pass it on as a report.
 */
export async function isSignedReport({ bytes, sender, signers, rcptTo, keys, now }: SignedReport): Promise<boolean> {
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
  const fields = new Map(COVERED.map((name) => [name, (headers?.parsed ?? []).filter(({ key }) => key === name)]))
  const isUnclear = [...fields.values()].some(({ length }) => length > 1) || NEEDED.some((name) => fields.get(name)?.length !== 1)
  if (!isFromSender || isUnclear || !namesOnly(String(fields.get('to')?.[0]?.line), rcptTo)) return false
  const present = COVERED.filter((name) => fields.get(name)?.length === 1)
  return results.some(
    ({ status, signingDomain = '', signingHeaders, signTime }) =>
      status.result === 'pass' &&
      // The domain only tries whether signing works, and asks to be treated as if it did not sign (RFC 6376, section 3.6.1).
      status.testing !== true &&
      (status.underSized ?? 0) === 0 &&
      !isAhead(signTime, now) &&
      signers.includes(signingDomain.toLowerCase()) &&
      isSubset(present, namesOf(signingHeaders?.headers ?? [])),
  )
}

/** Fields that must be there exactly once. */
const NEEDED = ['from', 'to', 'content-type']

/** Fields that may be there at most once, and must be signed. */
const COVERED = [...NEEDED, 'mime-version', 'content-transfer-encoding', 'subject']

const namesOf = (lines: readonly string[]): Set<string> =>
  new Set(lines.map((line) => line.slice(0, line.indexOf(':')).trim().toLowerCase()))

const isSubset = (names: readonly string[], others: ReadonlySet<string>): boolean => names.every((name) => others.has(name))

const isAhead = (signTime: string | null | undefined, now: Date): boolean =>
  typeof signTime === 'string' && Date.parse(signTime) > now.getTime() + CLOCKS_DIFFER_MS_MAX

/** Between the clock of the server that signed and that of this one. */
const CLOCKS_DIFFER_MS_MAX = 5 * 60 * 1_000

/**
 * Strangers choose the display name under which servers answer them, so it must not count. Some readers take an address from a name where the
 * brackets are empty; so the address must also end the field.
 */
function namesOnly(line: string, address: string): boolean {
  const value = line.slice(line.indexOf(':') + 1).trim()
  const [only, ...others] = addressparser(value)
  const isNamed = others.length === 0 && only?.address?.toLowerCase() === address.toLowerCase()
  const end = value.slice(-address.length - 2).toLowerCase()
  return isNamed && (value.length === address.length || end === `<${address.toLowerCase()}>`)
}

/** The library joins the lines of a head in a time that grows with the square of their number. Those of honest reports are a hundred. */
function hasShortHead(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, HEAD_BYTES_MAX)).toString('latin1')
  const end = start.search(/\r?\n\r?\n/)
  return end !== -1 && start.slice(0, end).split('\n').length <= HEAD_LINES_MAX
}

const HEAD_BYTES_MAX = 64 * 1024

const HEAD_LINES_MAX = 1_000
