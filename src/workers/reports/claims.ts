// Complaints that name their recipient in a way that others know too: they count only if the report proves who sent it.
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { domainOf, keyNameOf, type ReportSender } from '../../mail/reports/report-sender.ts'
import type { Report } from '../../mail/reports/reported.ts'
import { mayReport } from '../../mail/reports/reporters.ts'
import type { ReportedRecipientRow } from '../../repositories/inbound/reported-recipients.ts'
import type { WaitingMessage } from '../../repositories/inbound/waiting-messages.ts'

export type Claim = {
  message: WaitingMessage
  report: Extract<Report, { kind: 'complaint' }>
  /** Those that the report names. */
  recipients: ReportedRecipientRow[]
}

/** `reason`: what was missing. */
export type Judgement = { recipients: ReportedRecipientRow[] } | { reason: string }

type Dependencies = Pick<Context, 'gateways' | 'config' | 'clock'>

/** For all keys of a message. */
const KEYS_MS_MAX = 10_000

/** A resolver that fails works again after a while. A domain that never answers must not keep a message forever. */
const UNANSWERED_MS_MAX = 60 * 60 * 1_000

/** Reports have the head of a mail, or all of one without its attachments. */
const SIGNED_BYTES_MAX = 4 * 1024 * 1024

/**
 * Nothing is asked of the DNS unless the sender, once proven, may report the recipient. Null if that cannot be found out now.
 *
 * @throws if the content cannot be read from its storage.
 */
export async function judge({ gateways, config, clock }: Dependencies, claim: Claim, signal?: AbortSignal): Promise<Judgement | null> {
  const { message, report, recipients } = claim
  const { sender } = report
  const from = sender.address
  if (from === null) return missing('it does not have exactly one sender')
  const permitted = recipients.filter(({ address }) => mayReport(from, address, config.feedbackReporters))
  if (permitted.length === 0)
    return missing(`${from} is neither the recipient, nor abuse@ or the like at the recipient's provider, nor in FEEDBACK_REPORTERS`)
  if (sender.signers.length === 0) return missing(`it has no DKIM signature of ${domainOf(from)}`)
  if (message.bytes > SIGNED_BYTES_MAX) return missing(`it is larger than ${SIGNED_BYTES_MAX / 1024 / 1024} MB`)
  const keys = await keysOf(gateways.domainDns, sender, signal)
  const now = clock.now()
  const signed = { sender: from, rcptTo: message.rcptTo, keys: keys.found, now }
  const bytes = await buffer(await gateways.blobs.open(message.blobKey))
  // What the library fails on, or takes too long for, proves nothing.
  if ((await gateways.reports.isSigned({ ...signed, bytes }).catch(() => false)) === true) return { recipients: permitted }
  if (keys.areAll)
    return missing(`no DKIM signature of ${domainOf(from)} is valid and covers From, To (${message.rcptTo}) and the whole body`)
  if (signal?.aborted || now.getTime() - message.receivedAt.getTime() < UNANSWERED_MS_MAX) return null
  return missing(`the DNS did not answer for the DKIM key of ${domainOf(from)}`)
}

const missing = (what: string): Judgement => ({ reason: `The report is not authenticated: ${what}.` })

type Keys = { found: Record<string, string[]>; areAll: boolean }

async function keysOf(dns: Context['gateways']['domainDns'], { signers }: ReportSender, signal?: AbortSignal): Promise<Keys> {
  const keys: Keys = { found: {}, areAll: true }
  const ending = new AbortController()
  const tooLate = sleep(KEYS_MS_MAX, null, { signal: AbortSignal.any([ending.signal, ...(signal ? [signal] : [])]), ref: false }).catch(
    () => null,
  )
  await Promise.all(
    [...new Set(signers.map(keyNameOf))].map(async (name) => {
      const answer = await Promise.race([dns.ask(name, 'TXT', 'complaints'), tooLate])
      if (answer === null || answer.kind === 'unanswered') keys.areAll = false
      else if (answer.kind === 'records') keys.found[name] = answer.values
    }),
  )
  ending.abort()
  return keys
}
