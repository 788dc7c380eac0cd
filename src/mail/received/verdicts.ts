// Whether a message comes from the sender that it names: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 9989) and ARC (RFC 8617), as it was at reception.
import type { Readable } from 'node:stream'
import { type AuthenticateResult, authenticate } from 'mailauth'
import type { Verdict } from '../../lib/inbound/sender-verdicts.ts'

export type Verdicts = { spf: Verdict; dkim: Verdict; dmarc: Verdict; arc: Verdict }

export type Origin = { peer: string; helo: string; mailFrom: string }

/** As that of Node.js: answers of its form, and errors with its codes. */
export type Resolve = (name: string, type: string) => Promise<string[] | string[][]>

export const FAILED: Verdicts = {
  spf: 'processing_failed',
  dkim: 'processing_failed',
  dmarc: 'processing_failed',
  arc: 'processing_failed',
}

/** Never fails. */
export async function judge(
  message: Readable,
  { peer, helo, mailFrom }: Origin,
  { resolve, mailHostname, timeMsMax }: { resolve: Resolve; mailHostname: string; timeMsMax: number },
): Promise<Verdicts> {
  const late = Promise.withResolvers<'late'>()
  const timer = setTimeout(late.resolve, timeMsMax, 'late')
  const judging = authenticate(message, {
    ip: peer,
    helo,
    sender: mailFrom,
    mta: mailHostname,
    resolver: resolve as (name: string, type: string) => Promise<string[][]>,
    rejectRsaSha1: true,
    disableBimi: true,
  }).catch(() => null)
  const result = await Promise.race([judging, late.promise])
  clearTimeout(timer)
  message.destroy()
  return result === null || result === 'late' ? FAILED : verdictsOf(result)
}

const verdictsOf = ({ spf, dkim, dmarc, arc }: AuthenticateResult): Verdicts => ({
  spf: spf === false ? 'gray' : common(spf.status.result),
  dkim: dkimVerdict(dkim.results),
  dmarc: dmarc === false ? 'gray' : dmarc.status.result === 'fail' && dmarc.policy === 'none' ? 'gray' : common(dmarc.status.result),
  arc: arc === false ? 'gray' : common(arc.status.result),
})

function common(result: string): Verdict {
  if (result === 'pass' || result === 'fail') return result
  if (result === 'temperror') return 'processing_failed'
  return result === 'permerror' ? 'unknown' : 'gray'
}

/** One signature of the domain of the sender is enough. */
function dkimVerdict(results: AuthenticateResult['dkim']['results']): Verdict {
  const signed = results.filter(({ status }) => status.result !== 'none')
  if (signed.some(({ status }) => status.result === 'pass' && status.aligned)) return 'pass'
  if (signed.some(({ status }) => status.result === 'temperror')) return 'processing_failed'
  if (signed.length === 0 || signed.some(({ status }) => status.result === 'pass')) return 'gray'
  return 'fail'
}
