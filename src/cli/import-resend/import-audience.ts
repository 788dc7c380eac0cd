// Brings the audience of an account elsewhere: properties, segments, topics, contacts, suppressions.

import { invalid } from '../../lib/failure.ts'
import { createBodyReader } from '../../lib/validation/body-validator.ts'
import { ContactCreate } from '../../modules/audience/contacts/contacts.schema.ts'
import { saveContact } from '../../modules/audience/contacts/contacts.service.ts'
import { ContactPropertyCreate } from '../../modules/audience/properties/properties.schema.ts'
import { createContactProperty } from '../../modules/audience/properties/properties.service.ts'
import { SegmentCreate } from '../../modules/audience/segments/segments.schema.ts'
import { createSegment } from '../../modules/audience/segments/segments.service.ts'
import { TopicCreate } from '../../modules/audience/topics/topics.schema.ts'
import { createTopic } from '../../modules/audience/topics/topics.service.ts'
import { suppressibleAddress } from '../../modules/suppressions/suppression-files.ts'
import { SUPPRESSION_ORIGINS } from '../../modules/suppressions/suppressions.schema.ts'
import { allRows } from '../database.ts'
import { importRecord, type Move, oldestFirst, pickFields, readId, takeNamed, textIn } from './import-run.ts'
import type { TheirRecord } from './resend-client.ts'

const readProperty = createBodyReader(ContactPropertyCreate)
const readSegment = createBodyReader(SegmentCreate)
const readTopic = createBodyReader(TopicCreate)
const readContact = createBodyReader(ContactCreate)

export async function importAudience(move: Move): Promise<void> {
  const hasProperties = await importProperties(move)
  await importSegments(move)
  await importTopics(move)
  await importContacts(move, hasProperties)
  for (const [theirs, ours] of move.segments) await importMembers(move, theirs, ours)
  await importSuppressions(move)
}

/** Whether contacts there have any. */
async function importProperties(move: Move): Promise<boolean> {
  const { client, repositories, teamId, isPlan } = move
  const ours = new Set((await repositories.contactProperties.all(teamId)).map(({ key }) => key))
  const theirs = await oldestFirst(client.list('/contact-properties'))
  for (const record of theirs) {
    const name = textIn(record, 'key')
    const isExisting = ours.has(name)
    await importRecord(move, { kind: 'contact properties', name, isExisting }, async () => {
      const input = readProperty(pickFields(record, ['key', 'type', 'fallback_value']))
      if (!isExisting && !isPlan) await createContactProperty(move, teamId, input)
    })
  }
  return theirs.length > 0
}

async function importSegments(move: Move): Promise<void> {
  const { client, repositories, teamId, isPlan, segments } = move
  const ours = (await allRows((request) => repositories.segments.list(teamId, request))).reverse()
  for (const record of await oldestFirst(client.list('/segments'))) {
    const name = textIn(record, 'name')
    const existing = takeNamed(ours, name)
    const kept = await importRecord(move, { kind: 'segments', name, isExisting: existing !== null }, async () => {
      const input = readSegment(pickFields(record, ['name']))
      return existing ?? (isPlan ? { id: null } : await createSegment(move, teamId, { name: input.name, filter: null }))
    })
    if (kept) segments.set(textIn(record, 'id'), kept.id)
  }
}

async function importTopics(move: Move): Promise<void> {
  const { client, repositories, teamId, isPlan, topics } = move
  const ours = (await allRows((request) => repositories.topics.list(teamId, request))).reverse()
  for (const record of await oldestFirst(client.list('/topics'))) {
    const name = textIn(record, 'name')
    const existing = takeNamed(ours, name)
    const subscription = textIn(record, 'default_subscription')
    const kept = await importRecord(move, { kind: 'topics', name, isExisting: existing !== null }, async () => {
      const input = readTopic(pickFields(record, ['name', 'description', 'default_subscription', 'visibility']))
      if (existing && existing.defaultSubscription !== input.default_subscription)
        throw invalid('There is a topic with this name here that has another default. Rename it, and import again.')
      return existing ?? (isPlan ? { id: null } : await createTopic(move, teamId, input))
    })
    if (kept) topics.set(textIn(record, 'id'), { id: kept.id, subscription })
  }
}

async function importContacts(move: Move, hasProperties: boolean): Promise<void> {
  const { client, repositories, teamId, isPlan, topics } = move
  for await (const record of client.list('/contacts')) {
    const name = textIn(record, 'email')
    const isExisting = (await repositories.contacts.find(teamId, { email: name.toLowerCase() })) !== null
    await importRecord(move, { kind: 'contacts', name, isExisting }, async () => {
      const id = readId(record)
      const properties = hasProperties && !isPlan ? propertiesIn((await client.find(`/contacts/${id}`))?.properties) : {}
      const input = readContact({
        ...pickFields(record, ['email', 'first_name', 'last_name', 'unsubscribed']),
        ...(Object.keys(properties).length > 0 && { properties }),
        ...(topics.size > 0 && !isPlan && { topics: await fetchChoices(move, id) }),
      })
      if (!isPlan) await saveContact(move, teamId, input)
    })
  }
}

/** Each is `{ value, type }`, or a value in older answers. */
function propertiesIn(properties: unknown): Record<string, unknown> {
  if (typeof properties !== 'object' || properties === null) return {}
  const entries = Object.entries(properties).map(([key, value]): [string, unknown] => [key, valueIn(value)])
  return Object.fromEntries(entries.filter(([, value]) => value != null))
}

const valueIn = (value: unknown): unknown => (typeof value === 'object' && value !== null && 'value' in value ? value.value : value)

/** What the contact chose, where that differs from what everyone gets. */
async function fetchChoices({ client, topics }: Move, contactId: string): Promise<TheirRecord[]> {
  const choices: TheirRecord[] = []
  for await (const record of client.list(`/contacts/${contactId}/topics`)) {
    const topic = topics.get(textIn(record, 'id'))
    if (topic?.id && record.subscription !== topic.subscription) choices.push({ id: topic.id, subscription: record.subscription })
  }
  return choices
}

/** By segment and not by contact, so that a page of them is one request. */
async function importMembers(move: Move, theirs: string, ours: string | null): Promise<void> {
  if (move.isPlan || ours === null) return
  for await (const record of move.client.list(`/contacts?segment_id=${encodeURIComponent(theirs)}`)) {
    const name = textIn(record, 'email')
    await importRecord(move, { kind: 'memberships', name }, () =>
      saveContact(move, move.teamId, readContact({ email: record.email, segments: [{ id: ours }] })),
    )
  }
}

async function importSuppressions(move: Move): Promise<void> {
  const { client, repositories, config, teamId, isPlan } = move
  for await (const record of client.list('/suppressions')) {
    const name = textIn(record, 'email')
    const email = suppressibleAddress(name, config.simulatorDomains)
    const isExisting = typeof email === 'string' && (await repositories.suppressions.find(teamId, { email })) !== null
    await importRecord(move, { kind: 'suppressions', name, isExisting }, async () => {
      if (typeof email !== 'string') throw invalid(`The address ${email.problem}.`)
      const origin = SUPPRESSION_ORIGINS.find((one) => one === record.origin) ?? 'manual'
      if (!isExisting && !isPlan) await repositories.suppressions.add(teamId, [{ email, origin }])
    })
  }
}
