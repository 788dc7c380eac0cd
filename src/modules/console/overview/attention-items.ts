// What needs someone to look at it, as one list: the service first, then the limits and the reputation, then the records of the team.
import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../../../lib/clock.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import { WARNING_PERCENTS } from '../../limits/limits.schema.ts'
import { dayOf, periodEnd } from '../../limits/quota-periods.ts'
import type { Overview } from './overview.schema.ts'
import type { TeamOverview } from './team-overview.service.ts'

type Item = Static<typeof Overview>['attention'][number]
export type Attention = Pick<Static<typeof Overview>, 'attention' | 'attention_more'>

/** @param maySee whether the one who looks may read a section */
export function attentionItems(overview: TeamOverview, maySee: (section: string) => boolean): Attention {
  const parts = partsOf(overview).filter(({ section }) => maySee(section))
  return {
    attention: [...ofService(overview), ...ofLimits(overview), ...ofReputation(overview), ...parts.flatMap(({ items }) => items)],
    attention_more: parts.flatMap(({ kind, hasMore }) => (hasMore ? [kind] : [])),
  }
}

type Told = { kind: Item['kind']; severity: Item['severity']; reason: string; since?: Date | null; id?: string; name?: string }

const item = ({ kind, severity, reason, since = null, id, name }: Told): Item => ({
  ...{ kind, severity, id: id ?? null, name: name ?? null, reason, since: toTimestamp(since) },
})

const ofService = ({ isDiskLow, heldSinceBackup: since, isRelayFailing }: TeamOverview): Item[] => [
  ...(since === null
    ? []
    : [
        item({
          ...{ kind: 'service_restored', severity: 'warning', since },
          reason: 'The service was restored from a backup. Nothing is sent until your operator resumes the queue.',
        }),
      ]),
  ...(isDiskLow
    ? [item({ kind: 'disk_full', severity: 'failure', reason: 'New emails are refused until your operator makes room.' })]
    : []),
  ...(isRelayFailing
    ? [item({ kind: 'relay_down', severity: 'warning', reason: 'The relay does not answer. Mail waits and is retried.' })]
    : []),
]

const ofLimits = ({ quotas, now }: TeamOverview): Item[] =>
  quotas
    .filter(({ used, limit }) => limit > 0 && used * 100 >= limit * WARNING_PERCENTS[0])
    .map(({ period, limit, used, left }) => {
      const percent = Math.min(100, Math.floor((used * 100) / limit))
      const until = periodEnd(period, dayOf(now)).toISOString().slice(0, 10)
      return item({
        ...{ kind: 'limit', severity: left === 0 ? 'failure' : 'warning', name: period },
        reason: `${percent} % of the emails of ${period === 'day' ? 'today' : 'this month'} are used. ${left === 0 ? `More are refused until ${until}.` : `The next ${period} begins on ${until}.`}`,
      })
    })

const ofReputation = ({ reputation }: TeamOverview): Item[] =>
  reputation?.reason
    ? [
        item({
          ...{ kind: 'reputation', severity: reputation.status === 'warning' ? 'warning' : 'failure' },
          ...{ reason: reputation.reason, since: reputation.since },
        }),
      ]
    : []

type Part = { kind: Item['kind']; section: string; items: Item[]; hasMore: boolean }

const part = <Row>(kind: Item['kind'], section: string, { rows, hasMore }: Page<Row>, told: (row: Row) => Omit<Told, 'kind'>): Part => ({
  ...{ kind, section, hasMore },
  items: rows.map((row) => item({ kind, ...told(row) })),
})

const partsOf = ({ attention: { domains, webhooks, broadcasts, imports, automations, disabledAutomations } }: TeamOverview): Part[] => [
  part('domain', 'domains', domains, ({ id, name, status, receivingUnprovenUntil: until }) => ({
    ...{ id, name, severity: status === 'failed' ? 'failure' : 'warning' },
    reason: [
      ...(DOMAINS[status] === undefined ? [] : [DOMAINS[status]]),
      ...(until === null || status === 'failed'
        ? []
        : [
            `It receives mail without a proof that it is yours, until ${until.toISOString().slice(0, 10)} for certain: publish its DKIM record.`,
          ]),
    ].join(' '),
  })),
  part('webhook', 'webhooks', webhooks, ({ id, endpoint, disabledReason, failingSince }) => ({
    ...{ id, name: endpoint ?? 'Feed only', severity: disabledReason === null ? 'warning' : 'failure' },
    ...{ reason: disabledReason ?? 'Its requests fail, and are retried.', since: failingSince },
  })),
  part('broadcast', 'broadcasts', broadcasts, ({ id, name, status, statusReason }) => ({
    ...{ id, name, severity: 'warning', reason: statusReason ?? (status === 'paused' ? 'It is paused.' : 'It waits.') },
  })),
  part('contact_import', 'contact-imports', imports, ({ id, createdAt, reason }) => ({
    ...{ id, name: 'Import', severity: 'failure', reason: reason ?? 'It failed.', since: createdAt },
  })),
  part('automation', 'automations', disabledAutomations, ({ id, name, disabledReason: reason }) => ({
    id,
    name,
    severity: 'failure',
    reason,
  })),
  part('automation', 'automations', automations, ({ id, name, heldAt }) => ({
    ...{ id, name, severity: 'warning', since: heldAt },
    reason: 'A contact started it too often: further runs were not made.',
  })),
]

const DOMAINS: Record<string, string> = {
  pending: 'It is not verified yet: its DNS records were not found so far, and are looked for.',
  failed: 'It is not verified: its DNS records were not found.',
  partially_failed: 'It lacks some of its DNS records.',
  temporary_failure: 'It lost some of its DNS records, or they could not be looked up.',
}
