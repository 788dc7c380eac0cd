// The policies that domains and hosts publish: DMARC (RFC 7489), TLS reports (RFC 8460), MTA-STS (RFC 8461).
import { about, type Finding } from '../../lib/deliverability/findings.ts'
import type { MtaStsPolicyAnswer } from '../../lib/deliverability/probes.ts'
import type { RecordAnswer } from '../../lib/domains/domain-records.ts'
import { isDmarcRecord, isValidDmarcRecord } from '../domains/tag-records.ts'
import { RESOLVERS, reasonOf, valuesOf } from './hostnames.ts'

export type DmarcAnswers = {
  own: RecordAnswer
  /** The record of the registered domain, which counts if the domain has none of its own (section 6.6.3). */
  root: RecordAnswer
}

export function judgeDmarc(domain: string, rootName: string, { own, root }: DmarcAnswers): Finding {
  const { ok, warning, unknown } = about('dmarc', domain)
  const ownRecords = valuesOf(own).filter(isDmarcRecord)
  const records = ownRecords.length > 0 ? ownRecords : valuesOf(root).filter(isDmarcRecord)
  const place = `_dmarc.${ownRecords.length > 0 ? domain : rootName}`
  const silent = [own, root].find((answer) => answer.kind === 'unanswered')
  if (records.length === 0 && silent !== undefined) return unknown(`Its policy could not be looked up: ${reasonOf(silent)}.`, RESOLVERS)
  const [record] = records
  if (record === undefined)
    return warning(
      'It has no DMARC policy, which Gmail and Yahoo demand of those who send in bulk.',
      `Have its owner publish the TXT record "v=DMARC1; p=none;" at ${place}.`,
    )
  if (records.length > 1)
    return warning('It has several DMARC policies, of which receivers use none.', `Have its owner leave one TXT record at ${place}.`)
  if (!isValidDmarcRecord(record))
    return warning(
      `Its DMARC policy is not valid: "${record.slice(0, SHOWN_LENGTH_MAX)}"`,
      `Have its owner correct the TXT record at ${place}.`,
    )
  return ok(`It has a DMARC policy at ${place}.`)
}

const SHOWN_LENGTH_MAX = 200

/** Nothing depends on it, so its absence is no fault. */
export function judgeTlsReports(hostname: string, answer: RecordAnswer): Finding {
  const { ok, warning, unknown, skipped } = about('tls-rpt', hostname)
  if (answer.kind === 'unanswered') return unknown(`The record could not be looked up: ${answer.reason}.`, RESOLVERS)
  const records = valuesOf(answer).filter((value) => value.startsWith('v=TLSRPTv1'))
  const [record] = records
  if (record === undefined) return skipped('It asks for no reports of TLS failures; that is optional.')
  if (records.length > 1 || !/;\s*rua\s*=\s*(?:mailto|https):/.test(record))
    return warning(
      'Its record for TLS reports is not valid.',
      `Leave one TXT record at _smtp._tls.${hostname}; \`posthaste dns\` shows its form.`,
    )
  return ok('It asks for reports of TLS failures.')
}

/** Whether a name announces a policy. */
export const announcesMtaSts = (record: RecordAnswer): boolean => valuesOf(record).some((value) => value.startsWith('v=STSv1'))

/** @param policy null if none is announced. */
export function judgeMtaSts(hostname: string, record: RecordAnswer, policy: MtaStsPolicyAnswer | null): Finding {
  const { ok, problem, unknown, skipped } = about('mta-sts', hostname)
  if (record.kind === 'unanswered') return unknown(`The record could not be looked up: ${record.reason}.`, RESOLVERS)
  if (policy === null) return skipped('It announces no MTA-STS policy; that is optional.')
  const remove = `or remove the TXT record at _mta-sts.${hostname}.`
  if (!policy.isServed)
    return problem(
      'It announces an MTA-STS policy that cannot be fetched, or whose mode is none.',
      `Serve it at https://mta-sts.${hostname}/.well-known/mta-sts.txt, ${remove}`,
    )
  if (!policy.allowsHost) return problem('Its MTA-STS policy does not name it.', `Add the line "mx: ${hostname}" to the policy, ${remove}`)
  return ok('Its MTA-STS policy is served and names it.')
}
