// What the owners of a team read when the guard of reputations has decided something.
import type { JobPayload, TELL_OF_REPUTATION } from '../../../db/jobs/jobs.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import { notifyOwners } from '../../accounts/people/people.service.ts'

type Context = PlatformContext & AccountsContext
type Notice = JobPayload<typeof TELL_OF_REPUTATION>

const TEXTS: Record<Notice['notice'], { subject: (name: string) => string; next: string }> = {
  warning: {
    subject: (name) => `Many bounces or complaints in ${name}`,
    next: 'Look at the lists that you send to: remove addresses that bounced, and send to people who asked for it only.',
  },
  paused: {
    subject: (name) => `Mail of ${name} is paused`,
    next: 'What you send meanwhile is accepted and kept, and nothing is lost. The pause ends at the earliest after 24 hours, when the rates are lower, or when the operator of this service ends it. After that, mail goes at a tenth of its pace for a day.',
  },
  released: {
    subject: (name) => `Mail of ${name} is sent again`,
    next: 'The pause is over. For a day, mail goes at a tenth of its pace.',
  },
}

export async function notifyOfReputation(context: Context, { teamId, notice, reason }: Notice): Promise<void> {
  const team = await context.repositories.teams.find(teamId)
  if (!team || team.deletedAt) return
  const { subject, next } = TEXTS[notice]
  const why = notice === 'released' ? `It was paused for this reason: ${reason}` : reason
  await notifyOwners(context, teamId, { subject: subject(team.name), text: `${why}\n\n${next}\n\nTeam: ${team.name} (${teamId})\n` })
}
