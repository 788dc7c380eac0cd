// Sends mail of the installation: as ordinary mail leaves, but of no team, and without its queue, suppressions, pauses and records.
import type { PlatformContext } from '../../http/platform.context.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/clock.ts'
import { startPollLoop } from '../../lib/poll-loop.ts'
import { purge } from '../../lib/purge.ts'
import { composeSignedMessage } from '../../mail/dkim/signed-message.ts'
import { simulatedOutcome } from '../../mail/simulator.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import type { MailContent } from '../accounts/people/installation-mail.service.ts'
import type { ClaimedInstallationMail, InstallationMailOutcome } from '../accounts/people/installation-mails.repository.ts'
import type { DomainsContext, SenderIdentity } from '../domains/domains.context.ts'
import type { DeliveryContext } from './delivery.context.ts'

type Context = PlatformContext & DomainsContext & AccountsContext & DeliveryContext

/** How often mail of other processes, and mail that is tried again, is looked for. */
const POLL_MS = 1_000
const CLEARED_EVERY_MS = 10_000
const AT_ONCE = 10
/** After this, another process may try: the one that began has ended. */
const CLAIMED_MS = 5 * MINUTE_MS
/** An attempt hands over nothing after this. What a server then takes to answer is in the rest of the time above. */
const ATTEMPT_MS = 2 * MINUTE_MS

/** Between attempts: people wait for links of a few minutes, and invitations last for days. */
const WAITS_MS = [MINUTE_MS / 2, 2 * MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS]

export const installationMailWaitMs = (attempt: number): number => WAITS_MS[Math.min(attempt, WAITS_MS.length) - 1] ?? 0

export type InstallationMailSender = { wake(): void; stop(): Promise<void> }

export function startSendingInstallationMails(context: Context): InstallationMailSender {
  const { clock, log } = context
  const { installationMails } = context.repositories
  const running = new Set<Promise<void>>()
  let clearedAtMs = Number.NEGATIVE_INFINITY

  const loop = startPollLoop(async ({ rest }) => {
    try {
      if (clock.monotonicMs() - clearedAtMs >= CLEARED_EVERY_MS) await clear()
      await begin()
    } catch (error) {
      log.warn({ err: error }, 'mail of the installation not claimed')
    }
    await rest(POLL_MS)
  })

  async function clear(): Promise<void> {
    clearedAtMs = clock.monotonicMs()
    await installationMails.removeEndedContents(clock.now())
    await purge(() => installationMails.removeCounted(clock.now()))
  }

  async function begin(): Promise<void> {
    if (running.size >= AT_ONCE) return
    const claimedUntil = new Date(clock.now().getTime() + CLAIMED_MS)
    for (const mail of await installationMails.claim(clock.now(), { claimedUntil, limit: AT_ONCE - running.size })) {
      const sending = attempt(context, mail, { isStopping: () => loop.signal.aborted })
        .catch((error) => log.warn({ err: error, installationMailId: mail.id }, 'mail of the installation not sent'))
        .finally(() => {
          running.delete(sending)
          loop.wake()
        })
      running.add(sending)
    }
  }

  return {
    wake: loop.wake,
    async stop() {
      await loop.stop()
      await Promise.all(running)
    },
  }
}

/** What a server says is not logged: it may repeat what the mail says. */
async function attempt(context: Context, mail: ClaimedInstallationMail, { isStopping }: { isStopping: () => boolean }): Promise<void> {
  const { clock, log, repositories, installationMailBox } = context
  const content = installationMailBox.open(mail)
  const sent = content === null ? NOT_OPENED : await transmit(context, { mail, content, isStopping })
  const outcome = outcomeOf(sent.kind, mail, clock.now())
  await repositories.installationMails.settle(mail, outcome)
  const { kind, why, code = null, enhancedCode = null, host = null } = sent
  const details = { installationMailId: mail.id, attempt: mail.attempts, kind, code, enhancedCode, host, ...(why !== undefined && { why }) }
  if (outcome === 'delivered') log.info(details, 'mail of the installation delivered')
  else log.warn(details, outcome === 'given up' ? 'mail of the installation given up' : 'mail of the installation not delivered yet')
}

type Sent = {
  kind: 'delivered' | 'delayed' | 'bounced' | 'abandoned'
  code?: number | null
  enhancedCode?: string | null
  host?: string
  why?: string
}

const NOT_OPENED: Sent = { kind: 'bounced', why: 'its data key is gone' }
const NOWHERE: Sent = { kind: 'bounced', why: 'mail does not leave this installation, or not to the simulator' }

function outcomeOf(kind: Sent['kind'], { attempts, expiresAt }: ClaimedInstallationMail, now: Date): InstallationMailOutcome {
  if (kind === 'delivered') return 'delivered'
  if (kind === 'abandoned') return { again: now, isCounted: false }
  const again = new Date(now.getTime() + installationMailWaitMs(attempts))
  return kind === 'bounced' || again >= expiresAt ? 'given up' : { again, isCounted: true }
}

type Sending = { mail: ClaimedInstallationMail; content: MailContent; isStopping: () => boolean }

async function transmit(context: Context, { mail, content, isStopping }: Sending): Promise<Sent> {
  const { gateways, config, clock } = context
  const startedMs = clock.monotonicMs()
  const { direct, relay } = gateways
  if ((!direct && !relay) || simulatedOutcome(content.to, config.simulatorDomains) !== null) return NOWHERE
  const identity = await identityOfInstallation(context)
  if (direct && !identity?.hasKeys)
    return { kind: 'delayed', why: `no team has verified ${config.accountFrom.domain}, the domain of ACCOUNT_FROM` }
  const message = await compose(context, { mail, content, signers: identity?.signers ?? [] })
  const transaction = {
    envelope: { from: senderOf(context, mail, identity), to: content.to },
    message,
    mayContinue: () => !isStopping() && clock.monotonicMs() - startedMs < ATTEMPT_MS,
    requiresTls: identity?.requiresTls ?? false,
    isUrgent: true,
  }
  if (relay) return relay.send(transaction)
  const domain = content.to.slice(content.to.lastIndexOf('@') + 1)
  const found = await direct?.directory.lookUp(domain)
  if (!direct || !found) return NOWHERE
  return 'failure' in found ? { ...found.failure, host: domain } : direct.delivery.send({ ...transaction, domain, set: found.set })
}

/** What the domain of ACCOUNT_FROM says about mail from it; null if no team has verified it. */
async function identityOfInstallation({ config, repositories, senderIdentityOf }: Context): Promise<SenderIdentity | null> {
  const { domain } = config.accountFrom
  const teamId = await repositories.sendingDomains.ownerAcrossTeams(domain)
  return teamId === null ? null : senderIdentityOf(teamId, domain)
}

/** Bounces return to an address that belongs to no email, so no team reads them. */
function senderOf({ config, returnPathTokens }: Context, { id }: ClaimedInstallationMail, identity: SenderIdentity | null): string {
  if (config.returnPath !== 'own' || !identity?.returnPathHost) return config.accountFrom.address
  return `${returnPathTokens.create(id)}@${identity.returnPathHost}`
}

type Composing = Pick<Sending, 'mail' | 'content'> & Pick<SenderIdentity, 'signers'>

/** Every attempt sends the same bytes, as long as the domain has the same keys. */
function compose({ config }: Context, { mail, content, signers }: Composing) {
  const { accountFrom } = config
  const message = {
    messageId: `<${mail.id}@${accountFrom.domain}>`,
    date: mail.createdAt,
    from: accountFrom,
    to: [{ name: null, address: content.to }],
    cc: [],
    replyTo: [],
    subject: content.subject,
    html: null,
    text: content.text,
    headers: [{ name: 'Auto-Submitted', value: 'auto-generated' }],
    attachments: [],
  }
  return composeSignedMessage(message, { signers, bodyKey: '', bodyHashes: { of: (_key, compute) => compute() } })
}
