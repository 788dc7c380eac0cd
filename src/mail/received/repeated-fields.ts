import type { AuthenticateResult } from 'mailauth'
import { SINGLE_FIELDS } from '../single-fields.ts'

type Headers = AuthenticateResult['dkim']['headers']

/**
 * Whether a field that must be there once is there more often: signatures cover the last, and readers show the first. A line counts as a field if any
 * reader would take it for one. `From` has rules of its own.
 */
export const hasRepeatedFields = (headers: Headers): boolean => {
  const names = (headers?.parsed ?? []).flatMap(({ key, line }) => [key ?? '', ...namesInside(line)])
  const seen = new Set<string>()
  return names.some((name) => {
    const isRepeated = seen.has(name) && SINGLE.has(name)
    seen.add(name)
    return isRepeated
  })
}

const SINGLE: ReadonlySet<string> = new Set(SINGLE_FIELDS.map((name) => name.toLowerCase()).filter((name) => name !== 'from'))

/** The library joins lines that are no fields by the letter to the field above them. Those that read the message take some for fields. */
const namesInside = (line: Buffer): string[] =>
  line
    .toString('latin1')
    .split('\r\n')
    .slice(1)
    .filter((one) => !/^[ \t]/.test(one) && one.includes(':'))
    .map((one) => one.slice(0, one.indexOf(':')).trim().toLowerCase())
