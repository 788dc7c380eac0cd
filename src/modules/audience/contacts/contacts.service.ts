// Creates and changes contacts: converts what the client named into what is stored.

import type { PlatformContext } from '../../../http/platform.context.ts'
import { invalid } from '../../../lib/failure.ts'
import { createId } from '../../../lib/ids.ts'
import { explainProblem } from '../../../lib/problem.ts'
import { contactAddress } from '../../../mail/address-forms.ts'
import type { AudienceContext } from '../audience.context.ts'
import { idsOfSegments, referenceSentence } from '../audience-fields.ts'
import { valuesByNumber } from '../properties/property-values.ts'
import type { ContactReference } from './contact-rows.repository.ts'
import type { ContactChange } from './contacts.repository.ts'
import { type ContactCreate, type ContactUpdate, SEGMENTS_PER_CONTACT_MAX, TOO_MANY_SEGMENTS } from './contacts.schema.ts'

type Context = PlatformContext & AudienceContext

type Dependencies = Pick<Context, 'repositories' | 'clock' | 'hashAddress'>

/** @throws Failure about the first field that is wrong; nothing is stored then. */
export async function saveContact(
  { repositories, clock, hashAddress }: Dependencies,
  teamId: string,
  input: ContactCreate,
): Promise<{ id: string }> {
  const email = parseAddress(input.email)
  const values = input.properties ? Object.entries(valuesByNumber(input.properties, await repositories.contactProperties.all(teamId))) : []
  const segments = idsOfSegments(input.segments ?? [])
  const segmentIds = input.audience_id == null ? segments : [...segments, input.audience_id]
  const topics = input.topics ?? []
  const contact = {
    id: createId(clock),
    email,
    addressHash: hashAddress(teamId, email),
    firstName: input.first_name ?? null,
    lastName: input.last_name ?? null,
    unsubscribed: input.unsubscribed ?? false,
    properties: Object.fromEntries(values.filter((entry): entry is [string, string | number] => entry[1] !== null)),
    removedProperties: values.filter(([, value]) => value === null).map(([number]) => number),
    segmentIds,
    topics,
  }
  const saved = await repositories.contacts.save(teamId, contact, { membershipsMax: SEGMENTS_PER_CONTACT_MAX })
  if (saved === 'too many segments') throw invalid(TOO_MANY_SEGMENTS)
  if ('problem' in saved)
    throw invalid(referenceSentence(saved, { segment: (index) => (index < segments.length ? `segments[${index}]` : 'audience_id') }))
  return saved
}

/** @returns null if the team has no such contact. */
export async function updateContact(
  { repositories, hashAddress }: Dependencies,
  teamId: string,
  { reference, input }: { reference: ContactReference; input: ContactUpdate },
): Promise<{ id: string } | null> {
  const { email, first_name: firstName, last_name: lastName, unsubscribed, properties } = input
  const change: ContactChange = {
    ...(email !== undefined && { email: parseAddress(email) }),
    ...(firstName !== undefined && { firstName }),
    ...(lastName !== undefined && { lastName }),
    ...(unsubscribed !== undefined && { unsubscribed }),
    ...(properties !== undefined && { properties: valuesByNumber(properties, await repositories.contactProperties.all(teamId)) }),
  }
  const changed = await repositories.contacts.updateContact(teamId, reference, change, (address) => hashAddress(teamId, address))
  if (changed === 'taken')
    throw invalid('The `email` field is the address of another contact. Use another address, or change that contact.')
  return changed
}

function parseAddress(text: string): string {
  const email = contactAddress(text)
  if (typeof email !== 'string') throw invalid(explainProblem('email', email, text))
  return email
}
