// What the overview shows of a team: counts, its queue, and what needs someone to look at it. Every statement reads a bounded number of rows.
import type { Context } from '../../context.ts'
import { createCachedAnswer } from '../../lib/cache.ts'
import { createId } from '../../lib/ids.ts'
import type { TeamQueue } from '../../modules/delivery/queue/queue-view.repository.ts'
import { WARNING_PERCENTS } from '../../modules/limits/limits.schema.ts'
import type { QuotaLeft } from '../../modules/limits/quotas.repository.ts'
import type { Reputation } from '../../modules/limits/reputation-evaluation.ts'
import { type EmailMetric, type MetricValues, toMetrics } from '../../modules/metrics/email-metrics.ts'
import { countEmails } from '../../modules/metrics/metrics.service.ts'
import { metricsSpan } from '../../modules/metrics/metrics-request.ts'
import type { FormProblem } from '../shell/form-problem.ts'
import type { TeamAttention, TeamBeginnings } from './attention.repository.ts'

export const OVERVIEW_METRICS = ['received', 'delivered', 'bounced', 'complained'] as const satisfies EmailMetric[]

export type OverviewState = {
  now: Date
  /** In UTC, the last one being today. */
  days: { name: string; values: MetricValues }[]
  queue: TeamQueue
  /** Limits of emails of which much is used. */
  quotas: QuotaLeft[]
  /** Why mail is paused for bounces or complaints, or may soon be; null: it is not. */
  reputation: Pick<Reputation, 'status' | 'reason'> | null
  attention: TeamAttention
  isDiskLow: boolean
  /** When the backup was made from which the service was restored, if its queue was not resumed since; otherwise null. */
  heldSinceBackup: Date | null
  /** False also if there is none, or if that is not known yet. Why it fails is for operators: its words name their server and their account. */
  isRelayFailing: boolean
}

export type OverviewView = OverviewState & {
  teamName: string
  beginnings: TeamBeginnings
  /** What a first request needs. Without a simulator, `to` is an address of no one. */
  first: { publicUrl: string; to: string; isSimulated: boolean; from: string | null; formId: string }
  /** Why the first email was not sent. */
  problem: FormProblem | null
}

export const FIRST_EMAIL = { subject: 'Hello', text: 'It works.' }

/** A check opens a connection to the relay. */
const RELAY_KEPT_MS = 60_000

export function overviewViews(context: Context) {
  const { repositories, clock, config, gateways, publicUrl } = context
  const relay = relayMemory(context)

  async function nearlyUsed(teamId: string, now: Date): Promise<QuotaLeft[]> {
    const { emails_per_day, emails_per_month } = await repositories.teamLimits.of(teamId)
    if (emails_per_day === null && emails_per_month === null) return []
    const [warningPercent] = WARNING_PERCENTS
    return (await repositories.quotas.left(teamId, now)).filter(({ used, limit }) => limit > 0 && used * 100 >= limit * warningPercent)
  }

  async function state(teamId: string): Promise<OverviewState> {
    const now = clock.now()
    const { startMs, endMs, granularity } = metricsSpan('week', 'UTC', now)
    const [counted, queue, quotas, reputation, attention, isDiskLow, heldSinceBackup] = await Promise.all([
      countEmails(context, teamId, {
        ...{ startMs, endMs, zone: 'UTC', granularity, metrics: [...OVERVIEW_METRICS], dimensions: ['period'] },
        ...{ domainIds: null, emailIds: null, broadcastIds: null },
      }),
      repositories.queueView.ofTeam(teamId),
      nearlyUsed(teamId, now),
      repositories.reputations.find(teamId),
      repositories.attention.ofTeam(teamId, now),
      gateways.diskSpace.isLow().catch(() => false),
      repositories.queuePauses.heldSinceBackupAcrossTeams(),
    ])
    const days = counted.rows.map(({ period, counts }) => ({ name: period ?? '', values: toMetrics(counts, OVERVIEW_METRICS) }))
    return { now, days, queue, quotas, reputation, attention, isDiskLow, heldSinceBackup, isRelayFailing: relay() }
  }

  return {
    state,

    async overview(teamId: string): Promise<OverviewView> {
      const [team, beginnings, known] = await Promise.all([
        repositories.teams.find(teamId),
        repositories.attention.beginnings(teamId),
        state(teamId),
      ])
      const domain = beginnings.verifiedDomain
      const from = domain === null ? (config.senderPolicy === 'any' ? 'you@example.com' : null) : `hello@${domain}`
      const [simulator] = config.simulatorDomains
      const to = `delivered@${simulator ?? 'example.com'}`
      const first = { publicUrl, to, isSimulated: simulator !== undefined, from, formId: createId(clock) }
      return { ...known, teamName: team?.name ?? '', beginnings, first, problem: null }
    },
  }
}

type RelayCheck = Awaited<ReturnType<NonNullable<Context['gateways']['relay']>['check']>>

/** Whether the last check of the relay failed. Asking begins a check if that one is old, and does not wait for it. */
function relayMemory({ gateways: { relay }, clock }: Context): () => boolean {
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
