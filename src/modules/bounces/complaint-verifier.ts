// Complaints that name their recipient in a way that others know too: they count only if the report proves who sent it.
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PlatformContext } from '../../http/platform.context.ts'
import { createExpiringCache } from '../../lib/cache.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { createKeyCounts } from '../../lib/limits/counts.ts'
import { createFairSemaphore } from '../../lib/limits/fair-semaphore.ts'
import { registrableDomain } from '../../mail/domain-names.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import type { BouncesContext } from './bounces.context.ts'
import type { WaitingMessage } from './pending-reports.repository.ts'
import type { ReportedRecipientRow } from './reported-recipients.repository.ts'
import type { Report } from './reports/delivery-status.ts'
import { domainOf, keyNameOf, mayReport, maySign, type Signer } from './reports/reporters.ts'

type Context = PlatformContext & DomainsContext & BouncesContext

// The keys with which reports are signed, as the DNS has them. What was asked is remembered for minutes, so that a domain that does not answer costs
// one question, and a feedback loop that sends thousands of reports too.

/** TXT records by the names of the keys. `areAll` is false while the DNS has not answered for one, or others ask too much at once. */
export type FoundKeys = { found: Record<string, string[]>; areAll: boolean }

export type SignatureKeys = {
  /** Never fails. Ends early with the signal. */
  of(signers: readonly Signer[], signal?: AbortSignal): Promise<FoundKeys>
}

/** The limit for all keys of a report. */
const KEYS_MS_MAX = 10_000

/** A domain that never answers must leave places to the others. */
const ASKED_AT_ONCE = { all: 20, perOrganization: 5 }

/** A resolver that failed has recovered, and a key that was replaced is seen. */
const REMEMBERED_MS = { answered: 60_000, unanswered: 120_000 }
const REMEMBERED_MAX = 5_000

type Answer = { values: string[] } | 'unanswered'

export function createSignatureKeys({ dns, clock }: { dns: Context['gateways']['domainDns']; clock: Context['clock'] }): SignatureKeys {
  const remembered = createExpiringCache<Answer>({ entriesMax: REMEMBERED_MAX, clock })
  const asking = new Map<string, Promise<Answer>>()
  const askedBy = createKeyCounts()

  function answerFor(signer: Signer): Promise<Answer> | Answer {
    const name = keyNameOf(signer)
    const known = remembered.get(name) ?? asking.get(name)
    if (known !== undefined) return known
    const organization = registrableDomain(signer.domain) ?? signer.domain
    if (asking.size >= ASKED_AT_ONCE.all || askedBy.of(organization) >= ASKED_AT_ONCE.perOrganization) return 'unanswered'
    askedBy.add(organization)
    const answer = ask(name).finally(() => {
      asking.delete(name)
      askedBy.takeAway(organization)
    })
    asking.set(name, answer)
    return answer
  }

  async function ask(name: string): Promise<Answer> {
    const reply = await dns.ask(name, 'TXT', 'complaints')
    const answer = reply.kind === 'unanswered' ? 'unanswered' : { values: reply.kind === 'records' ? reply.values : [] }
    remembered.set(name, answer, answer === 'unanswered' ? REMEMBERED_MS.unanswered : REMEMBERED_MS.answered)
    return answer
  }

  return {
    async of(signers, signal) {
      const keys: FoundKeys = { found: {}, areAll: true }
      const ending = new AbortController()
      const signals = [ending.signal, ...(signal ? [signal] : [])]
      const tooLate = sleep(KEYS_MS_MAX, 'unanswered' as const, { signal: AbortSignal.any(signals), ref: false }).catch(
        () => 'unanswered' as const,
      )
      await Promise.all(
        signers.map(async (signer) => {
          const answer = await Promise.race([answerFor(signer), tooLate])
          if (answer === 'unanswered') keys.areAll = false
          else if (answer.values.length > 0) keys.found[keyNameOf(signer)] = answer.values
        }),
      )
      ending.abort()
      return keys
    },
  }
}

export type ClaimedComplaint = {
  message: WaitingMessage
  report: Extract<Report, { kind: 'complaint' }>
  /** The recipients that the report names. */
  recipients: ReportedRecipientRow[]
}

/** `reason`: what was missing. */
export type ReportableRecipients = { recipients: ReportedRecipientRow[] } | { reason: string }

export type ComplaintVerifier = {
  /** How many more claims may be verified now. */
  room(): number
  /**
   * `later` if it cannot be found out now, `overdue` if it took too long to find out.
   *
   * @throws if the content cannot be read from its storage, and for faults of the thread that reads it.
   */
  verify(claim: ClaimedComplaint, signal?: AbortSignal): Promise<ReportableRecipients | 'later' | 'overdue'>
}

type Dependencies = Pick<Context, 'gateways' | 'config' | 'clock'>

/** Claims that are verified at once. Most wait for the DNS. */
const CLAIMS_MAX = 200

/** Claims whose content is in memory. The thread works on one after the other. */
const VERIFIED_AT_ONCE = { perKey: 2, inAll: 4 }
const VERIFYING_WAITS_MS_MAX = 20_000

/** A resolver that fails works again after a while. A domain that never answers must not keep a message forever. */
const WAITS_MS_MAX = HOUR_MS

/** Reports have the head of a mail, or all of one without its attachments. */
const SIGNED_BYTES_MAX = 4 * 1024 * 1024

export function createComplaintVerifier(context: Dependencies): ComplaintVerifier {
  const { gateways, clock } = context
  const keys = createSignatureKeys({ dns: gateways.domainDns, clock })
  const waitingMax = { perKey: CLAIMS_MAX, inAll: CLAIMS_MAX }
  const refusal = () => new Failure('unavailable', 'Too many signatures wait to be verified')
  const semaphore = createFairSemaphore({ atOnceMax: VERIFIED_AT_ONCE, waitingMax, waitMsMax: VERIFYING_WAITS_MS_MAX, refusal })
  let running = 0

  async function verifyClaim(
    { message, report, recipients }: ClaimedComplaint,
    signal: AbortSignal | undefined,
  ): ReturnType<ComplaintVerifier['verify']> {
    const suspect = suspicion(context, { message, report, recipients })
    if ('reason' in suspect) return suspect
    const { from, signers, permitted } = suspect
    const { found, areAll } = await keys.of(signers, signal)
    const signed = { sender: from, signers: signers.map(({ domain }) => domain), rcptTo: message.rcptTo, keys: found, now: clock.now() }
    const isSignedByKeys = async () =>
      gateways.reports.isSigned({ ...signed, bytes: await buffer(await gateways.blobs.open(message.blobKey)) })
    const isSigned = Object.keys(found).length > 0 && (await semaphore.run(domainOf(from), isSignedByKeys))
    if (isSigned === 'overdue') return 'overdue'
    if (isSigned) return { recipients: permitted }
    const covered = `From, To (${message.rcptTo}), Content-Type and the whole body`
    return areAll ? missing(`no DKIM signature of ${domainOf(from)} is valid and covers ${covered}`) : 'later'
  }

  return {
    room: () => CLAIMS_MAX - running,
    async verify(claim, signal) {
      running += 1
      try {
        return await verifyClaim(claim, signal)
      } finally {
        running -= 1
      }
    },
  }
}

type Suspect = { from: string; signers: Signer[]; permitted: ReportedRecipientRow[] }

/** Nothing is asked of the DNS unless the sender, once proven, may report the recipient. */
function suspicion(
  { config, clock }: Dependencies,
  { message, report: { sender }, recipients }: ClaimedComplaint,
): Suspect | { reason: string } {
  const from = sender.address
  if (from === null) return missing('it does not have exactly one sender')
  const reporters = config.feedbackReporters
  const permitted = recipients.filter(({ address }) => mayReport(from, address, reporters))
  if (permitted.length === 0)
    return missing(`${from} is neither the recipient, nor abuse@ or the like at the recipient's provider, nor in COMPLAINT_REPORTERS`)
  const signers = sender.signers.filter(({ domain }) => maySign(domain, from, reporters))
  if (signers.length === 0) return missing(`it has no DKIM signature of ${domainOf(from)}`)
  if (message.bytes > SIGNED_BYTES_MAX) return missing(`it is larger than ${SIGNED_BYTES_MAX / 1024 / 1024} MB`)
  // While no worker ran, others have become as old.
  if (message.postponed > 0 && clock.now().getTime() - message.receivedAt.getTime() >= WAITS_MS_MAX)
    return missing(`the DKIM key of ${domainOf(from)} could not be looked up within an hour`)
  return { from, signers, permitted }
}

/** A machine that is only busy takes so long once, but not each time. */
export const takesTooLong: ReportableRecipients = missing('its signature takes too long to verify')

function missing(what: string): { reason: string } {
  return { reason: `The report is not authenticated: ${what}.` }
}
