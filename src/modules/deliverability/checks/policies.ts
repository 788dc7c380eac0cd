// The policies that domains and hosts publish: DMARC (RFC 7489), TLS reports (RFC 8460), MTA-STS (RFC 8461).

import { isDmarcRecord, isSpfRecord, isValidDmarcRecord } from '../../../mail/dns-records.ts'
import type { RecordAnswer } from '../../../mail/record-types.ts'
import { about, type Finding } from '../findings.ts'
import type { MtaStsPolicyAnswer, SpfAnswer } from '../probes.client.ts'
import { answerReason, listed, RESOLVERS, valuesOf } from './hosts.ts'

export type DmarcAnswers = {
  own: RecordAnswer
  /** The record of the registered domain, which counts if the domain has none of its own (section 6.6.3). */
  root: RecordAnswer
}

export function checkDmarc(domain: string, rootName: string, { own, root }: DmarcAnswers): Finding {
  const { ok, warning, unknown } = about('dmarc', domain)
  const ownRecords = valuesOf(own).filter(isDmarcRecord)
  const records = ownRecords.length > 0 ? ownRecords : valuesOf(root).filter(isDmarcRecord)
  const place = `_dmarc.${ownRecords.length > 0 ? domain : rootName}`
  const silent = [own, root].find((answer) => answer.kind === 'unanswered')
  if (records.length === 0 && silent !== undefined) return unknown(`Its policy could not be looked up: ${answerReason(silent)}.`, RESOLVERS)
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
export function checkTlsReports(hostname: string, answer: RecordAnswer): Finding {
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
export function checkMtaSts(hostname: string, record: RecordAnswer, policy: MtaStsPolicyAnswer | null): Finding {
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

// Whether the SPF records of this installation's own hosts permit its addresses (RFC 7208).

/** Receivers judge the name in EHLO, too (RFC 7208, section 2.3). */
export function checkHelloSpf(hostname: string, answers: readonly SpfAnswer[]): Finding {
  const { ok, warning, problem, unknown } = about('hello-spf', hostname)
  const publish = `Publish the TXT record "v=spf1 a -all" at ${hostname}.`
  const refused = addressesWith(answers, 'fail')
  if (refused.length > 0) return problem(`Its SPF record forbids mail from ${listed(refused)}.`, publish)
  const broken = answers.find(({ result }) => result === 'permerror')
  if (broken !== undefined) return problem(`Receivers cannot use its SPF record: ${broken.comment}.`, publish)
  const failed = answers.find(({ result }) => result === 'temperror')
  if (failed !== undefined) return unknown(`Its SPF record could not be evaluated: ${failed.comment}.`, RESOLVERS)
  if (answers.some(({ result }) => result === 'none')) return warning('It has no SPF record, so anyone can greet in its name.', publish)
  const others = addressesNot(answers, 'pass')
  if (others.length > 0) return warning(`Its SPF record does not permit ${listed(others)}.`, publish)
  return ok(`Its SPF record permits ${listed(answers.map(({ address }) => address))}.`)
}

/**
 * Whether the host that all SPF records include names every address.
 *
 * @param published the TXT records of the host.
 * @param answers to a record that includes the host and permits nothing else.
 */
export function checkSpfInclude(host: string, published: RecordAnswer, answers: readonly SpfAnswer[]): Finding {
  const { ok, problem, unknown } = about('spf-include', host)
  if (published.kind === 'unanswered') return unknown(`Its SPF record could not be looked up: ${published.reason}.`, RESOLVERS)
  // A record that includes such a host is void (section 5.2).
  if (!valuesOf(published).some(isSpfRecord))
    return problem(
      'It has no SPF record, so the SPF records of all domains, which include it, are not valid.',
      'Publish the record that `posthaste dns` shows, or change SPF_INCLUDE.',
    )
  const broken = answers.find(({ result }) => result === 'permerror')
  if (broken !== undefined)
    return problem(
      `Receivers cannot use its SPF record: ${broken.comment}.`,
      'Correct the record; `posthaste dns` shows what it should hold.',
    )
  const missing = addressesWith(answers, 'fail')
  if (missing.length > 0)
    return problem(
      `Its SPF record does not permit ${listed(missing)}.`,
      'Add these addresses to the record, or remove them from SENDING_IPS if no mail leaves from them.',
    )
  const failed = answers.find(({ result }) => result !== 'pass')
  if (failed !== undefined) return unknown(`Its SPF record could not be evaluated: ${failed.comment}.`, RESOLVERS)
  return ok(`Its SPF record permits ${listed(answers.map(({ address }) => address))}.`)
}

const addressesWith = (answers: readonly SpfAnswer[], wanted: string): string[] =>
  answers.filter(({ result }) => result === wanted).map(({ address }) => address)

const addressesNot = (answers: readonly SpfAnswer[], wanted: string): string[] =>
  answers.filter(({ result }) => result !== wanted).map(({ address }) => address)
