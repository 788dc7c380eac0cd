import { about, type Finding } from '../../lib/deliverability/findings.ts'
import type { ResolverAnswer } from '../../lib/deliverability/probes.ts'

/** That a name does not exist is an answer, too. */
export function judgeResolver({ server, answer }: ResolverAnswer): Finding {
  const { ok, unknown } = about('resolver', server)
  if (answer.kind !== 'unanswered') return ok('It answers.')
  return unknown(`It does not answer: ${answer.reason}.`, 'Start it, or name resolvers that answer in DNS_SERVERS.')
}
