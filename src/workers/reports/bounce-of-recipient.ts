// What a bounce says of the recipient whose return path it came to.
import { storable } from '../../lib/storable-text.ts'
import type { ReportedRecipient } from '../../mail/reports/reported.ts'

export type RecipientBounce = {
  type: ReportedRecipient['bounce']['type']
  subType: ReportedRecipient['bounce']['subType']
  isAddressFault: boolean
  message: string
  diagnosticCode: string[]
}

/**
 * A bounce may name other addresses: the recipient's mail is forwarded, or the recipient is a list. The mail has come back in any case, but
 * only what the bounce says of the recipient's own address is about that address (`isOfAddress`). A bounce that names no address is about the recipient.
 */
export function bounceOf(reported: ReportedRecipient[], address: string): { bounce: RecipientBounce; isOfAddress: boolean } {
  const own = reported.filter((one) => one.address !== null && isSame(one.address, address))
  const unnamed = reported.filter((one) => one.address === null)
  const [worst] = [own, unnamed, reported].find((group) => group.length > 0)?.toSorted(bySeverity) ?? []
  if (!worst) return { bounce: WITHOUT_REASON, isOfAddress: false }
  const { bounce, message, diagnosticCode } = worst
  return {
    bounce: { ...bounce, message: storable(message), diagnosticCode: diagnosticCode.map((code) => storable(code)) },
    isOfAddress: worst.forwardedTo === undefined && (own.length > 0 || unnamed.length > 0),
  }
}

const WITHOUT_REASON: RecipientBounce = {
  type: 'Undetermined',
  subType: 'Undetermined',
  isAddressFault: false,
  message: 'The mail was returned without a reason.',
  diagnosticCode: [],
}

const SEVERITY = { Permanent: 0, Transient: 1, Undetermined: 2 }

/** One that is about the address says most. */
const bySeverity = ({ bounce: a }: ReportedRecipient, { bounce: b }: ReportedRecipient): number =>
  Number(b.isAddressFault) - Number(a.isAddressFault) || SEVERITY[a.type] - SEVERITY[b.type]

/** Servers change the case of addresses. */
const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
