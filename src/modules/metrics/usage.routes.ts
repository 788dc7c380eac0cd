import { type Static, Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { createCachedAnswers } from '../../lib/cache.ts'
import { Enum, IsoTime, Kind, Named, Nullable } from '../../lib/validation/common.schema.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import { TEAMS, TeamParams } from '../accounts/teams/teams.schema.ts'
import { findTeam } from '../accounts/teams/teams.service.ts'
import { EMAILS } from '../emails/emails.schema.ts'
import type { InboundContext } from '../inbound/inbound.context.ts'
import type { LimitsContext } from '../limits/limits.context.ts'
import type { QuotaPeriod, TeamLimits } from '../limits/limits.schema.ts'
import type { QuotaLeft } from '../limits/quotas.repository.ts'
import { type OutcomePeriod, REPUTATION_STATUSES, STATUS_MEANINGS } from '../limits/reputation.schema.ts'
import { type CountedPeriod, NO_OUTCOMES, type Outcomes, type Reputation } from '../limits/reputation-evaluation.ts'
import type { MetricsContext } from './metrics.context.ts'
import type { TeamUsage } from './metrics.repository.ts'

type Context = PlatformContext & LimitsContext & InboundContext & MetricsContext

/** The greatest age of the number of contacts, which takes long to count. */
export const COUNTED_SECONDS_MAX = 60
/** Teams whose number of contacts is kept. */
export const USAGE_TEAMS_MAX = 1_000

const unlimitedOnly = Nullable(Type.Integer({ description: 'Always null: there is no such limit.' }))
const limit = (of: string) =>
  Nullable(Type.Integer({ description: `How many ${of}, as an operator has set it; null if there is no limit.` }))
const used = (what: string) => Type.Integer({ description: `Number of ${what}.` })
const Time = (description: string) => IsoTime(`${description} ISO 8601.`, '2026-11-21T00:00:00.000Z')

const emails = (since: string, resets: string) =>
  Type.Object(
    {
      used: Type.Integer({
        description: `What counts for the limit since ${since}: addresses that were accepted, those of to, cc and bcc each, without those that were canceled. Without a limit, \`sent\` and \`received\` together.`,
      }),
      limit: limit('addresses the team may send to in this time'),
      sent: used(`recipients for whom delivery began since ${since}`),
      received: used(`emails that arrived since ${since}, those that were deleted included`),
      resets_at: Time(resets),
    },
    { description: `Mail since ${since}: an email to three recipients counts three times.` },
  )

const share = (what: string) => Type.Number({ description: `Percentage of these recipients ${what}, with two decimals.` })

const outcomes = (time: string) =>
  Type.Object(
    {
      sent: used(`recipients that mail was sent to in the last ${time}, without those of the simulator`),
      bounce_rate: share('whose mail bounced for good'),
      complaint_rate: share('who reported it as spam'),
      unknown_user_rate: share('who do not exist'),
      spam_traps: used('bounces whose server speaks of a spam trap'),
    },
    { description: `What became of the mail of the last ${time}, or since it was released after a pause.` },
  )

export const Usage = Named(
  'Usage',
  Type.Object(
    {
      object: Kind('usage'),
      emails: Type.Object(
        {
          daily: emails('the beginning of the day (UTC)', 'When the next day begins.'),
          monthly: emails('the beginning of the month (UTC)', 'When the next month begins.'),
        },
        { description: 'Mail of the day and of the month.' },
      ),
      contacts: Type.Object(
        { used: used('contacts'), limit: limit('contacts the team may have') },
        { description: `Contacts of the team, counted at most ${COUNTED_SECONDS_MAX} seconds ago.` },
      ),
      segments: Type.Object({ used: used('segments'), limit: unlimitedOnly }, { description: 'Segments of the team.' }),
      broadcasts: Type.Object({ used: used('broadcasts'), limit: unlimitedOnly }, { description: 'Broadcasts of the team.' }),
      ai_credits: Type.Object(
        { used: used('credits'), limit: unlimitedOnly, next_increase_at: Nullable(Time('When credits are renewed; always null.')) },
        { description: 'Always zero. The official clients read this field.' },
      ),
      automation_runs: Type.Object(
        {
          used: used('runs of automations that began this month (UTC) and are still kept, up to 1,000,000'),
          limit: unlimitedOnly,
          resets_at: Time('When the next month begins.'),
        },
        { description: `Runs of automations of the month, counted at most ${COUNTED_SECONDS_MAX} seconds ago.` },
      ),
      domains: Type.Object({ used: used('domains'), limit: limit('domains the team may have') }, { description: 'Domains of the team.' }),
      webhooks: Type.Object(
        { used: used('webhooks'), limit: limit('webhooks the team may have') },
        { description: 'Webhooks of the team.' },
      ),
      stored_bytes: Type.Object(
        {
          used: Nullable(
            Type.Integer({
              description: 'Bytes that the files of the team take. They are counted for a limit only: null if there is none.',
            }),
          ),
          limit: limit('bytes the files of the team may take'),
        },
        {
          description:
            'Files of the team: attachments, large messages that were submitted over SMTP, received emails and their files, files of imports.',
        },
      ),
      broadcast_recipients: Type.Object({ limit: limit('recipients a broadcast may have') }, { description: 'Recipients of a broadcast.' }),
      reputation: Type.Object(
        {
          status: Enum([...REPUTATION_STATUSES], { description: `How the team stands for its bounces and complaints. ${STATUS_MEANINGS}` }),
          since: Nullable(Time('When this status began; null if it never changed.')),
          reason: Nullable(Type.String({ description: 'Why mail is paused, or what the warning is about; null if it is good.' })),
          throttled_until: Nullable(Time('Until when mail goes at a tenth of its pace after a pause; null if it does not.')),
          day: outcomes('24 hours'),
          week: outcomes('7 days'),
        },
        { description: 'What the guard of reputations knows of the team: it pauses mail that harms the name of the installation.' },
      ),
      rate_limit: Type.Object(
        {
          limit: Nullable(
            Type.Integer({ description: 'Requests that the team may make in this time; null if there is no limit.', examples: [100] }),
          ),
          duration: Type.String({ description: 'The time that the limit is for.', examples: ['1s'] }),
        },
        { description: 'The rate limit of the team.' },
      ),
    },
    { description: 'Usage of a team, and its limits.' },
  ),
)

export type Usage = Static<typeof Usage>

type Period = { sent: number; received: number; endsAt: Date; quota: QuotaLeft | null }

type Used = TeamUsage & {
  /** Runs of automations since the month began. */
  runs: number
  day: Period
  month: Period
  limits: TeamLimits
  storedBytes: number | null
  reputation: Reputation | null
  counted: CountedPeriod[]
  requestsPerSecond: number
}

export const toUsage = ({
  day,
  month,
  contacts,
  segments,
  broadcasts,
  domains,
  webhooks,
  runs,
  limits,
  storedBytes,
  requestsPerSecond,
  ...rest
}: Used): Usage => ({
  object: 'usage',
  emails: { daily: toEmails(day), monthly: toEmails(month) },
  contacts: { used: contacts, limit: limits.contacts },
  segments: unlimited(segments),
  broadcasts: unlimited(broadcasts),
  ai_credits: { ...unlimited(0), next_increase_at: null },
  automation_runs: { ...unlimited(runs), resets_at: month.endsAt.toISOString() },
  domains: { used: domains, limit: limits.domains },
  webhooks: { used: webhooks, limit: limits.webhooks },
  stored_bytes: { used: storedBytes, limit: limits.stored_bytes },
  broadcast_recipients: { limit: limits.broadcast_recipients },
  reputation: toReputation(rest),
  rate_limit: { limit: requestsPerSecond === 0 ? null : requestsPerSecond, duration: '1s' },
})

const toReputation = ({ reputation, counted }: Pick<Used, 'reputation' | 'counted'>): Usage['reputation'] => {
  const of = (wanted: OutcomePeriod) => toOutcomes(counted.find(({ period, domain }) => period === wanted && domain === null)?.outcomes)
  return {
    status: reputation?.status ?? 'good',
    since: reputation?.since.toISOString() ?? null,
    reason: reputation?.reason ?? null,
    throttled_until: reputation?.throttledUntil?.toISOString() ?? null,
    day: of('day'),
    week: of('week'),
  }
}

const toOutcomes = ({ sent, bounced, complained, unknownUsers, spamTraps }: Outcomes = NO_OUTCOMES) => {
  const percent = (part: number): number => (sent === 0 ? 0 : Math.round((part / sent) * 10_000) / 100)
  return {
    sent,
    bounce_rate: percent(bounced),
    complaint_rate: percent(complained),
    unknown_user_rate: percent(unknownUsers),
    spam_traps: spamTraps,
  }
}

const unlimited = (used: number) => ({ used, limit: null })

const toEmails = ({ sent, received, endsAt, quota }: Period) => ({
  used: quota?.used ?? sent + received,
  limit: quota?.limit ?? null,
  sent,
  received,
  resets_at: endsAt.toISOString(),
})

const operation = declareOperations(EMAILS)
const ofOperator = declareOperations(TEAMS)

const example: Usage = {
  object: 'usage',
  emails: {
    daily: { used: 125, limit: 1_000, sent: 120, received: 8, resets_at: '2026-11-21T00:00:00.000Z' },
    monthly: { used: 4_390, limit: null, sent: 4_300, received: 90, resets_at: '2026-12-01T00:00:00.000Z' },
  },
  contacts: { used: 1_200, limit: null },
  segments: { used: 3, limit: null },
  broadcasts: { used: 0, limit: null },
  ai_credits: { used: 0, limit: null, next_increase_at: null },
  automation_runs: { used: 210, limit: null, resets_at: '2026-12-01T00:00:00.000Z' },
  domains: { used: 2, limit: null },
  webhooks: { used: 1, limit: null },
  stored_bytes: { used: 2_400_000, limit: 10_000_000_000 },
  broadcast_recipients: { limit: 5_000 },
  reputation: {
    ...{ status: 'good', since: null, reason: null, throttled_until: null },
    day: { sent: 120, bounce_rate: 0.83, complaint_rate: 0, unknown_user_rate: 0.83, spam_traps: 0 },
    week: { sent: 940, bounce_rate: 0.53, complaint_rate: 0, unknown_user_rate: 0.43, spam_traps: 0 },
  },
  rate_limit: { limit: 100, duration: '1s' },
}

const monthOf = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))

/** Reads the usage of a team. Contacts and runs of automations are counted at most once a minute. */
function createUsageReader({ repositories, clock, config }: Context): (teamId: string) => Promise<Usage> {
  const { usage, emailCounts, receivedAmounts, quotas, teamLimits, teamStorage, reputations, outcomeCounts } = repositories

  const counted = { entriesMax: USAGE_TEAMS_MAX, lifetimeMs: COUNTED_SECONDS_MAX * 1_000, clock }
  const contactsOf = createCachedAnswers(usage.contacts, counted)
  const runsOf = createCachedAnswers((teamId: string) => usage.runsSince(teamId, monthOf(clock.now())), counted)

  return async (teamId) => {
    const now = clock.now()
    const [year, month, date] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
    const mailSince = async (ms: number) => {
      const since = new Date(ms)
      return {
        sent: await emailCounts.sentSince(teamId, since, now),
        received: (await receivedAmounts.since(teamId, since)).messages,
      }
    }
    const quotasNow = await quotas.left(teamId, now)
    const reputation = await reputations.find(teamId)
    const quotaOf = (period: QuotaPeriod) => quotasNow.find((quota) => quota.period === period) ?? null
    return toUsage({
      ...(await usage.count(teamId)),
      contacts: await contactsOf(teamId),
      runs: await runsOf(teamId),
      day: {
        ...(await mailSince(Date.UTC(year, month, date))),
        endsAt: new Date(Date.UTC(year, month, date + 1)),
        quota: quotaOf('day'),
      },
      month: { ...(await mailSince(monthOf(now).getTime())), endsAt: new Date(Date.UTC(year, month + 1)), quota: quotaOf('month') },
      limits: await teamLimits.find(teamId),
      storedBytes: await teamStorage.used(teamId),
      reputation: reputation && {
        ...reputation,
        throttledUntil: reputation.throttledUntil && reputation.throttledUntil > now ? reputation.throttledUntil : null,
      },
      counted: await outcomeCounts.of(teamId, { countedFrom: reputation?.countedFrom ?? null, now }),
      requestsPerSecond: config.rateLimitPerSecond,
    })
  }
}

export const usageRoutes: Routes<Context> = async (app, { context }) => {
  const usageOf = createUsageReader(context)

  app.get(
    '/usage',
    operation({
      id: 'usage.retrieve',
      summary: 'Retrieve the usage of the team',
      description:
        'Returns to how many recipients the team has sent mail today and this month, how many emails it has received, how many contacts, segments, domains, webhooks and bytes of files it has, with the limits that an operator has set for it, and how it stands for its bounces and complaints.',
      access: 'full',
      audit: 'never',
      isCount: true,
      reply: { 200: Usage },
      example: { reply: example },
    }),
    ({ teamId }) => usageOf(teamId),
  )
}

export const teamUsageRoutes: Routes<Context & AccountsContext> = async (app, { context }) => {
  const usageOf = createUsageReader(context)

  app.get(
    '/teams/:team_id/usage',
    ofOperator({
      id: 'teams.usage.retrieve',
      summary: 'Retrieve the usage of a team',
      description: 'Returns what a team has sent and has, with its limits, as the team sees it in `GET /usage`.',
      access: 'operator',
      audit: 'never',
      params: TeamParams,
      reply: { 200: Usage },
      example: { reply: example },
    }),
    async ({ params }) => usageOf((await findTeam(context, params.team_id)).id),
  )
}
