// Steps that change the contacts of their runs: several of one kind in a transaction.

import { Failure, invalid } from '../../../lib/failure.ts'
import { assertNever } from '../../../lib/problem.ts'
import type { PropertyOfContacts } from '../../../mail/rendering/contact-placeholders.ts'
import type { AudienceContext } from '../../audience/audience.context.ts'
import type { ContactChange, HashOf } from '../../audience/contacts/contacts.repository.ts'
import { CONTACT_NAME_LENGTH_MAX, SEGMENTS_PER_CONTACT_MAX } from '../../audience/contacts/contacts.schema.ts'
import type { PropertyRow } from '../../audience/properties/properties.repository.ts'
import { PROPERTY_VALUE_LENGTH_MAX } from '../../audience/properties/properties.schema.ts'
import { valuesByNumber } from '../../audience/properties/property-values.ts'
import type { ActStep, Decision, Outcome } from '../engine/decide.ts'
import type { ContactUpdateConfig } from '../graph/graph.ts'
import { isVariable, type Known, type KnownContact, parseReference, referredValue } from '../graph/references.ts'
import type { Advance } from '../runs/advances.repository.ts'
import type { ActingRun, ActResult, ContactAct } from '../runs/contact-actions.repository.ts'
import type { ContactOfRun } from '../runs/due-runs.repository.ts'
import { acted, type LoadedRun, toAdvance } from './steps.ts'

type Context = AudienceContext

/** A run at a step that changes its contact. `properties`: those of its team. */
export type Changing = { loaded: LoadedRun; decision: Decision; step: ContactStep; properties: PropertyRow[] }

/** Acts in one transaction. Its contacts are held meanwhile. */
const ACTS_MAX = 20

/** `failed`: runs whose act cannot be done, with the reason. `batches`: what is done together. */
export function batchContactActions({ hashAddress }: Pick<Context, 'hashAddress'>, changing: Changing[], at: Date) {
  const failed: Advance[] = []
  const acting: Sorted[] = []
  for (const each of changing) {
    const { loaded, decision, step, properties } = each
    const { run, contact } = loaded
    const resolved = resolveContactAction(
      step,
      { event: run.payload, contact, heard: decision.state.heard },
      { properties, hashOf: (email) => hashAddress(run.teamId, email) },
    )
    const advance = (outcome: Parameters<typeof acted>[2]['outcome'], from = loaded) =>
      toAdvance(loaded, acted(from, decision, { key: step.key, outcome }, at), { at })
    if ('failed' in resolved) failed.push(advance({ status: 'failed', error: resolved.failed }))
    else {
      const { act, output } = resolved
      acting.push({
        email: contact.email,
        run: {
          id: run.id,
          teamId: run.teamId,
          contactId: run.contactId,
          act,
          // A condition that follows looks at the contact as it is now.
          advanceAfter: (result, changed) =>
            advance(toStepOutcome(result, output), changed ? { ...loaded, contact: knownContact(changed, properties) } : loaded),
        },
      })
    }
  }
  return { failed, batches: toBatches(acting) }
}

type Sorted = { email: string; run: ActingRun }

/** Groups runs by team, kind and segment, each contact once, in the order in which contacts are locked. */
function toBatches(acting: Sorted[]): ActingRun[][] {
  const times = new Map<string, number>()
  const groups = Map.groupBy(
    acting.toSorted((one, other) => compare(one.email, other.email) || compare(one.run.contactId, other.run.contactId)),
    ({ run: { teamId, contactId, act } }) => {
      const time = times.get(contactId) ?? 0
      times.set(contactId, time + 1)
      return JSON.stringify([teamId, act.kind, act.kind === 'add to segment' ? act.segmentId : null, time])
    },
  )
  // Much may be removed with a contact that is deleted, so each has a transaction of its own.
  return [...groups.values()].flatMap((group) =>
    toChunks(
      group.map(({ run }) => run),
      group[0]?.run.act.kind === 'delete' ? 1 : ACTS_MAX,
    ),
  )
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const toChunks = (runs: ActingRun[], size: number): ActingRun[][] =>
  Array.from({ length: Math.ceil(runs.length / size) }, (_, index) => runs.slice(index * size, (index + 1) * size))

export type ContactStep = Exclude<ActStep, { type: 'send_email' }>

type OfTeam = { properties: PropertyRow[]; hashOf: HashOf }

/** What a step does to its contact, and the output of the step when it is done; or why it cannot be done. */
export function resolveContactAction(
  step: ContactStep,
  known: Known,
  { properties, hashOf }: OfTeam,
): { act: ContactAct; output: Record<string, unknown> } | { failed: string } {
  switch (step.type) {
    case 'contact_update': {
      const change = contactChangeOfStep(step.config, known, properties)
      return 'failed' in change ? change : { act: { kind: 'update', change, hashOf }, output: {} }
    }
    case 'contact_delete':
      return { act: { kind: 'delete' }, output: {} }
    case 'add_to_segment': {
      const { segment_id } = step.config
      const act = { kind: 'add to segment', segmentId: segment_id.toLowerCase(), membershipsMax: SEGMENTS_PER_CONTACT_MAX } as const
      return { act, output: { segment_id } }
    }
    default:
      return assertNever(step)
  }
}

export function toStepOutcome(result: ActResult, output: Record<string, unknown>): Outcome {
  return result === 'done' ? { status: 'completed', output } : { status: 'failed', error: PROBLEMS[result] }
}

const PROBLEMS: Record<Exclude<ActResult, 'done'>, string> = {
  'unknown segment': 'Its segment was deleted.',
  'segment with a filter': 'Its segment has a filter, so contacts cannot be added to it.',
  'unknown contact': 'The contact was deleted.',
  'too many segments': 'The contact has reached the limit of segments.',
}

/** The change that a step asks for, or why it cannot be made. */
function contactChangeOfStep(
  config: ContactUpdateConfig,
  known: Known,
  properties: Parameters<typeof valuesByNumber>[1],
): ContactChange | { failed: string } {
  try {
    return toContactChange(config, known, properties)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'validation') throw error
    return { failed: error.message }
  }
}

function toContactChange(config: ContactUpdateConfig, known: Known, properties: Parameters<typeof valuesByNumber>[1]): ContactChange {
  const { first_name: firstName, last_name: lastName, unsubscribed, properties: given } = config
  return {
    ...(firstName !== undefined && { firstName: toName('first_name', resolved(firstName, known)) }),
    ...(lastName !== undefined && { lastName: toName('last_name', resolved(lastName, known)) }),
    ...(unsubscribed !== undefined && { unsubscribed: toFlag(resolved(unsubscribed, known)) }),
    ...(given !== undefined && {
      properties: valuesByNumber(
        Object.fromEntries(Object.entries(given).map(([key, value]) => [key, toPropertyValue(key, resolved(value, known))])),
        properties,
      ),
    }),
  }
}

/** What is not known is null. */
function resolved(value: unknown, known: Known): unknown {
  if (!isVariable(value)) return value
  const reference = parseReference(value.var)
  return (reference && referredValue(reference, known)) ?? null
}

function toName(field: string, value: unknown): string | null {
  if (value === null) return null
  if (typeof value === 'string' && value.length <= CONTACT_NAME_LENGTH_MAX) return value
  throw invalid(`The \`${field}\` field must be a text of at most ${CONTACT_NAME_LENGTH_MAX} characters.`)
}

function toFlag(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw invalid('The `unsubscribed` field must be true or false.')
}

function toPropertyValue(key: string, value: unknown): string | number | null {
  if (typeof value === 'string' && value.length > PROPERTY_VALUE_LENGTH_MAX)
    throw invalid(`The \`properties.${key}\` field must have at most ${PROPERTY_VALUE_LENGTH_MAX} characters.`)
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'boolean') return String(value)
  throw invalid(`The \`properties.${key}\` field must be a string or a number.`)
}

/** A contact as steps refer to it. */
export const knownContact = (
  { email, firstName, lastName, unsubscribed, properties }: Omit<ContactOfRun, 'addressHash'>,
  ofTeam: readonly PropertyOfContacts[],
): KnownContact => ({
  email,
  first_name: firstName,
  last_name: lastName,
  unsubscribed,
  properties: Object.fromEntries(
    ofTeam.flatMap(({ key, number }) => {
      const value = properties[number]
      return value === undefined ? [] : [[key, value]]
    }),
  ),
})
