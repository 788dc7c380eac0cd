// Whether mail can leave and come back: what the servers of a large provider answered on port 25, or the relay.
import { about, type Finding } from '../../lib/deliverability/findings.ts'
import type { Greeting, RelayAnswer } from '../../lib/deliverability/probes.ts'
import type { RecordAnswer } from '../../lib/domains/domain-records.ts'
import { RESOLVERS, reasonOf } from './hostnames.ts'

/** The hosts of an MX answer, the preferred ones first. A null MX (RFC 7505) names none. */
export const mailHosts = (answer: RecordAnswer): string[] =>
  answer.kind === 'records' ? answer.values.map((value) => value.slice(value.indexOf(' ') + 1)).filter((host) => host !== '.') : []

/** @param servers the answer for the MX records, or for the addresses of their hosts, if there is no server to ask. */
export function judgeMailPort(domain: string, greetings: readonly Greeting[], servers: RecordAnswer): Finding {
  const { ok, warning, problem, unknown } = about('port-25', domain)
  const ready = greetings.find((greeting) => greeting.kind === 'ready')
  if (ready !== undefined) return ok(`${ready.host} answers, ${ready.tls === null ? 'without TLS' : `over ${ready.tls}`}.`)
  const refused = greetings.find((greeting) => greeting.kind === 'refused')
  if (refused !== undefined && refused.code !== null && refused.code >= 500)
    return problem(
      `${refused.host} refuses us: ${refused.code} ${refused.text}`,
      'Do what the answer says; the address may be on a blocklist.',
    )
  if (refused !== undefined)
    return warning(
      `${refused.host} accepts the connection and takes no mail now: ${refused.code === null ? '' : `${refused.code} `}${refused.text}`,
      'Run the check again; if the answer stays the same, see whether a firewall changes what passes on port 25.',
    )
  const unreached = greetings.find((greeting) => greeting.kind === 'unreached')
  if (unreached !== undefined)
    return problem(
      `${unreached.text.replace(/\.$/, '')}.`,
      'Open port 25 for outgoing connections; many providers open it on request only. Otherwise send through a relay (SMTP_RELAY_URL).',
    )
  if (servers.kind === 'unanswered') return unknown(`Its mail servers could not be looked up: ${reasonOf(servers)}.`, RESOLVERS)
  return unknown('It has no mail server to connect to.', 'Set PROBE_DOMAIN to a domain of a large provider.')
}

/** @param addresses the answer for the addresses of the host, if there is no server to ask. */
export function judgeInbound(host: string, greetings: readonly Greeting[], addresses: RecordAnswer): Finding {
  const { ok, warning, unknown } = about('inbound', host)
  const ready = greetings.find((greeting) => greeting.kind === 'ready')
  if (ready !== undefined) return ok(`It answers on port 25, ${ready.tls === null ? 'without TLS' : `over ${ready.tls}`}.`)
  const refused = greetings.find((greeting) => greeting.kind === 'refused')
  if (refused !== undefined)
    return warning(
      `Port 25 answers ${refused.code === null ? '' : `${refused.code} `}${refused.text}`,
      'See whether it leads to the SMTP server of this service (INBOUND_HOST, INBOUND_PORT).',
    )
  const unreached = greetings.find((greeting) => greeting.kind === 'unreached')
  if (unreached !== undefined)
    return warning(
      `Bounces may not come back: ${unreached.text.replace(/\.$/, '')}.`,
      'Forward port 25 to the SMTP server of this service (INBOUND_HOST, INBOUND_PORT), and check it from another network: some networks do not reach their own public address.',
    )
  if (addresses.kind === 'unanswered') return unknown(`Its address could not be looked up: ${reasonOf(addresses)}.`, RESOLVERS)
  return unknown('It has no address to connect to.', 'Publish the addresses of MAIL_HOSTNAME.')
}

export function judgeRelay(host: string, answer: RelayAnswer): Finding {
  const { ok, problem } = about('relay', host)
  if (answer.isUsable) return ok(`It answers, ${answer.tls === null ? 'in the clear' : `over ${answer.tls}`}.`)
  return problem(
    `${answer.isReached ? 'It answers, but takes no mail' : 'It does not answer'}: ${answer.reason.replace(/\.$/, '')}.`,
    'Look at the relay and at SMTP_RELAY_URL. Mail waits and is retried.',
  )
}
