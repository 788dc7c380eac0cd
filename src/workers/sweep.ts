// Scheduled clean-up: what expired or grew old, and blobs that no row names.
import type { Context } from '../context.ts'
import { canceledBefore } from '../lib/domains/claim-states.ts'
import { retiredBefore } from '../lib/domains/key-roles.ts'
import { LOWEST_ID } from '../lib/ids.ts'
import { IMPORT_REPORT_DAYS } from '../schemas/contact-imports.ts'
import { COUNTS_KEPT_DAYS } from '../schemas/email-metrics.ts'
import { RECEIVED_AMOUNTS_KEPT_DAYS } from '../schemas/usage.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
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

export async function sweepEmails({ repositories, gateways, config, clock, log }: Dependencies): Promise<void> {
  if (config.emailRetentionDays === 0) return
  const before = new Date(clock.now().getTime() - config.emailRetentionDays * DAY_MS)
  let removed = 0
  for (let batch = await repositories.retention.removeEmailsAcrossTeams(before); batch.emails > 0; ) {
    // Rows before blobs: after a crash in between, the next sweep finds the blobs. A row never lacks its blob.
    for (const key of batch.blobKeys) await gateways.blobs.remove(key)
    removed += batch.emails
    batch = await repositories.retention.removeEmailsAcrossTeams(before)
  }
  if (removed > 0) log.info({ removed }, 'old emails removed')
}

export async function sweepReceivedEmails({ repositories, gateways, config, clock, log }: Dependencies): Promise<void> {
  if (config.emailRetentionDays === 0) return
  const before = new Date(clock.now().getTime() - config.emailRetentionDays * DAY_MS)
  let removed = 0
  for (let emails = -1; emails !== 0; removed += Math.max(0, emails)) {
    const batch = await repositories.receivedEmails.removeOldAcrossTeams(before)
    for (const key of batch.blobKeys) await gateways.blobs.remove(key)
    emails = batch.emails
  }
  if (removed > 0) log.info({ removed }, 'old received emails removed')
}

/** Keeps amounts as long as `GET /usage` and the limits of teams look back. */
export async function sweepReceivedAmounts({
  repositories,
  clock,
  log,
}: Pick<Dependencies, 'repositories' | 'clock' | 'log'>): Promise<void> {
  const before = new Date(clock.now().getTime() - RECEIVED_AMOUNTS_KEPT_DAYS * DAY_MS)
  let removed = 0
  for (let batch = -1; batch !== 0; removed += Math.max(0, batch))
    batch = await repositories.receivedAmounts.removeBeforeAcrossTeams(before)
  if (removed > 0) log.info({ removed }, 'old amounts of received emails removed')
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
    for (const key of await repositories.retention.unnamedBlobs(keys)) {
      await gateways.blobs.remove(key)
      removed += 1
    }
  }
  if (removed > 0) log.info({ removed }, 'blobs without a row removed')
  const leftovers = await gateways.blobs.removeLeftovers()
  if (leftovers > 0) log.info({ removed: leftovers }, 'half-written blobs removed')
}

/** After a while no one needs to know why rows were refused. */
export async function sweepImportReports({ repositories, clock, log }: Dependencies): Promise<void> {
  const before = new Date(clock.now().getTime() - IMPORT_REPORT_DAYS * DAY_MS)
  let removed = 0
  for (let batch = -1; batch !== 0; removed += Math.max(0, batch))
    batch = await repositories.importBatches.removeRefusalsAcrossTeams(before)
  if (removed > 0) log.info({ removed }, 'reports of imports removed')
}

/** What runs knew came from events, so it is kept as long as these. Graphs that nothing has any longer follow. */
export async function sweepAutomations({ repositories, config, clock, log }: Dependencies): Promise<void> {
  const { oldRuns } = repositories
  const before = new Date(clock.now().getTime() - config.logRetentionDays * DAY_MS)
  let [runs, versions, untold] = [0, 0, 0]
  for (let after: string | null = LOWEST_ID; after !== null; ) {
    const step = await oldRuns.removeEndedAcrossTeams(before, { after })
    runs += step.removed
    after = step.last
  }
  for (let after: string | null = LOWEST_ID; after !== null; ) {
    const step = await oldRuns.removeVersionsAcrossTeams({ after })
    versions += step.removed
    after = step.last
  }
  for (let batch = -1; batch !== 0; untold += Math.max(0, batch)) batch = await oldRuns.removeUntoldAcrossTeams(before)
  if (runs + versions > 0) log.info({ runs, versions }, 'old runs of automations removed')
  if (untold > 0) log.warn({ untold }, 'old events removed that could not be told to automations')
}

/** Keeps failures as long as the events themselves. */
export async function sweepWebhookFailures({ repositories, config, clock, log }: Dependencies): Promise<void> {
  const before = new Date(clock.now().getTime() - config.logRetentionDays * DAY_MS)
  let removed = 0
  for (let batch = -1; batch !== 0; removed += Math.max(0, batch))
    batch = await repositories.waitingWebhookMessages.removeFailuresBeforeAcrossTeams(before)
  if (removed > 0) log.info({ removed }, 'failures of webhooks removed')
}

/** Expired sessions no longer open anything; removing them saves space. */
export async function sweepSessions({ repositories, clock, log }: Pick<Dependencies, 'repositories' | 'clock' | 'log'>): Promise<void> {
  let removed = 0
  for (let batch = -1; batch !== 0; removed += Math.max(0, batch)) batch = await repositories.sessions.removeExpiredAcrossTeams(clock.now())
  for (let batch = -1; batch !== 0; removed += Math.max(0, batch)) batch = await repositories.operatorSignIns.removeExpired(clock.now())
  if (removed > 0) log.info({ removed }, 'expired sessions removed')
  const before = new Date(clock.now().getTime() - USED_FORMS_KEPT_MS)
  for (let batch = -1; batch !== 0; ) batch = await repositories.usedForms.forgetAcrossTeams(before)
}

/** A form is taken for a day. The rest is for clocks that differ. */
const USED_FORMS_KEPT_MS = 2 * DAY_MS

/** Expired codes and tokens open nothing; clients that no one gave access to and grants without a living token are forgotten. */
export async function sweepOAuth({ repositories, clock, log }: Pick<Dependencies, 'repositories' | 'clock' | 'log'>): Promise<void> {
  const { oauthClients, oauthGrants, oauthRecords } = repositories
  const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS)
  const steps: [string, () => Promise<number>][] = [
    ['expired codes and tokens removed', () => oauthRecords.removeExpired(clock.now())],
    ['unused grants ended', () => oauthGrants.endUnusedAcrossTeams(daysAgo(GRANT_UNUSED_DAYS))],
    ['old grants removed', () => oauthGrants.removeRevokedAcrossTeams(daysAgo(GRANTS_KEPT_DAYS))],
    ['abandoned clients removed', () => oauthClients.removeAbandoned(daysAgo(CLIENT_UNUSED_DAYS))],
  ]
  for (const [what, step] of steps) {
    let removed = 0
    for (let batch = -1; batch !== 0; removed += Math.max(0, batch)) batch = await step()
    if (removed > 0) log.info({ removed }, what)
  }
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
  let removed = 0
  for (let batch = -1; batch !== 0; removed += Math.max(0, batch)) batch = await repositories.keyRotation.removeRetiredAcrossTeams(before)
  if (removed > 0) log.info({ removed }, 'retired keys of domains removed')
}

/** Counts of broadcasts stay. */
export async function sweepEmailCounts({ repositories, clock, log }: Pick<Dependencies, 'repositories' | 'clock' | 'log'>): Promise<void> {
  const before = new Date(clock.now().getTime() - COUNTS_KEPT_DAYS * DAY_MS)
  let removed = 0
  for (let batch = -1; batch !== 0; removed += Math.max(0, batch)) batch = await repositories.countChanges.removeBeforeAcrossTeams(before)
  if (removed > 0) log.info({ removed }, 'old counts of emails removed')
}

export async function sweepPaces({ repositories, clock }: Pick<Dependencies, 'repositories' | 'clock'>): Promise<void> {
  await repositories.destinationPaces.removeBeforeAcrossTeams(new Date(clock.now().getTime() - PACES_KEPT_MS))
}

export async function sweepIdempotencyKeys({ repositories, clock }: Pick<Dependencies, 'repositories' | 'clock'>): Promise<void> {
  await repositories.idempotencyKeys.removeExpiredAcrossTeams(clock.now())
}
