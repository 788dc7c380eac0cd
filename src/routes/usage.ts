import { createCachedAnswers } from '../lib/cached-answers.ts'
import { EMAILS } from '../schemas/emails.ts'
import { CONTACTS_SECONDS_MAX, USAGE_TEAMS_MAX, Usage } from '../schemas/usage.ts'
import { toUsage } from '../serializers/usage.ts'
import { type Call, operation, routes } from './operation.ts'

export const usageRoutes = routes(EMAILS, ({ repositories, clock, config }) => {
  const { usage, emailCounts, receivedAmounts } = repositories
  const contactsOf = createCachedAnswers(usage.contacts, {
    entriesMax: USAGE_TEAMS_MAX,
    lifetimeMs: CONTACTS_SECONDS_MAX * 1_000,
    clock,
  })

  async function retrieve({ teamId }: Call) {
    const now = clock.now()
    const [year, month, date] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
    const mailSince = async (ms: number) => {
      const since = new Date(ms)
      return {
        sent: await emailCounts.sentSince(teamId, since, now),
        received: (await receivedAmounts.since(teamId, since)).messages,
      }
    }
    return toUsage({
      ...(await usage.count(teamId)),
      contacts: await contactsOf(teamId),
      day: { ...(await mailSince(Date.UTC(year, month, date))), endsAt: new Date(Date.UTC(year, month, date + 1)) },
      month: { ...(await mailSince(Date.UTC(year, month))), endsAt: new Date(Date.UTC(year, month + 1)) },
      requestsPerSecond: config.rateLimitPerSecond,
    })
  }

  return [
    operation({
      id: 'usage.retrieve',
      method: 'GET',
      path: '/usage',
      summary: 'Retrieve the usage of the team',
      description:
        'Returns to how many recipients the team has sent mail today and this month, how many emails it has received, and how many contacts, segments and domains it has. There are no quotas.',
      access: 'full',
      reply: Usage,
      example: {
        reply: {
          object: 'usage',
          emails: {
            daily: { used: 128, limit: null, sent: 120, received: 8, resets_at: '2026-11-21T00:00:00.000Z' },
            monthly: { used: 4_390, limit: null, sent: 4_300, received: 90, resets_at: '2026-12-01T00:00:00.000Z' },
          },
          contacts: { used: 1_200, limit: null },
          segments: { used: 3, limit: null },
          broadcasts: { used: 0, limit: null },
          ai_credits: { used: 0, limit: null, next_increase_at: null },
          automation_runs: { used: 0, limit: null, resets_at: '2026-12-01T00:00:00.000Z' },
          domains: { used: 2, limit: null },
          rate_limit: { limit: 100, duration: '1s' },
        },
      },
      handle: retrieve,
    }),
  ]
})
