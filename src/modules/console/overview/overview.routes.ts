import type { Static } from '@sinclair/typebox'
import { type Caller, declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { EXAMPLE_TIME } from '../../../lib/validation/common.schema.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import { mayRead } from '../../accounts/scopes.ts'
import type { DeliveryContext } from '../../delivery/delivery.context.ts'
import type { DomainsContext } from '../../domains/domains.context.ts'
import { DOMAINS } from '../../domains/domains.schema.ts'
import type { LimitsContext } from '../../limits/limits.context.ts'
import type { MetricValues } from '../../metrics/email-metrics.ts'
import type { MetricsContext } from '../../metrics/metrics.context.ts'
import type { ConsoleContext } from '../console.context.ts'
import { CONSOLE } from '../console.schema.ts'
import { attentionItems } from './attention-items.ts'
import { OVERVIEW_DAYS, Overview } from './overview.schema.ts'
import { FIRST_EMAIL, overviewReader, type TeamOverview } from './team-overview.service.ts'

type Context = PlatformContext & AccountsContext & LimitsContext & DomainsContext & DeliveryContext & MetricsContext & ConsoleContext
type Answer = Static<typeof Overview>

const operation = declareOperations(CONSOLE)

const countsOf = (values: MetricValues[]): Answer['today'] => {
  const sum = (metric: keyof Answer['today']): number => values.reduce((total, each) => total + (each[metric] ?? 0), 0)
  return { received: sum('received'), delivered: sum('delivered'), bounced: sum('bounced'), complained: sum('complained') }
}

export const toOverview = (overview: TeamOverview, caller: Pick<Caller, 'scopes'>): Omit<Answer, 'first_steps'> => {
  const { days, queue, quotas, reputation } = overview
  const [before, shown] = [days.slice(0, -OVERVIEW_DAYS), days.slice(-OVERVIEW_DAYS)]
  const valuesOf = (some: TeamOverview['days']) => countsOf(some.map(({ values }) => values))
  const { ready, leased, waiting, parked } = queue.total
  const maySee = (section: string): boolean => mayRead(caller, section)
  const { attention, attention_more } = attentionItems(overview, maySee)
  return {
    object: 'overview',
    today: valuesOf(shown.slice(-1)),
    last_7_days: valuesOf(shown),
    previous_7_days: valuesOf(before),
    days: shown.map(({ name, values }) => ({ date: name, ...countsOf([values]) })),
    queue: {
      ...{ ready, sending: leased, waiting, paused: parked, oldest_due_at: toTimestamp(queue.oldestDueAt), is_bounded: queue.isBounded },
      destinations: maySee('emails') ? queue.lines : [],
    },
    limits: quotas,
    reputation: reputation?.status ?? null,
    attention,
    attention_more,
  }
}

export const overviewRoutes: Routes<Context> = async (app, { context }) => {
  const { attention } = context.repositories
  const reader = overviewReader(context)

  async function firstSteps(caller: Caller): Promise<Answer['first_steps']> {
    if (!mayRead(caller, 'domains') || !mayRead(caller, 'api-keys')) return null
    const beginnings = await attention.beginnings(caller.teamId)
    const { hasEmail, hasDomain, verifiedDomain, hasOwnKey } = beginnings
    const { from, to, isSimulated } = reader.firstEmail(beginnings)
    return {
      ...{ has_api_key: hasOwnKey, has_domain: hasDomain, verified_domain: verifiedDomain, has_email: hasEmail },
      is_complete: hasEmail && hasOwnKey && verifiedDomain !== null,
      first_email: { from, to, ...FIRST_EMAIL, is_simulated: isSimulated },
    }
  }

  app.get(
    '/overview',
    operation({
      id: 'overview.retrieve',
      summary: 'Retrieve the overview of a team',
      description:
        'Returns a team at a glance: what became of its emails today and in the last seven days (UTC) beside the seven before, its queue, its limits, what needs someone to look at it, and what a new team does first. Everyone sees the numbers; of records, a person sees those that their role may read.',
      access: 'member',
      audit: 'never',
      reply: { 200: Overview },
      example: { reply: EXAMPLE },
    }),
    async ({ caller, teamId }) => {
      const [overview, steps] = await Promise.all([reader.read(teamId), firstSteps(caller)])
      return { ...toOverview(overview, caller), first_steps: steps }
    },
  )
}

const COUNTS = { received: 1_200, delivered: 1_173, bounced: 12, complained: 1 }
const EXAMPLE: Answer = {
  object: 'overview',
  today: { received: 180, delivered: 176, bounced: 2, complained: 0 },
  last_7_days: COUNTS,
  previous_7_days: { received: 1_000, delivered: 990, bounced: 8, complained: 0 },
  days: [{ date: '2026-11-20', received: 180, delivered: 176, bounced: 2, complained: 0 }],
  queue: {
    ...{ ready: 0, sending: 2, waiting: 1, paused: 0, oldest_due_at: EXAMPLE_TIME, is_bounded: false },
    destinations: [{ destination: 'example.com', count: 3 }],
  },
  limits: [{ period: 'day', limit: 10_000, used: 180, left: 9_820 }],
  reputation: 'good',
  attention: [
    {
      ...{ kind: 'domain', severity: 'warning', id: DOMAINS.example.id, name: DOMAINS.example.name },
      ...{ reason: 'It lacks some of its DNS records.', since: null },
    },
  ],
  attention_more: [],
  first_steps: {
    ...{ has_api_key: true, has_domain: true, verified_domain: 'example.com', has_email: false, is_complete: false },
    first_email: { from: 'hello@example.com', to: 'delivered@simulator.test', ...FIRST_EMAIL, is_simulated: true },
  },
}
