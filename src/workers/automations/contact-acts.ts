// Steps that change the contact of their run.
import type { Context } from '../../context.ts'
import { valuesByNumber } from '../../lib/audience/property-values.ts'
import type { ActStep, Outcome } from '../../lib/automations/engine/decide.ts'
import type { ContactUpdateConfig } from '../../lib/automations/graph.ts'
import { isVariable, type Known, parseReference, referredValue } from '../../lib/automations/references.ts'
import { Failure } from '../../lib/failure.ts'
import type { ActResult, ContactAct } from '../../repositories/automations/advances.ts'
import type { ContactChange } from '../../repositories/contacts/change-contact.ts'
import { SEGMENTS_PER_CONTACT_MAX } from '../../schemas/contacts.ts'

export type ContactStep = Exclude<ActStep, { type: 'send_email' }>

type Dependencies = Pick<Context, 'repositories' | 'hashAddress'>

/** The act, or why it cannot be done. */
export async function contactActOf(
  { repositories, hashAddress }: Dependencies,
  teamId: string,
  { step, known }: { step: ContactStep; known: Known },
): Promise<ContactAct | { failed: string }> {
  if (step.type === 'contact_delete') return { kind: 'delete' }
  if (step.type === 'add_to_segment')
    return { kind: 'add to segment', segmentId: step.config.segment_id.toLowerCase(), membershipsMax: SEGMENTS_PER_CONTACT_MAX }
  try {
    const change = changeOf(step.config, known, await repositories.contactProperties.all(teamId))
    return { kind: 'update', change, hashOf: (email) => hashAddress(teamId, email) }
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'validation') throw error
    return { failed: error.message }
  }
}

const NAME_LENGTH_MAX = 500

/** @throws Failure about the first value that is wrong */
export function changeOf(config: ContactUpdateConfig, known: Known, properties: Parameters<typeof valuesByNumber>[1]): ContactChange {
  const { first_name: firstName, last_name: lastName, unsubscribed, properties: given } = config
  return {
    ...(firstName !== undefined && { firstName: nameOf('first_name', resolved(firstName, known)) }),
    ...(lastName !== undefined && { lastName: nameOf('last_name', resolved(lastName, known)) }),
    ...(unsubscribed !== undefined && { unsubscribed: flagOf(resolved(unsubscribed, known)) }),
    ...(given !== undefined && {
      properties: valuesByNumber(
        Object.fromEntries(Object.entries(given).map(([key, value]) => [key, propertyOf(key, resolved(value, known))])),
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

function nameOf(field: string, value: unknown): string | null {
  if (value === null) return null
  if (typeof value === 'string' && value.length <= NAME_LENGTH_MAX) return value
  throw new Failure('validation', `The \`${field}\` field must be a text of at most ${NAME_LENGTH_MAX} characters.`)
}

function flagOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new Failure('validation', 'The `unsubscribed` field must be true or false.')
}

function propertyOf(key: string, value: unknown): string | number | null {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'boolean') return String(value)
  throw new Failure('validation', `The \`properties.${key}\` field must be a string or a number.`)
}

const PROBLEMS: Record<Exclude<ActResult, 'done'>, string> = {
  'unknown segment': 'Its segment was deleted.',
  'segment with a filter': 'Its segment has a filter, and finds its members by itself.',
  'unknown contact': 'The contact was deleted.',
  full: 'The contact is in as many segments as a contact can be in.',
}

export function outcomeOf(step: ContactStep, result: ActResult): Outcome {
  if (result !== 'done') return { status: 'failed', error: PROBLEMS[result] }
  return { status: 'completed', output: step.type === 'add_to_segment' ? { segment_id: step.config.segment_id } : {} }
}
