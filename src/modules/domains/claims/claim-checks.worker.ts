// Looks for the records of claims that are due, and completes those whose record is seen and that nothing blocks.

import type { PlatformContext } from '../../../http/platform.context.ts'
import { DKIM_ALGORITHMS } from '../../../lib/crypto/keys.ts'
import { isProblem } from '../../../lib/problem.ts'
import { parseMailbox } from '../../../mail/addresses.ts'
import { startDueChecks } from '../checks/domain-checks.worker.ts'
import type { NameHolder } from '../domain-states.repository.ts'
import type { DomainsContext } from '../domains.context.ts'
import type { ClaimCompletion, DueClaim } from './claim-checks.repository.ts'
import { activeAfter, type BlockedReason, holdsClaim, isInGracePeriod } from './claim-states.ts'

type Context = PlatformContext & DomainsContext

/** Each asks one question. Completing one makes two RSA keys, which keeps a core busy for a second. */
const CHECKED_AT_ONCE = 5

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'makeDkimKey' | 'clock' | 'log'>

export function startClaimChecks(context: Dependencies, options: { lookEveryMs?: number } = {}): { stop(): Promise<void> } {
  const { repositories, log } = context
  return startDueChecks({
    take: (limit, exceptTeamIds) => repositories.claimChecks.takeDueAcrossTeams(limit, exceptTeamIds),
    check: (due) => checkClaim(context, due),
    onFailure(error, due) {
      if (due) log.warn({ err: error, claimId: due.id }, 'claim not checked')
      else log.warn({ err: error }, 'due claims not taken')
    },
    checkedAtOnce: CHECKED_AT_ONCE,
    ...options,
  })
}

export async function checkClaim(context: Dependencies, due: DueClaim): Promise<void> {
  const { claimChecks, domainClaims } = context.repositories
  const { teamId } = due
  const claim = await claimChecks.findOpen(teamId, due.id)
  if (!claim) return
  const answer = await context.gateways.domainDns.ask(claim.name, 'TXT', teamId)
  // A resolver that does not answer says nothing.
  if (answer.kind === 'unanswered') return claimChecks.postpone(teamId, claim, claim.blockedReason)
  if (!holdsClaim(answer, claim.token)) return claimChecks.postpone(teamId, claim, null)

  const holder = await domainClaims.findHolder(teamId, claim.name)
  const blockedReason = holder && (await findBlockedReason(context, holder, claim.name))
  if (blockedReason) return claimChecks.postpone(teamId, claim, blockedReason)
  const outcome = await claimChecks.complete(due, await prepareCompletion(context, teamId, holder))
  if (outcome === 'changed') return claimChecks.postpone(teamId, claim, null)
  if (outcome === 'ended') return
  if (holder) context.repositories.domains.forgetSender(holder.teamId, claim.name)
  context.log.info({ teamId, claimId: claim.id, domainId: claim.domainId, formerTeamId: holder?.teamId ?? null }, 'claim completed')
}

/** Null if the team that has the name can lose it now. */
async function findBlockedReason({ repositories, clock }: Dependencies, holder: NameHolder, name: string): Promise<BlockedReason | null> {
  const { senderMail } = repositories
  const now = clock.now()
  const isFromName = (from: string): boolean => {
    const mailbox = parseMailbox(from)
    return !isProblem(mailbox) && mailbox.domain === name
  }
  if (isInGracePeriod(holder.since, now)) return 'grace_period'
  if ((await senderMail.scheduledSenders(holder.teamId, name)).some(isFromName)) return 'pending_scheduled_emails'
  if ((await senderMail.sendersSince(holder.teamId, name, activeAfter(now))).some(isFromName)) return 'recent_owner_activity'
  return null
}

/** Keys are made before the transaction, because that takes time. */
async function prepareCompletion({ makeDkimKey }: Dependencies, teamId: string, holder: NameHolder | null): Promise<ClaimCompletion> {
  const newKeys = () => Promise.all(DKIM_ALGORITHMS.map((algorithm) => makeDkimKey(algorithm, teamId)))
  return { holder, keys: await newKeys(), holderKeys: holder ? await newKeys() : [] }
}
