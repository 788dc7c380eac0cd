// Tells of limits that are nearly or wholly used. The event for webhooks is stored with what uses them; what else is to be told follows here.
import type { PlatformContext } from '../../http/platform.context.ts'
import type { QuotaNotice } from './quotas.repository.ts'

/** Called once in each period for each percentage, after the commit. */
export function tellOfQuota({ log }: Pick<PlatformContext, 'log'>, { teamId, period, limit, percent, resetsAt }: QuotaNotice): void {
  log.info({ teamId, period, limit, percent, resetsAt: resetsAt.toISOString() }, 'email limit of a team used')
}
