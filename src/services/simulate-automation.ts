// What an automation would do for a contact, on a clock of its own: the same decisions as those of a run, and nothing is stored or sent.
import type { Context } from '../context.ts'
import type { PropertyOfContacts } from '../lib/audience/property-of-contacts.ts'
import { dateFields, eventsWithDates } from '../lib/automations/date-fields.ts'
import type { ActStep, Outcome } from '../lib/automations/engine/decide.ts'
import type { RunState } from '../lib/automations/engine/run-state.ts'
import { simulateRun, type TimedEvent } from '../lib/automations/engine/simulate.ts'
import type { Graph } from '../lib/automations/graph.ts'
import type { Fields, Known, KnownContact } from '../lib/automations/references.ts'
import { invalid } from '../lib/failure.ts'
import { createId } from '../lib/ids.ts'
import type { TakeRoom } from '../lib/limits/shared-room.ts'
import { MESSAGE_BYTES_MAX } from '../mail/attachment-content.ts'
import type { EmailDraft } from '../mail/email-draft.ts'
import type { ActResult } from '../repositories/automations/contact-acts.ts'
import type { ContactOfRun } from '../repositories/automations/due-runs.ts'
import type { ContactChange } from '../repositories/contacts/change-contact.ts'
import type { TopicRefusal } from '../repositories/topics/topic-refusals.ts'

type Dependencies = Pick<Context, 'clock' | 'repositories'>

export type SimulationRequest = {
  graph: Graph
  class: 'transactional' | 'bulk'
  /** `isImagined`: the team has no such contact. */
  contact: ContactOfRun & { isImagined: boolean }
  payload: Fields
  /** What happens meanwhile, and how long after the beginning. */
  events: { name: string; payload: Fields; afterMs: number }[]
}

export type SimulatedEmail = { key: string; at: Date; draft: EmailDraft }

/** What a simulation shares with runs. */
export type Acts = {
  makeEmail: (request: {
    config: Extract<ActStep, { type: 'send_email' }>['config']
    class: 'transactional' | 'bulk'
    known: Known
    contact: ContactOfRun
    ignored: TopicRefusal[]
  }) => Promise<{ draft: EmailDraft; variables: object } | { skipped: string } | { failed: string }>
  changeOf: (config: Extract<ActStep, { type: 'contact_update' }>['config'], known: Known) => ContactChange | { failed: string }
  outcomeOf: (step: Exclude<ActStep, { type: 'send_email' }>, result: ActResult) => Outcome
  knownContact: (contact: ContactOfRun, properties: readonly PropertyOfContacts[]) => KnownContact
  properties: readonly PropertyOfContacts[]
  takeRoom: TakeRoom
}

/** @throws Failure if its emails are larger together than one may be */
export async function simulateAutomation(
  { clock, repositories }: Dependencies,
  teamId: string,
  { graph, class: kind, contact: given, payload, events }: SimulationRequest,
  acts: Acts,
): Promise<{ state: RunState; endsAt: Date; emails: SimulatedEmail[] }> {
  const startsAt = clock.now()
  const trigger = graph.steps.find((step) => step.type === 'trigger')
  const emails: SimulatedEmail[] = []
  const { isImagined, ...asGiven } = given
  let contact: ContactOfRun = asGiven
  let isResubscribed = false
  let left = MESSAGE_BYTES_MAX

  async function perform(step: ActStep, known: Known, at: Date): Promise<{ outcome: Outcome; contact?: KnownContact }> {
    if (step.type === 'send_email') return { outcome: await send(step, known, at) }
    if (step.type === 'contact_delete') return { outcome: acts.outcomeOf(step, 'done') }
    if (step.type === 'add_to_segment') return { outcome: acts.outcomeOf(step, await membershipOf(step.config.segment_id)) }
    const change = acts.changeOf(step.config, known)
    if ('failed' in change) return { outcome: { status: 'failed', error: change.failed } }
    contact = changed(contact, change)
    isResubscribed ||= change.unsubscribed === false
    return { outcome: acts.outcomeOf(step, 'done'), contact: acts.knownContact(contact, acts.properties) }
  }

  async function send({ key, config }: Extract<ActStep, { type: 'send_email' }>, known: Known, at: Date): Promise<Outcome> {
    const ignored: TopicRefusal[] = [
      ...(isImagined ? (['contact gone'] as const) : []),
      ...(isResubscribed ? (['unsubscribed'] as const) : []),
    ]
    const made = await acts.makeEmail({ config, class: kind, known, contact, ignored })
    if ('failed' in made) return { status: 'failed', error: made.failed }
    if ('skipped' in made) return { status: 'skipped', output: { why: made.skipped } }
    left -= (made.draft.html?.length ?? 0) + (made.draft.text?.length ?? 0)
    if (left < 0) throw invalid(TOO_LONG)
    emails.push({ key, at, draft: made.draft })
    const template = { id: made.draft.template?.id ?? config.template.id, variables: made.variables }
    return { status: 'completed', output: { to: made.draft.to, email_id: null, template } }
  }

  async function membershipOf(segmentId: string): Promise<ActResult> {
    const segment = await repositories.segments.find(teamId, segmentId.toLowerCase())
    if (!segment) return 'unknown segment'
    return segment.filter === null ? 'done' : 'segment with a filter'
  }

  const timed = events.map(
    ({ name, payload: fields, afterMs }): TimedEvent => ({
      id: createId(clock),
      name,
      payload: fields,
      at: new Date(startsAt.getTime() + afterMs),
    }),
  )
  const withDates = eventsWithDates(graph)
  const simulated = await simulateRun(graph, {
    ...(withDates.length > 0 && { dates: dateFields(graph, await repositories.events.schemasOf(teamId, withDates)) }),
    trigger: { id: createId(clock), name: trigger?.config.event_name ?? '', payload },
    contact: acts.knownContact(contact, acts.properties),
    startsAt,
    events: timed,
    perform,
  })
  acts.takeRoom(MESSAGE_BYTES_MAX - left)
  return { ...simulated, emails }
}

const TOO_LONG = `The emails of this simulation have more than ${MESSAGE_BYTES_MAX / 1024 / 1024} million characters together. Send shorter payloads, or simulate an automation with fewer emails.`

function changed(contact: ContactOfRun, { firstName, lastName, unsubscribed, properties = {} }: ContactChange): ContactOfRun {
  const values = Object.entries({ ...contact.properties, ...properties }).filter(
    (entry): entry is [string, string | number] => entry[1] !== null,
  )
  return {
    ...contact,
    ...(firstName !== undefined && { firstName }),
    ...(lastName !== undefined && { lastName }),
    ...(unsubscribed !== undefined && { unsubscribed }),
    properties: Object.fromEntries(values),
  }
}
