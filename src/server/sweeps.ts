// Scheduled clean-up: what expired or grew old, and blobs that no row names.

import type { PlatformContext } from '../http/platform.context.ts'
import { type Clock, DAY_MS } from '../lib/clock.ts'
import { LOWEST_ID } from '../lib/ids.ts'
import { purge, purgeWithBlobs } from '../lib/purge.ts'
import type { AccountsContext } from '../modules/accounts/accounts.context.ts'
import type { AudienceContext } from '../modules/audience/audience.context.ts'
import { IMPORT_REPORT_DAYS } from '../modules/audience/imports/imports.schema.ts'
import { JOB_REFUSALS_DAYS } from '../modules/audience/jobs/contact-jobs.schema.ts'
import type { AutomationsContext } from '../modules/automations/automations.context.ts'
import type { DeliveryContext } from '../modules/delivery/delivery.context.ts'
import { canceledBefore } from '../modules/domains/claims/claim-states.ts'
import type { DomainsContext } from '../modules/domains/domains.context.ts'
import { retiredBefore } from '../modules/domains/records/wanted-records.ts'
import type { EmailsContext } from '../modules/emails/emails.context.ts'
import type { InboundContext } from '../modules/inbound/inbound.context.ts'
import type { LimitsContext } from '../modules/limits/limits.context.ts'
import type { MetricsContext } from '../modules/metrics/metrics.context.ts'
import { COUNTS_KEPT_DAYS, RECEIVED_AMOUNTS_KEPT_DAYS } from '../modules/metrics/metrics.schema.ts'
import type { OauthContext } from '../modules/oauth/oauth.context.ts'
import type { WebhooksContext } from '../modules/webhooks/webhooks.context.ts'

type Context = PlatformContext &
  LimitsContext &
  DomainsContext &
  AccountsContext &
  AudienceContext &
  EmailsContext &
  DeliveryContext &
  InboundContext &
  MetricsContext &
  AutomationsContext &
  WebhooksContext &
  OauthContext

/** A destination without problems for a week starts with a fresh pace when mail is sent to it again. */
const PACES_KEPT_MS = 7 * DAY_MS
/** A blob is stored before its row. A younger one may belong to a request that is still being accepted. */
const UNNAMED_BLOB_AGE_MS_MIN = DAY_MS

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'config' | 'clock' | 'log'>

/**
 * Whether sweeps may remove old records. They may not for a day after the clock jumped, because a wrong clock makes everything look old. A service
 * that was off for longer than a day looks the same, and waits too.
 */
export async function mayRemoveOld({ repositories, clock, log }: Pick<Context, 'repositories' | 'clock' | 'log'>): Promise<boolean> {
  const { waitsUntil, hasJumped } = await repositories.sweepClock.lookAcrossTeams(clock.now())
  if (hasJumped) log.warn({ waitsUntil }, 'clock jumped or service was off: nothing is removed for its age until then')
  return waitsUntil === null
}

const daysAgo = (clock: Clock, days: number): Date => new Date(clock.now().getTime() - days * DAY_MS)

async function purgeAndLog(log: Context['log'], what: string, removeSome: () => Promise<number>): Promise<void> {
  const removed = await purge(removeSome)
  if (removed > 0) log.info({ removed }, what)
}

export async function sweepEmails({ repositories, gateways, config, clock, log }: Dependencies): Promise<void> {
  if (config.emailRetentionDays === 0) return
  const before = daysAgo(clock, config.emailRetentionDays)
  const removed = await purgeWithBlobs(gateways.blobs, () => repositories.retention.removeEmailsAcrossTeams(before))
  if (removed > 0) log.info({ removed }, 'old emails removed')
}

export async function sweepReceivedEmails({ repositories, gateways, config, clock, log }: Dependencies): Promise<void> {
  if (config.emailRetentionDays === 0) return
  const before = daysAgo(clock, config.emailRetentionDays)
  const removed = await purgeWithBlobs(gateways.blobs, () => repositories.receivedEmails.removeOldAcrossTeams(before))
  if (removed > 0) log.info({ removed }, 'old received emails removed')
}

/** Keeps amounts as long as `GET /usage` and the limits of teams look back. */
export async function sweepReceivedAmounts({
  repositories,
  clock,
  log,
}: Pick<Dependencies, 'repositories' | 'clock' | 'log'>): Promise<void> {
  const before = daysAgo(clock, RECEIVED_AMOUNTS_KEPT_DAYS)
  await purgeAndLog(log, 'old amounts of received emails removed', () => repositories.receivedAmounts.removeBeforeAcrossTeams(before))
}

export async function sweepBlobs({ repositories, gateways, clock, log }: Dependencies): Promise<void> {
  const [known, marked] = await Promise.all([repositories.storageOwner.find(), gateways.storeMark.read()])
  if (known === null || known.owner !== marked) {
    const { where } = gateways.storeMark
    log.error({ where, marked, owner: known?.owner ?? null }, 'files are not marked as those of this database: none is removed')
    return
  }
  const since = new Date(clock.now().getTime() - UNNAMED_BLOB_AGE_MS_MIN)
  let removed = 0
  for await (const keys of gateways.blobs.keysBefore(since)) {
    if (keys.length === 0) continue
    for (const key of await repositories.unnamedBlobs.of(keys)) {
      await gateways.blobs.remove(key)
      removed += 1
    }
  }
  if (removed > 0) log.info({ removed }, 'blobs without a row removed')
  const leftovers = await gateways.blobs.removeOrphans()
  if (leftovers > 0) log.info({ removed: leftovers }, 'half-written blobs removed')
}

/** After a while no one needs to know why rows were refused. */
export async function sweepImportReports({ repositories, clock, log }: Dependencies): Promise<void> {
  const before = daysAgo(clock, IMPORT_REPORT_DAYS)
  await purgeAndLog(log, 'reports of imports removed', () => repositories.importBatches.removeRefusalsAcrossTeams(before))
}

export async function sweepContactJobs({ repositories, clock, log }: Dependencies): Promise<void> {
  const before = daysAgo(clock, JOB_REFUSALS_DAYS)
  await purgeAndLog(log, 'refusals of contact jobs removed', () => repositories.contactJobs.removeRefusalsAcrossTeams(before))
}

/** What runs knew came from events, so it is kept as long as these. Graphs that nothing has any longer follow. */
export async function sweepAutomations({ repositories, config, clock, log }: Dependencies): Promise<void> {
  const { oldRuns } = repositories
  const before = daysAgo(clock, config.logRetentionDays)
  const runs = await purgeInOrder((after) => oldRuns.removeEndedAcrossTeams(before, { after }))
  const versions = await purgeInOrder((after) => oldRuns.removeVersionsAcrossTeams({ after }))
  const undispatched = await purge(() => oldRuns.removeUndispatchedAcrossTeams(before))
  if (runs + versions > 0) log.info({ runs, versions }, 'old runs of automations removed')
  if (undispatched > 0) log.warn({ undispatched }, 'old events removed that could not be dispatched to automations')
}

/** A step looks at the next rows, and may remove none of them. */
async function purgeInOrder(step: (after: string) => Promise<{ removed: number; last: string | null }>): Promise<number> {
  let sum = 0
  for (let after: string | null = LOWEST_ID; after !== null; ) {
    const { removed, last } = await step(after)
    sum += removed
    after = last
  }
  return sum
}

/** Keeps failures as long as the events themselves. */
export async function sweepWebhookFailures({ repositories, config, clock, log }: Dependencies): Promise<void> {
  const before = daysAgo(clock, config.logRetentionDays)
  await purgeAndLog(log, 'failures of webhooks removed', () => repositories.waitingWebhookMessages.removeFailuresBeforeAcrossTeams(before))
}

/** Expired sessions no longer open anything; removing them saves space. */
export async function sweepSessions({ repositories, clock, log }: Pick<Dependencies, 'repositories' | 'clock' | 'log'>): Promise<void> {
  const removed = await purge(() => repositories.sessions.removeExpiredAcrossTeams(clock.now()))
  if (removed > 0) log.info({ removed }, 'expired sessions removed')
  await purge(() => repositories.signInLinks.removeExpiredAcrossTeams(clock.now()))
  await purge(() => repositories.answeredChallenges.removeExpiredAcrossTeams(clock.now()))
  await purge(() => repositories.confirmations.removeExpiredAcrossTeams(clock.now()))
  await purge(() => repositories.invitations.removeExpiredAcrossTeams(clock.now()))
  const before = new Date(clock.now().getTime() - USED_FORMS_KEPT_MS)
  await purge(() => repositories.usedForms.forgetAcrossTeams(before))
}

/** A form is taken for a day. The rest is for clocks that differ. */
const USED_FORMS_KEPT_MS = 2 * DAY_MS

/** Expired codes and tokens open nothing; clients that no one gave access to and grants without a living token are forgotten. */
export async function sweepOAuth({ repositories, clock, log }: Pick<Dependencies, 'repositories' | 'clock' | 'log'>): Promise<void> {
  const { oauthClients, oauthGrants, oauthRecords } = repositories
  await purgeAndLog(log, 'expired codes and tokens removed', () => oauthRecords.removeExpired(clock.now()))
  await purgeAndLog(log, 'unused grants ended', () => oauthGrants.endUnusedAcrossTeams(daysAgo(clock, GRANT_UNUSED_DAYS)))
  await purgeAndLog(log, 'old grants removed', () => oauthGrants.removeRevokedAcrossTeams(daysAgo(clock, GRANTS_KEPT_DAYS)))
  await purgeAndLog(log, 'abandoned clients removed', () => oauthClients.removeAbandoned(daysAgo(clock, CLIENT_UNUSED_DAYS)))
}

/** As long as a refresh token lives, and a day more. */
const GRANT_UNUSED_DAYS = 61
/** After they ended, teams can read who had access. */
const GRANTS_KEPT_DAYS = 365
const CLIENT_UNUSED_DAYS = 30

/** Until then, their teams can read what became of them. */
export async function sweepClaims({ repositories, clock, log }: Pick<Dependencies, 'repositories' | 'clock' | 'log'>): Promise<void> {
  const removed = await repositories.claimChecks.removeCanceledAcrossTeams(canceledBefore(clock.now()))
  if (removed > 0) log.info({ removed }, 'canceled claims removed')
  const former = await repositories.claimChecks.removeFormerAcrossTeams()
  if (former > 0) log.info({ removed: former }, 'names that teams had before are free')
}

/** No one verifies any longer what these keys signed, so their records need not be published. */
export async function sweepDkimKeys({ repositories, clock, log }: Pick<Dependencies, 'repositories' | 'clock' | 'log'>): Promise<void> {
  const before = retiredBefore(clock.now())
  await purgeAndLog(log, 'retired keys of domains removed', () => repositories.keyRotation.removeRetiredAcrossTeams(before))
}

/** Counts of broadcasts stay. */
export async function sweepEmailCounts({ repositories, clock, log }: Pick<Dependencies, 'repositories' | 'clock' | 'log'>): Promise<void> {
  const before = daysAgo(clock, COUNTS_KEPT_DAYS)
  await purgeAndLog(log, 'old counts of emails removed', () => repositories.countChanges.removeBeforeAcrossTeams(before))
}

/** No one looks at days and months of limits that are long over. */
export async function sweepQuotaPeriods({ repositories, clock, log }: Pick<Dependencies, 'repositories' | 'clock' | 'log'>): Promise<void> {
  await purgeAndLog(log, 'old days and months of limits removed', () => repositories.quotas.removeOldAcrossTeams(clock.now()))
}

/** Triggers count each file. This corrects what they missed, such as what was being stored while a limit was set. */
export async function countStoredBytes({ repositories }: Pick<Dependencies, 'repositories'>): Promise<void> {
  const { teamStorage } = repositories
  for (let teams = await teamStorage.limitedAcrossTeams(); teams.length > 0; teams = await teamStorage.limitedAcrossTeams(teams.at(-1)))
    await teamStorage.countAgain(teams)
}

export async function sweepPaces({ repositories, clock }: Pick<Dependencies, 'repositories' | 'clock'>): Promise<void> {
  await repositories.destinationPaces.removeBeforeAcrossTeams(new Date(clock.now().getTime() - PACES_KEPT_MS))
}

export async function sweepIdempotencyKeys({ repositories, clock }: Pick<Dependencies, 'repositories' | 'clock'>): Promise<void> {
  await repositories.idempotencyKeys.removeExpiredAcrossTeams(clock.now())
}
