// Removes what a deleted segment, topic, contact or contact property leaves, in small steps that disturb no one. The rows are hidden already and hold
// personal data, so the jobs that remove them never give up, and a check once a day finds any that are left.

import type {
  CLEAR_AUTOMATION,
  CLEAR_WEBHOOK,
  FORGET_CONTACT,
  JobPayload,
  RemoveMembersPayload,
  RemoveValuesPayload,
} from '../db/jobs/jobs.ts'
import type { PlatformContext } from '../http/platform.context.ts'
import { LOWEST_ID } from '../lib/ids.ts'
import type { AudienceContext } from '../modules/audience/audience.context.ts'
import type { AutomationsContext } from '../modules/automations/automations.context.ts'
import type { WebhooksContext } from '../modules/webhooks/webhooks.context.ts'

type Context = PlatformContext & AudienceContext & AutomationsContext & WebhooksContext

/** Rows that one statement removes. */
const ROWS_AT_ONCE = 5_000

type Dependencies = Pick<Context, 'repositories'>

/** Another transaction locked rows that are to be removed. The job is retried until none does. */
export class OrphansHeld extends Error {
  constructor() {
    super('Rows that are to be removed are in use')
  }
}

/** `signal`: the service is stopping. What was removed by then stays removed, and the rest follows when the job is retried. */
type Options = { signal: AbortSignal; rowsMax?: number }

export async function removeMembers(
  { repositories }: Dependencies,
  payload: RemoveMembersPayload,
  { signal, rowsMax = ROWS_AT_ONCE }: Options,
): Promise<void> {
  const { orphanedMembers } = repositories
  const removeSome = () =>
    'segmentId' in payload
      ? orphanedMembers.removeOfSegmentAcrossTeams(payload.segmentId, rowsMax)
      : orphanedMembers.removeOfTopicAcrossTeams(payload.topicId, rowsMax)
  while ((await removeSome()) > 0) signal.throwIfAborted()
  if (await orphanedMembers.areLeftAcrossTeams(payload)) throw new OrphansHeld()
}

export async function removePropertyValues(
  { repositories }: Dependencies,
  { teamId, number }: RemoveValuesPayload,
  { signal, rowsMax = ROWS_AT_ONCE }: Options,
): Promise<void> {
  let passedOver = 0
  for (let after: string | null = LOWEST_ID; after !== null; ) {
    signal.throwIfAborted()
    const step = await repositories.orphans.removeValues(teamId, number, { after, contactsMax: rowsMax })
    passedOver += step.passedOver
    after = step.last
  }
  if (passedOver > 0) throw new OrphansHeld()
}

/** Gives up what waits for a disabled webhook, and removes what is left of a deleted one. */
export async function clearWebhook(
  { repositories, clock }: Pick<Context, 'repositories' | 'clock'>,
  { webhookId }: JobPayload<typeof CLEAR_WEBHOOK>,
  { signal }: Pick<Options, 'signal'>,
): Promise<void> {
  while ((await repositories.waitingWebhookMessages.clearAcrossTeams(webhookId, clock.now())) > 0) signal.throwIfAborted()
}

/** Cancels the runs of a stopped automation, and removes what is left of a deleted one. */
export async function clearAutomation(
  { repositories }: Dependencies,
  { automationId }: JobPayload<typeof CLEAR_AUTOMATION>,
  { signal }: Pick<Options, 'signal'>,
): Promise<void> {
  for (let after: string = LOWEST_ID; ; signal.throwIfAborted()) {
    const { last } = await repositories.automationRuns.clearAcrossTeams(automationId, after)
    // The end is where a look from the beginning finds nothing.
    if (last === null && after === LOWEST_ID) return
    after = last ?? LOWEST_ID
  }
}

/** Removes what events and runs knew of a deleted contact. After a stop it begins anew, and what has forgotten the contact is only passed over. */
export async function forgetContact(
  { repositories }: Dependencies,
  { teamId, contactId }: JobPayload<typeof FORGET_CONTACT>,
  { signal }: Pick<Options, 'signal'>,
): Promise<void> {
  for (let after = await repositories.forgottenContacts.forgetSome(teamId, contactId, null); after !== null; ) {
    signal.throwIfAborted()
    after = await repositories.forgottenContacts.forgetSome(teamId, contactId, after)
  }
}

/** A job can still be lost, with a restored database or by hand. Rows without an owner are recognized by themselves. */
export async function findOrphans(
  { repositories: { automationRuns, forgottenContacts, orphans, waitingWebhookMessages }, log }: Pick<Context, 'repositories' | 'log'>,
  { signal, rowsMax = ROWS_AT_ONCE }: Options,
): Promise<void> {
  const members = await orphans.findMembersAcrossTeams()
  const values = new Map<number, RemoveValuesPayload>()
  for (let after: string | null = LOWEST_ID; after !== null; ) {
    signal.throwIfAborted()
    const step = await orphans.findValuesAcrossTeams({ after, contactsMax: rowsMax })
    for (const payload of step.gone) values.set(payload.number, payload)
    after = step.last
  }
  await orphans.enqueueRemovals(members, [...values.values()])
  const idle = await waitingWebhookMessages.idleWithWaitingAcrossTeams()
  for (const webhookId of idle) await waitingWebhookMessages.enqueueClearing(webhookId)
  const uncleared = await automationRuns.uncleared()
  for (const automationId of uncleared) await automationRuns.enqueueClearing(automationId)
  let unforgotten = 0
  for (let after: string | null = LOWEST_ID; after !== null; ) {
    signal.throwIfAborted()
    const step = await forgottenContacts.findAcrossTeams(after, rowsMax)
    for (const { teamId, contactId } of step.contacts) await forgottenContacts.enqueueForgetting(teamId, contactId)
    unforgotten += step.contacts.length
    after = step.last
  }
  const removedRuns = await automationRuns.removeOrphansAcrossTeams({ signal })
  const found = members.length + values.size + idle.length + uncleared.length + unforgotten + removedRuns
  if (found > 0) log.info({ found }, 'orphans found')
}
