// What the overview knows of a team: counts, its queue, and what needs someone to look at it. Every statement reads a bounded number of rows.
import type { PlatformContext } from '../../../http/platform.context.ts'
import { createCachedAnswer } from '../../../lib/cache.ts'
import { DAY_MS, MINUTE_MS } from '../../../lib/clock.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import type { DeliveryContext } from '../../delivery/delivery.context.ts'
import type { TeamQueue } from '../../delivery/queue/queue-view.repository.ts'
import type { DomainsContext } from '../../domains/domains.context.ts'
import type { LimitsContext } from '../../limits/limits.context.ts'
import type { QuotaLeft } from '../../limits/quotas.repository.ts'
import type { Reputation } from '../../limits/reputation-evaluation.ts'
import { type EmailMetric, type MetricValues, toMetrics } from '../../metrics/email-metrics.ts'
import type { MetricsContext } from '../../metrics/metrics.context.ts'
import { countEmails } from '../../metrics/metrics.service.ts'
import type { ConsoleContext } from '../console.context.ts'
import type { TeamAttention, TeamBeginnings } from './attention.repository.ts'
import { OVERVIEW_DAYS } from './overview.schema.ts'

type Context = PlatformContext & AccountsContext & LimitsContext & DomainsContext & DeliveryContext & MetricsContext & ConsoleContext

export const OVERVIEW_METRICS = ['received', 'delivered', 'bounced', 'complained'] as const satisfies EmailMetric[]

export type TeamOverview = {
  now: Date
  /** In UTC, the last one being today: those that are shown, and as many before. */
  days: { name: string; values: MetricValues }[]
  queue: TeamQueue
  quotas: QuotaLeft[]
  reputation: Pick<Reputation, 'status' | 'reason' | 'since'> | null
  attention: TeamAttention
  isDiskLow: boolean
  /** When the backup was made from which the service was restored, if its queue was not resumed since; otherwise null. */
  heldSinceBackup: Date | null
  /** False also if there is none, or if that is not known yet. Why it fails is for operators: its words name their server and their account. */
  isRelayFailing: boolean
}

export const FIRST_EMAIL = { subject: 'Hello', text: 'It works.' }

export type FirstEmail = { from: string | null; to: string; isSimulated: boolean }

export function overviewReader(context: Context) {
  const { repositories, clock, config, gateways } = context
  const relay = relayMemory(context)

  async function quotasOf(teamId: string, now: Date): Promise<QuotaLeft[]> {
    const { emails_per_day, emails_per_month } = await repositories.teamLimits.of(teamId)
    return emails_per_day === null && emails_per_month === null ? [] : repositories.quotas.left(teamId, now)
  }

  return {
    async read(teamId: string): Promise<TeamOverview> {
      const now = clock.now()
      const [counted, queue, quotas, reputation, attention, isDiskLow, heldSinceBackup] = await Promise.all([
        countEmails(context, teamId, {
          ...{ startMs: firstDayMs(now), endMs: now.getTime() + 1, zone: 'UTC', granularity: 'daily', metrics: [...OVERVIEW_METRICS] },
          ...{ dimensions: ['period'], domainIds: null, emailIds: null, broadcastIds: null },
        }),
        repositories.queueView.ofTeam(teamId),
        quotasOf(teamId, now),
        repositories.reputations.find(teamId),
        repositories.attention.ofTeam(teamId, now),
        gateways.diskSpace.isLow().catch(() => false),
        repositories.queuePauses.heldSinceBackupAcrossTeams(),
      ])
      const days = counted.rows.map(({ period, counts }) => ({ name: period ?? '', values: toMetrics(counts, OVERVIEW_METRICS) }))
      return { now, days, queue, quotas, reputation, attention, isDiskLow, heldSinceBackup, isRelayFailing: relay() }
    },

    /** What a first request needs. Without a simulator, `to` is an address of no one. */
    firstEmail({ verifiedDomain }: Pick<TeamBeginnings, 'verifiedDomain'>): FirstEmail {
      const [simulator] = config.simulatorDomains
      const from = verifiedDomain === null ? (config.senderPolicy === 'any' ? 'you@example.com' : null) : `hello@${verifiedDomain}`
      return { from, to: `delivered@${simulator ?? 'example.com'}`, isSimulated: simulator !== undefined }
    },
  }
}

const firstDayMs = (now: Date): number => Math.floor(now.getTime() / DAY_MS) * DAY_MS - (2 * OVERVIEW_DAYS - 1) * DAY_MS

/** A check opens a connection to the relay. */
const RELAY_KEPT_MS = MINUTE_MS

type RelayCheck = Awaited<ReturnType<NonNullable<Context['gateways']['relay']>['check']>>

/** Whether the last check of the relay failed. Asking begins a check if that one is old, and does not wait for it. */
function relayMemory({ gateways: { relay }, clock }: Pick<Context, 'gateways' | 'clock'>): () => boolean {
  if (relay === null) return () => false
  let last: RelayCheck | null = null
  const check = createCachedAnswer(
    async () => {
      last = await relay.check()
    },
    { lifetimeMs: RELAY_KEPT_MS, clock },
  )
  return () => {
    void check().catch(() => {})
    return last !== null && !last.isUsable
  }
}
