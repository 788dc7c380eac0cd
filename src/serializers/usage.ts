import type { TeamUsage } from '../repositories/team/usage.ts'
import type { Usage } from '../schemas/usage.ts'

type Period = { sent: number; received: number; endsAt: Date }

type Used = TeamUsage & { day: Period; month: Period; requestsPerSecond: number }

export const toUsage = ({ day, month, contacts, segments, broadcasts, domains, requestsPerSecond }: Used): Usage => ({
  object: 'usage',
  emails: { daily: toEmails(day), monthly: toEmails(month) },
  contacts: unlimited(contacts),
  segments: unlimited(segments),
  broadcasts: unlimited(broadcasts),
  ai_credits: { ...unlimited(0), next_increase_at: null },
  automation_runs: { ...unlimited(0), resets_at: month.endsAt.toISOString() },
  domains: unlimited(domains),
  rate_limit: { limit: requestsPerSecond === 0 ? null : requestsPerSecond, duration: '1s' },
})

const unlimited = (used: number) => ({ used, limit: null })

const toEmails = ({ sent, received, endsAt }: Period) => ({
  ...unlimited(sent + received),
  sent,
  received,
  resets_at: endsAt.toISOString(),
})
