// The questions that checks of this installation ask of the world, with their time limits: for the service and for `posthaste doctor`.
import type { Config } from './config.ts'
import { createRecordLookup } from './gateways/dns/record-lookup.ts'
import { serversOf } from './gateways/dns/resolver.ts'
import { evaluateSpf } from './gateways/dns/spf-evaluation.ts'
import { greetMailServer } from './gateways/smtp/mail-port-probe.ts'
import { createMtaSts, createMtaStsMemory } from './gateways/smtp/mta-sts.ts'
import { createMailDns } from './gateways/smtp/mx-dns.ts'
import { createSmtpRelay } from './gateways/smtp/smtp-relay.ts'
import { openHttps } from './gateways/web/https-probe.ts'
import { systemClock } from './lib/clock.ts'
import type { Probes } from './lib/deliverability/probes.ts'

export type ProbeOptions = {
  /** The port of others' mail servers: 25, except in tests. */
  mailPort?: number
}

/** A check asks at most two of these one after the other, and has to end in some seconds. */
const DNS = { timeoutMs: 1_500, tries: 2, timeMsMax: 4_000 }
const SPF_MS_MAX = 6_000
const HTTPS_MS = 3_000
const SMTP_TIMEOUTS = { connectMs: 4_000, replyMs: 3_000, finalReplyMs: 3_000, transactionMs: 3_000 }
const RELAY_MS_MAX = 5_000

const MAIL_PORT = 25

export function createProbes(config: Config, { mailPort = MAIL_PORT }: ProbeOptions = {}): Probes {
  const { dnsServers, smtpRelayUrl, mailHostname } = config
  const guard = { allowPrivateNetworks: config.allowPrivateNetworks }
  const resolving = { dnsServers, ...DNS }
  const lookup = createRecordLookup(resolving)
  return {
    lookUp: (host, type) => lookup.ask(host, type),
    askResolvers: (host) => Promise.all(serversOf(dnsServers).map(async (server) => ({ server, answer: await lookUpAt(server, host) }))),
    evaluateSpf: (question) => evaluateSpf(question, { ...resolving, evaluationMsMax: SPF_MS_MAX }),
    greet: (server) => greetMailServer(server, { helloName: mailHostname, guard, port: mailPort, timeouts: SMTP_TIMEOUTS }),
    openHttps: (server) => openHttps(server, { timeoutMs: HTTPS_MS, guard }),
    async fetchMtaSts(host) {
      const dns = createMailDns({ ...resolving, clock: systemClock })
      const policy = await createMtaSts({ dns, guard, cache: createMtaStsMemory() }).policyOf(host)
      return { isServed: policy.mode !== 'none', allowsHost: policy.allows(host) }
    },
    checkRelay:
      config.delivery !== 'relay' || smtpRelayUrl === null
        ? null
        : async () => {
            const relay = createSmtpRelay({ url: smtpRelayUrl, helloName: mailHostname, connectionsMax: 1 })
            return relay.check(RELAY_MS_MAX).finally(() => relay.close(0))
          },
  }

  function lookUpAt(server: string, host: string) {
    return createRecordLookup({ ...resolving, dnsServers: [server] }).ask(host, 'A')
  }
}
