// Whether the SPF records of this installation's own hosts permit its addresses (RFC 7208).
import { about, type Finding } from '../../lib/deliverability/findings.ts'
import type { SpfAnswer } from '../../lib/deliverability/probes.ts'
import type { RecordAnswer } from '../../lib/domains/domain-records.ts'
import { isSpfRecord } from '../domains/spf-records.ts'
import { listed, RESOLVERS, valuesOf } from './hostnames.ts'

/** Receivers judge the name in EHLO, too (RFC 7208, section 2.3). */
export function judgeHelloSpf(hostname: string, answers: readonly SpfAnswer[]): Finding {
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
export function judgeSpfInclude(host: string, published: RecordAnswer, answers: readonly SpfAnswer[]): Finding {
  const { ok, problem, unknown } = about('spf-include', host)
  if (published.kind === 'unanswered') return unknown(`Its SPF record could not be looked up: ${published.reason}.`, RESOLVERS)
  // A record that includes such a host is void (section 5.2).
  if (!valuesOf(published).some(isSpfRecord))
    return problem(
      'It has no SPF record, so the SPF records of all domains are void.',
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
