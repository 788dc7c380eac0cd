// Mails the owners of a team whose limit of emails is nearly or wholly used. The event for webhooks is stored with what uses it.
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { QuotaNotice } from '../../limits/quotas.repository.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { mailOwners } from '../people/people.service.ts'

type Context = PlatformContext & AccountsContext

/**
 * Called once in each period for each percentage, after the commit that has used so much. What was accepted does not fail with it: owners who are not told now
 * see it in the console.
 */
export async function tellOfQuota(
  context: Pick<Context, 'repositories' | 'installationMails' | 'clock' | 'publicUrl' | 'log'>,
  { teamId, period, limit, percent, resetsAt }: QuotaNotice,
): Promise<void> {
  const { repositories, log } = context
  try {
    log.info({ teamId, period, limit, percent, resetsAt: resetsAt.toISOString() }, 'email limit of a team used')
    const team = await repositories.teams.find(teamId)
    if (!team) return
    const of = period === 'day' ? 'today' : 'this month'
    const isReached = percent === 100
    await mailOwners(context, teamId, {
      subject: `${percent} % of the emails of ${team.name} for ${of} are used`,
      text: `${team.name} may send to ${limit.toLocaleString('en')} addresses a ${period}. ${
        isReached ? 'All of them are used: more emails are refused' : `${percent} % of them are used. Once all are, more emails are refused`
      }, and automations wait, until the next ${period} begins at ${resetsAt.toISOString()}. Your operator can change the limit.\n\nTeam: ${team.name} (${teamId})\n`,
    })
  } catch (error) {
    log.warn({ err: error, teamId, period, percent }, 'owners of a team not told of its email limit')
  }
}
