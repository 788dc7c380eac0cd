// Brings the audience of an account elsewhere: properties, segments, topics, contacts, suppressions.
import type { TheirRecord } from '../gateways/web/resend-client.ts'
import { invalid } from '../lib/failure.ts'
import { suppressibleAddress } from '../mail/audience/suppressible-addresses.ts'
import { createBodyReader } from '../schemas/bodies/body-validator.ts'
import { ContactPropertyCreate } from '../schemas/contact-properties.ts'
import { ContactCreate } from '../schemas/contacts.ts'
import { SegmentCreate } from '../schemas/segments.ts'
import { SUPPRESSION_ORIGINS } from '../schemas/suppressions.ts'
import { TopicCreate } from '../schemas/topics.ts'
import { saveContact } from '../services/save-contact.ts'
import { createContactProperty } from '../services/save-contact-property.ts'
import { createSegment } from '../services/save-segment.ts'
import { createTopic } from '../services/save-topic.ts'
import { allRows } from './database.ts'
import { bring, fieldsOf, idOf, type Move, oldestFirst, takeNamed, textIn } from './moving-in.ts'

const readProperty = createBodyReader(ContactPropertyCreate)
const readSegment = createBodyReader(SegmentCreate)
const readTopic = createBodyReader(TopicCreate)
const readContact = createBodyReader(ContactCreate)

export async function bringAudience(move: Move): Promise<void> {
  const hasProperties = await bringProperties(move)
  await bringSegments(move)
  await bringTopics(move)
  await bringContacts(move, hasProperties)
  for (const [theirs, ours] of move.segments) await bringMembers(move, theirs, ours)
  await bringSuppressions(move)
}

/** Whether contacts there have any. */
async function bringProperties(move: Move): Promise<boolean> {
  const { client, repositories, teamId, isPlan } = move
  const ours = new Set((await repositories.contactProperties.all(teamId)).map(({ key }) => key))
  const theirs = await oldestFirst(client.list('/contact-properties'))
  for (const record of theirs) {
    const name = textIn(record, 'key')
    const isExisting = ours.has(name)
    await bring(move, { kind: 'contact properties', name, isExisting }, async () => {
      const input = readProperty(fieldsOf(record, ['key', 'type', 'fallback_value']))
      if (!isExisting && !isPlan) await createContactProperty(move, teamId, input)
    })
  }
  return theirs.length > 0
}

async function bringSegments(move: Move): Promise<void> {
  const { client, repositories, teamId, isPlan, segments } = move
  const ours = (await allRows((request) => repositories.segments.list(teamId, request))).reverse()
  for (const record of await oldestFirst(client.list('/segments'))) {
    const name = textIn(record, 'name')
    const existing = takeNamed(ours, name)
    const kept = await bring(move, { kind: 'segments', name, isExisting: existing !== null }, async () => {
      const input = readSegment(fieldsOf(record, ['name']))
      return existing ?? (isPlan ? { id: null } : await createSegment(move, teamId, { name: input.name, filter: null }))
    })
    if (kept) segments.set(textIn(record, 'id'), kept.id)
  }
}

async function bringTopics(move: Move): Promise<void> {
  const { client, repositories, teamId, isPlan, topics } = move
  const ours = (await allRows((request) => repositories.topics.list(teamId, request))).reverse()
  for (const record of await oldestFirst(client.list('/topics'))) {
    const name = textIn(record, 'name')
    const existing = takeNamed(ours, name)
    const subscription = textIn(record, 'default_subscription')
    const kept = await bring(move, { kind: 'topics', name, isExisting: existing !== null }, async () => {
      const input = readTopic(fieldsOf(record, ['name', 'description', 'default_subscription', 'visibility']))
      if (existing && existing.defaultSubscription !== input.default_subscription)
        throw invalid('There is a topic with this name here that has another default. Rename it, and import again.')
      return existing ?? (isPlan ? { id: null } : await createTopic(move, teamId, input))
    })
    if (kept) topics.set(textIn(record, 'id'), { id: kept.id, subscription })
  }
}

async function bringContacts(move: Move, hasProperties: boolean): Promise<void> {
  const { client, repositories, teamId, isPlan, topics } = move
  for await (const record of client.list('/contacts')) {
    const name = textIn(record, 'email')
    const isExisting = (await repositories.contacts.find(teamId, { email: name.toLowerCase() })) !== null
    await bring(move, { kind: 'contacts', name, isExisting }, async () => {
      const id = idOf(record)
      const properties = hasProperties && !isPlan ? propertiesIn((await client.find(`/contacts/${id}`))?.properties) : {}
      const input = readContact({
        ...fieldsOf(record, ['email', 'first_name', 'last_name', 'unsubscribed']),
        ...(Object.keys(properties).length > 0 && { properties }),
        ...(topics.size > 0 && !isPlan && { topics: await choicesOf(move, id) }),
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
async function choicesOf({ client, topics }: Move, contactId: string): Promise<TheirRecord[]> {
  const choices: TheirRecord[] = []
  for await (const record of client.list(`/contacts/${contactId}/topics`)) {
    const topic = topics.get(textIn(record, 'id'))
    if (topic?.id && record.subscription !== topic.subscription) choices.push({ id: topic.id, subscription: record.subscription })
  }
  return choices
}

/** By segment and not by contact, so that a page of them is one request. */
async function bringMembers(move: Move, theirs: string, ours: string | null): Promise<void> {
  if (move.isPlan || ours === null) return
  for await (const record of move.client.list(`/contacts?segment_id=${encodeURIComponent(theirs)}`)) {
    const name = textIn(record, 'email')
    await bring(move, { kind: 'memberships', name }, () =>
      saveContact(move, move.teamId, readContact({ email: record.email, segments: [{ id: ours }] })),
    )
  }
}

async function bringSuppressions(move: Move): Promise<void> {
  const { client, repositories, config, teamId, isPlan } = move
  for await (const record of client.list('/suppressions')) {
    const name = textIn(record, 'email')
    const email = suppressibleAddress(name, config.simulatorDomains)
    const isExisting = typeof email === 'string' && (await repositories.suppressions.find(teamId, { email })) !== null
    await bring(move, { kind: 'suppressions', name, isExisting }, async () => {
      if (typeof email !== 'string') throw invalid(`The address ${email.problem}.`)
      const origin = SUPPRESSION_ORIGINS.find((one) => one === record.origin) ?? 'manual'
      if (!isExisting && !isPlan) await repositories.suppressions.add(teamId, [{ email, origin }])
    })
  }
}
