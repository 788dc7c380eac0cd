// Sends mail straight to the MX hosts of its recipients' domains.
import { type Clock, systemClock } from '../../../lib/clock.ts'
import type { DestinationLimit } from './destination-limits.ts'
import { createDirectConnector, DIRECT_OPENING_TIMEOUTS, type DirectOpeningTimeouts } from './direct-connection.ts'
import { createDirectPools } from './direct-pools.ts'
import type { AppliedPolicy, MtaSts } from './mta-sts.ts'
import type { MxSet } from './mx-directory.ts'
import { SILENT_AFTER_MS } from './silent-hosts.ts'
import { resultWithoutReply, type SmtpResult } from './smtp-outcome.ts'
import {
  type Attempt,
  CLOSE_GRACE_MS,
  type DirectDelivery,
  type DirectTransaction,
  sendMessage,
  sendThrough,
  TIMEOUTS,
} from './smtp-sending.ts'
import type { SmtpTimeouts } from './smtp-session.ts'

/** Mail that would have been held back if the policy were enforced (mode `testing`; RFC 8461, section 5). */
export type PolicyFinding = { domain: string; host: string; problem: 'host' | 'certificate' }

export type DirectDeliveryOptions = {
  /** The name in EHLO. */
  helloName: string
  guard: { allowPrivateNetworks: boolean }
  /** Maximum connections of this process to a set of MX hosts, and messages on each. */
  limitsOf: (set: MxSet) => DestinationLimit
  mtaSts: MtaSts
  onPolicyFinding?: (finding: PolicyFinding) => void
  /** The limit for all hosts together. */
  connectionsMax?: number
  timeouts?: Partial<SmtpTimeouts>
  openingTimeouts?: DirectOpeningTimeouts
  /** How long a host may say nothing until it counts as silent. */
  silentAfterMs?: number
  /** How long a message may wait for a connection to become free. */
  waitMsMax?: number
  /** How long an attempt may take in all. */
  attemptMsMax?: number
  /** How long an idle connection is kept. */
  idleMsMax?: number
  port?: number
  clock?: Clock
  random?: () => number
}

const SMTP_PORT = 25
const CONNECTIONS_MAX = 200

/** Further messages had better wait in the database. */
const SENDS_MAX = 2_000
const WAIT_MS_MAX = 60_000

/** The wait, the opening of a connection, and the transaction. Others that wait for the same host have their turn then. */
const ATTEMPT_MS_MAX = 15 * 60_000

export function createDirectDelivery(options: DirectDeliveryOptions): DirectDelivery {
  const { helloName, guard, limitsOf, mtaSts, onPolicyFinding = () => {}, clock = systemClock, random = Math.random } = options
  const timeouts = { ...TIMEOUTS, ...options.timeouts }
  const attemptMsMax = options.attemptMsMax ?? ATTEMPT_MS_MAX
  const connector = createDirectConnector({
    ...{ helloName, guard, timeouts, clock, random },
    port: options.port ?? SMTP_PORT,
    openingTimeouts: options.openingTimeouts ?? DIRECT_OPENING_TIMEOUTS,
  })
  const pools = createDirectPools({
    connector,
    connectionsMax: options.connectionsMax ?? CONNECTIONS_MAX,
    waitMsMax: options.waitMsMax ?? WAIT_MS_MAX,
    silentAfterMs: options.silentAfterMs ?? SILENT_AFTER_MS,
    ...(options.idleMsMax !== undefined && { idleMsMax: options.idleMsMax }),
    clock,
  })
  let sendCount = 0

  async function attempt({ domain, set, ...transaction }: DirectTransaction): Promise<Attempt> {
    if (sendCount >= SENDS_MAX) return notAttempted(TOO_MANY)
    sendCount++
    const startedMs = clock.monotonicMs()
    const leftMs = () => attemptMsMax - (clock.monotonicMs() - startedMs)
    try {
      const policy = await mtaSts.policyOf(domain)
      const hosts = policy.mode === 'enforce' ? set.hosts.filter(({ name }) => policy.allows(name)) : set.hosts
      if (hosts.length === 0) return notAttempted(notInPolicy(domain))
      const tls = policy.mode === 'enforce' ? 'verified' : transaction.requiresTls ? 'required' : 'opportunistic'
      const route = { hosts, tls, setKey: set.key } as const
      const attempted = await sendThrough(() => pools.of(route, limitsOf(set)), { ...transaction, leftMs })
      if (policy.mode === 'testing') report(domain, policy, attempted)
      return attempted
    } finally {
      sendCount--
    }
  }

  function report(domain: string, policy: AppliedPolicy, { session }: Attempt): void {
    if (session === null) return
    if (!policy.allows(session.host)) onPolicyFinding({ domain, host: session.host, problem: 'host' })
    else if (!session.isCertificateValid) onPolicyFinding({ domain, host: session.host, problem: 'certificate' })
  }

  return {
    send: (transaction) => sendMessage(transaction, attempt, { server: transaction.set.hosts[0]?.name ?? transaction.domain, clock }),
    close: (graceMs = CLOSE_GRACE_MS) => pools.close(graceMs),
  }
}

const notAttempted = (result: SmtpResult): Attempt => ({ result, tls: null, host: null, session: null })

/** Our own shortage: congestion (RFC 3463, X.4.5). */
const TOO_MANY: SmtpResult = {
  ...resultWithoutReply('delayed', 'connect', `More than ${SENDS_MAX} messages are on their way already`),
  enhancedCode: '4.4.5',
}

/** Not final: the policy or the MX records will be corrected, or someone has forged them (RFC 8461, section 5). */
const notInPolicy = (domain: string): SmtpResult => ({
  ...resultWithoutReply('delayed', 'connect', `None of the mail servers of ${domain} is one of those that its MTA-STS policy allows`),
  enhancedCode: '4.7.0',
})
