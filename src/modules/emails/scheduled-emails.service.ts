// Reschedules and cancels emails that wait for their time, for the API and the console.

import type { PlatformContext } from '../../http/platform.context.ts'
import { invalid, notFound } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import type { SecretsContext } from '../secrets/secrets.context.ts'
import { parseSchedule } from './email-draft.ts'
import type { EmailsContext } from './emails.context.ts'
import type { ScheduleChange } from './emails.repository.ts'
import { EMAILS } from './emails.schema.ts'

type Context = PlatformContext & SecretsContext & EmailsContext

type Dependencies = Pick<Context, 'repositories' | 'clock' | 'wakeWorkers'>

/**
 * @param scheduledAt in ISO 8601 or in English
 * @throws Failure about the time, or if the email is not scheduled
 */
export async function rescheduleEmail(
  { repositories, clock, wakeWorkers }: Dependencies,
  teamId: string,
  { id, scheduledAt: written }: { id: string; scheduledAt: string },
): Promise<void> {
  const now = clock.now()
  const scheduledAt = parseSchedule('scheduled_at', written, now)
  const notification = {
    id: createId(clock),
    teamId,
    type: 'email.scheduled' as const,
    subjectId: id,
    detail: { scheduled_at: scheduledAt.toISOString() },
  }
  refuseUnlessChanged(await repositories.emails.reschedule(teamId, id, scheduledAt, notification, now), 'rescheduled')
  wakeWorkers()
}

/** @throws Failure if the email is not scheduled */
export async function cancelEmail({ repositories, clock }: Dependencies, teamId: string, id: string): Promise<void> {
  const notification = { id: createId(clock), teamId, type: 'email.canceled' as const, subjectId: id }
  refuseUnlessChanged(await repositories.emails.cancel(teamId, id, notification, clock.now()), 'canceled')
}

function refuseUnlessChanged(change: ScheduleChange, what: 'rescheduled' | 'canceled'): void {
  if (change === 'missing') throw notFound(EMAILS.noun)
  if (change === 'not scheduled') throw invalid(`This email cannot be ${what}: it is not scheduled, or its scheduled time has come.`)
}
