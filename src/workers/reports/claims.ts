// Complaints that name their recipient in a way that others know too: they count only if the report proves who sent it.
import { buffer } from 'node:stream/consumers'
import type { Context } from '../../context.ts'
import { Failure } from '../../lib/failure.ts'
import { createTurns } from '../../lib/limits/turns.ts'
import { domainOf, type Signer } from '../../mail/reports/report-sender.ts'
import type { Report } from '../../mail/reports/reported.ts'
import { mayReport, maySign } from '../../mail/reports/reporters.ts'
import type { ReportedRecipientRow } from '../../repositories/inbound/reported-recipients.ts'
import type { WaitingMessage } from '../../repositories/inbound/waiting-messages.ts'
import { createSignatureKeys } from './signature-keys.ts'

export type Claim = {
  message: WaitingMessage
  report: Extract<Report, { kind: 'complaint' }>
  /** The recipients that the report names. */
  recipients: ReportedRecipientRow[]
}

/** `reason`: what was missing. */
export type Judgement = { recipients: ReportedRecipientRow[] } | { reason: string }

export type Judge = {
  /** How many more claims may be judged now. */
  room(): number
  /**
   * `later` if it cannot be found out now, `overdue` if it took too long to find out.
   *
   * @throws if the content cannot be read from its storage, and for faults of the thread that reads it.
   */
  judge(claim: Claim, signal?: AbortSignal): Promise<Judgement | 'later' | 'overdue'>
}

type Dependencies = Pick<Context, 'gateways' | 'config' | 'clock'>

/** Claims that are judged at once. Most wait for the DNS. */
const CLAIMS_MAX = 200

/** Claims whose content is in memory. The thread works on one after the other. */
const VERIFIED_AT_ONCE = { perKey: 2, inAll: 4 }
const VERIFYING_WAITS_MS_MAX = 20_000

/** A resolver that fails works again after a while. A domain that never answers must not keep a message forever. */
const WAITS_MS_MAX = 60 * 60 * 1_000

/** Reports have the head of a mail, or all of one without its attachments. */
const SIGNED_BYTES_MAX = 4 * 1024 * 1024

export function createJudge(context: Dependencies): Judge {
  const { gateways, clock } = context
  const keys = createSignatureKeys({ dns: gateways.domainDns, clock })
  const waitingMax = { perKey: CLAIMS_MAX, inAll: CLAIMS_MAX }
  const refusal = () => new Failure('unavailable', 'Too many signatures wait to be verified')
  const turns = createTurns({ atOnceMax: VERIFIED_AT_ONCE, waitingMax, waitMsMax: VERIFYING_WAITS_MS_MAX, refusal })
  let running = 0

  async function judge({ message, report, recipients }: Claim, signal: AbortSignal | undefined): ReturnType<Judge['judge']> {
    const suspect = suspicion(context, { message, report, recipients })
    if ('reason' in suspect) return suspect
    const { from, signers, permitted } = suspect
    const { found, areAll } = await keys.of(signers, signal)
    const signed = { sender: from, signers: signers.map(({ domain }) => domain), rcptTo: message.rcptTo, keys: found, now: clock.now() }
    const verify = async () => gateways.reports.isSigned({ ...signed, bytes: await buffer(await gateways.blobs.open(message.blobKey)) })
    const isSigned = Object.keys(found).length > 0 && (await turns.take(domainOf(from), verify))
    if (isSigned === 'overdue') return 'overdue'
    if (isSigned) return { recipients: permitted }
    const covered = `From, To (${message.rcptTo}), Content-Type and the whole body`
    return areAll ? missing(`no DKIM signature of ${domainOf(from)} is valid and covers ${covered}`) : 'later'
  }

  return {
    room: () => CLAIMS_MAX - running,
    async judge(claim, signal) {
      running += 1
      try {
        return await judge(claim, signal)
      } finally {
        running -= 1
      }
    },
  }
}

type Suspect = { from: string; signers: Signer[]; permitted: ReportedRecipientRow[] }

/** Nothing is asked of the DNS unless the sender, once proven, may report the recipient. */
function suspicion({ config, clock }: Dependencies, { message, report: { sender }, recipients }: Claim): Suspect | { reason: string } {
  const from = sender.address
  if (from === null) return missing('it does not have exactly one sender')
  const reporters = config.feedbackReporters
  const permitted = recipients.filter(({ address }) => mayReport(from, address, reporters))
  if (permitted.length === 0)
    return missing(`${from} is neither the recipient, nor abuse@ or the like at the recipient's provider, nor in FEEDBACK_REPORTERS`)
  const signers = sender.signers.filter(({ domain }) => maySign(domain, from, reporters))
  if (signers.length === 0) return missing(`it has no DKIM signature of ${domainOf(from)}`)
  if (message.bytes > SIGNED_BYTES_MAX) return missing(`it is larger than ${SIGNED_BYTES_MAX / 1024 / 1024} MB`)
  // While no worker ran, others have become as old.
  if (message.postponed > 0 && clock.now().getTime() - message.receivedAt.getTime() >= WAITS_MS_MAX)
    return missing(`the DKIM key of ${domainOf(from)} could not be looked up within an hour`)
  return { from, signers, permitted }
}

/** A machine that is only busy takes so long once, but not each time. */
export const takesTooLong: Judgement = missing('its signature takes too long to verify')

function missing(what: string): { reason: string } {
  return { reason: `The report is not authenticated: ${what}.` }
}
