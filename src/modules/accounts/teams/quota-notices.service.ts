// Mails the owners of a team whose limit of emails is nearly or wholly used. The job for it is stored with what uses it, as the event for webhooks.
import type { JobPayload, TELL_OF_QUOTA } from '../../../db/jobs/jobs.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { notifyOwners } from '../people/people.service.ts'

type Context = PlatformContext & AccountsContext

/** Once in each period for each percentage. */
export async function notifyOfQuota(
  context: Pick<Context, 'repositories' | 'installationMails' | 'clock' | 'publicUrl' | 'log'>,
  { teamId, period, limit, percent, resetsAt }: JobPayload<typeof TELL_OF_QUOTA>,
): Promise<void> {
  const { repositories, log } = context
  log.info({ teamId, period, limit, percent, resetsAt }, 'email limit of a team used')
  const team = await repositories.teams.find(teamId)
  if (!team || team.deletedAt) return
  const of = period === 'day' ? 'today' : 'this month'
  const isReached = percent === 100
  await notifyOwners(context, teamId, {
    subject: `${percent} % of the emails of ${team.name} for ${of} are used`,
    text: `${team.name} may send to ${limit.toLocaleString('en')} addresses a ${period}. ${
      isReached ? 'All of them are used: more emails are refused' : `${percent} % of them are used. Once all are, more emails are refused`
    }, and automations wait, until the next ${period} begins at ${resetsAt}. Your operator can change the limit.\n\nTeam: ${team.name} (${teamId})\n`,
  })
}
