// What steps do to the contact of their run.

import type { PropertyOfContacts } from '../lib/audience/property-of-contacts.ts'
import { valuesByNumber } from '../lib/audience/property-values.ts'
import type { ActStep, Outcome } from '../lib/automations/engine/decide.ts'
import type { ContactUpdateConfig } from '../lib/automations/graph.ts'
import { isVariable, type Known, type KnownContact, parseReference, referredValue } from '../lib/automations/references.ts'
import { Failure, invalid } from '../lib/failure.ts'
import type { ActResult } from '../repositories/automations/contact-acts.ts'
import type { ContactOfRun } from '../repositories/automations/due-runs.ts'
import type { ContactChange } from '../repositories/contacts/change-contact.ts'
import { PROPERTY_VALUE_LENGTH_MAX } from '../schemas/contact-properties.ts'
import { CONTACT_NAME_LENGTH_MAX } from '../schemas/contacts.ts'

export type ContactStep = Exclude<ActStep, { type: 'send_email' }>

/** The change that a step asks for, or why it cannot be made. */
export function changeOfStep(
  config: ContactUpdateConfig,
  known: Known,
  properties: Parameters<typeof valuesByNumber>[1],
): ContactChange | { failed: string } {
  try {
    return changeOf(config, known, properties)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'validation') throw error
    return { failed: error.message }
  }
}

function changeOf(config: ContactUpdateConfig, known: Known, properties: Parameters<typeof valuesByNumber>[1]): ContactChange {
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
  if (typeof value === 'string' && value.length <= CONTACT_NAME_LENGTH_MAX) return value
  throw invalid(`The \`${field}\` field must be a text of at most ${CONTACT_NAME_LENGTH_MAX} characters.`)
}

function flagOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw invalid('The `unsubscribed` field must be true or false.')
}

function propertyOf(key: string, value: unknown): string | number | null {
  if (typeof value === 'string' && value.length > PROPERTY_VALUE_LENGTH_MAX)
    throw invalid(`The \`properties.${key}\` field must have at most ${PROPERTY_VALUE_LENGTH_MAX} characters.`)
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'boolean') return String(value)
  throw invalid(`The \`properties.${key}\` field must be a string or a number.`)
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
