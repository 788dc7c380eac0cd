// What an automation would do for a contact, on a clock of its own: the same decisions as those of a run, and nothing is stored or sent.

import type { PlatformContext } from '../../../http/platform.context.ts'
import { invalid } from '../../../lib/failure.ts'
import { createId } from '../../../lib/ids.ts'
import type { TakeRoom } from '../../../lib/limits/shared-room.ts'
import { assertNever } from '../../../lib/problem.ts'
import { MESSAGE_BYTES_MAX } from '../../../mail/attachments.ts'
import type { AudienceContext } from '../../audience/audience.context.ts'
import type { ContactChange, HashOf } from '../../audience/contacts/contacts.repository.ts'
import type { PropertyRow } from '../../audience/properties/properties.repository.ts'
import type { TopicRefusal } from '../../audience/topics/topic-refusals.repository.ts'
import type { EmailDraft } from '../../emails/email-draft.ts'
import type { EventsContext } from '../../events/events.context.ts'
import type { ActStep, Outcome } from '../engine/decide.ts'
import type { RunState } from '../engine/run-state.ts'
import { simulateRun, type TimedEvent } from '../engine/simulate.ts'
import { dateFields, eventsWithDates } from '../graph/date-fields.ts'
import type { Graph } from '../graph/graph.ts'
import type { Fields, Known, KnownContact } from '../graph/references.ts'
import type { ActResult, ContactAct } from '../runs/contact-actions.repository.ts'
import type { ContactOfRun } from '../runs/due-runs.repository.ts'
import { knownContact, resolveContactAction, toStepOutcome } from '../steps/contact-actions.ts'

type Context = PlatformContext & AudienceContext & EventsContext

type Dependencies = Pick<Context, 'clock' | 'repositories' | 'hashAddress'>

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
export type StepFunctions = {
  makeEmail: (request: {
    config: Extract<ActStep, { type: 'send_email' }>['config']
    class: 'transactional' | 'bulk'
    known: Known
    contact: ContactOfRun
    ignored: TopicRefusal[]
  }) => Promise<{ draft: EmailDraft; variables: object } | { skipped: string } | { failed: string }>
  properties: PropertyRow[]
  takeRoom: TakeRoom
}

/** @throws Failure if its emails are larger together than one may be */
export async function simulateAutomation(
  { clock, repositories, hashAddress }: Dependencies,
  teamId: string,
  { graph, class: kind, contact: given, payload, events }: SimulationRequest,
  { makeEmail, properties, takeRoom }: StepFunctions,
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
    const hashOf: HashOf = (email) => hashAddress(teamId, email)
    const resolved = resolveContactAction(step, known, { properties, hashOf })
    if ('failed' in resolved) return { outcome: { status: 'failed', error: resolved.failed } }
    const outcome = toStepOutcome(await simulateAct(resolved.act), resolved.output)
    return { outcome, contact: knownContact(contact, properties) }
  }

  async function simulateAct(act: ContactAct): Promise<ActResult> {
    switch (act.kind) {
      case 'update':
        contact = changed(contact, act.change)
        isResubscribed ||= act.change.unsubscribed === false
        return 'done'
      case 'delete':
        return 'done'
      case 'add to segment': {
        const segment = await repositories.segments.find(teamId, act.segmentId)
        if (!segment) return 'unknown segment'
        return segment.filter === null ? 'done' : 'segment with a filter'
      }
      default:
        return assertNever(act)
    }
  }

  async function send({ key, config }: Extract<ActStep, { type: 'send_email' }>, known: Known, at: Date): Promise<Outcome> {
    const ignored: TopicRefusal[] = [
      ...(isImagined ? (['contact gone'] as const) : []),
      ...(isResubscribed ? (['unsubscribed'] as const) : []),
    ]
    const made = await makeEmail({ config, class: kind, known, contact, ignored })
    if ('failed' in made) return { status: 'failed', error: made.failed }
    if ('skipped' in made) return { status: 'skipped', output: { why: made.skipped } }
    left -= (made.draft.html?.length ?? 0) + (made.draft.text?.length ?? 0)
    if (left < 0) throw invalid(TOO_LONG)
    emails.push({ key, at, draft: made.draft })
    const template = { id: made.draft.template?.id ?? config.template.id, variables: made.variables }
    return { status: 'completed', output: { to: made.draft.to, email_id: null, template } }
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
    contact: knownContact(contact, properties),
    startsAt,
    events: timed,
    perform,
  })
  takeRoom(MESSAGE_BYTES_MAX - left)
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
