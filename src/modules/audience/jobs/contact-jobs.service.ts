// Accepts acts over many contacts: converts what the client named into what is stored.
import type { PlatformContext } from '../../../http/platform.context.ts'
import { Failure, invalid } from '../../../lib/failure.ts'
import type { AudienceContext } from '../audience.context.ts'
import { valuesByNumber } from '../properties/property-values.ts'
import { parseSegmentFilter } from '../segments/filters/segment-filters.ts'
import type { BoundedCount } from '../segments/segment-members.repository.ts'
import { resolveSegmentFilter } from '../segments/segments.service.ts'
import type { StoredAct } from './contact-acts.repository.ts'
import type { ContactJobRow } from './contact-jobs.repository.ts'
import { CONTACT_JOBS_WAITING_MAX, type ContactJobAct, type ContactJobCreate, type ContactSelection } from './contact-jobs.schema.ts'
import type { StoredSelection } from './selected-contacts.repository.ts'

type Context = PlatformContext & AudienceContext
type Dependencies = Pick<Context, 'repositories'>

/** @throws Failure about the first field that is wrong; nothing is stored then. */
export async function createContactJob(context: Dependencies, teamId: string, { contacts, act }: ContactJobCreate): Promise<ContactJobRow> {
  const { selection, contactIds } = await resolveSelection(context, teamId, contacts)
  const resolved = await resolveAct(context, teamId, act)
  if (resolved.type === 'subscribe' && selection.kind !== 'ids') throw invalid(SUBSCRIBES_NAMED)
  return enqueueContactJob(context, teamId, { selection, contactIds, act: resolved })
}

/** @throws Failure if too many wait already */
export async function enqueueContactJob(
  { repositories }: Dependencies,
  teamId: string,
  { selection, contactIds, act }: { selection: StoredSelection; contactIds: string[]; act: StoredAct },
): Promise<ContactJobRow> {
  const expected = await repositories.selectedContacts.count(teamId, selection).catch((error: unknown) => {
    if (error instanceof Failure) return null
    throw error
  })
  const job = { selection, act, expected: expected?.isAll ? expected.contacts : null, contactIds }
  const created = await repositories.contactJobs.create(teamId, job)
  if (created === 'full') throw invalid(TOO_MANY_WAIT)
  return created
}

/** @throws Failure about the first field that is wrong */
export async function countSelection(context: Dependencies, teamId: string, contacts: ContactSelection): Promise<BoundedCount> {
  const { selection } = await resolveSelection(context, teamId, contacts)
  return context.repositories.selectedContacts.count(teamId, selection)
}

type Resolved = { selection: StoredSelection; contactIds: string[] }

async function resolveSelection(context: Dependencies, teamId: string, contacts: ContactSelection): Promise<Resolved> {
  const { ids, segment_id: segmentId, search, filter, broadcast_id: broadcastId, recipients } = contacts
  if (recipients != null && broadcastId == null) throw invalid('The `contacts.recipients` field is only for `contacts.broadcast_id`.')
  const plain = (selection: StoredSelection): Resolved => ({ selection, contactIds: [] })
  if (ids != null) {
    const contactIds = [...new Set(ids.map((id) => id.toLowerCase()))].sort()
    return { selection: { kind: 'ids', count: contactIds.length }, contactIds }
  }
  if (segmentId != null) {
    const segment = await context.repositories.segments.find(teamId, segmentId)
    if (!segment) throw invalid('The `contacts.segment_id` field is not the id of one of your segments.')
    return plain({ kind: 'segment', segmentId: segment.id })
  }
  if (search != null) return plain({ kind: 'search', search })
  if (filter != null) {
    const resolved = await resolveSegmentFilter(context, teamId, filter)
    return plain({ kind: 'filter', filter: resolved.filter, given: parseSegmentFilter(filter) })
  }
  if (broadcastId != null) {
    if (recipients == null) throw invalid('Missing `contacts.recipients` field.')
    if (!(await context.repositories.selectedContacts.hasBroadcast(teamId, broadcastId)))
      throw invalid('The `contacts.broadcast_id` field is not the id of one of your broadcasts.')
    return plain({ kind: 'broadcast', broadcastId: broadcastId.toLowerCase(), recipients })
  }
  return plain({ kind: 'all' })
}

async function resolveAct({ repositories }: Dependencies, teamId: string, act: ContactJobAct): Promise<StoredAct> {
  const { type, segment_id: segmentId, topic_id: topicId, property, value = null } = act
  const needed = FIELDS_OF_ACTS[type] ?? []
  for (const field of ['segment_id', 'topic_id', 'property', 'value'] as const)
    if (act[field] != null && !needed.includes(field)) throw invalid(`The \`act.${field}\` field is not for the act \`${type}\`.`)
  switch (type) {
    case 'add_to_segment':
    case 'remove_from_segment': {
      const segment = await repositories.segments.find(teamId, given(segmentId, 'segment_id'))
      if (!segment) throw invalid('The `act.segment_id` field is not the id of one of your segments.')
      if (segment.filter !== null)
        throw invalid('The `act.segment_id` field names a segment with a filter, which selects its contacts. Name a segment without one.')
      return { type, segmentId: segment.id }
    }
    case 'opt_in':
    case 'opt_out': {
      const topic = await repositories.topics.find(teamId, given(topicId, 'topic_id'))
      if (!topic) throw invalid('The `act.topic_id` field is not the id of one of your topics.')
      return { type, topicId: topic.id }
    }
    case 'set_property': {
      const key = given(property, 'property')
      const [number] = Object.keys(valuesByNumber({ [key]: value }, await repositories.contactProperties.all(teamId), 'act.property'))
      return { type, number: Number(number), key, value }
    }
    default:
      return { type }
  }
}

const FIELDS_OF_ACTS: Partial<Record<ContactJobAct['type'], string[]>> = {
  add_to_segment: ['segment_id'],
  remove_from_segment: ['segment_id'],
  opt_in: ['topic_id'],
  opt_out: ['topic_id'],
  set_property: ['property', 'value'],
}

function given(value: string | null | undefined, field: string): string {
  if (value == null) throw invalid(`Missing \`act.${field}\` field.`)
  return value
}

const SUBSCRIBES_NAMED =
  'The act `subscribe` is only for contacts that `contacts.ids` names, because a person who unsubscribed is not subscribed again as one of many.'
const TOO_MANY_WAIT = `Your team has ${CONTACT_JOBS_WAITING_MAX} contact jobs that have not ended. Wait for some of them, or cancel them.`
