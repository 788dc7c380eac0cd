// What a job does with a batch of contacts, each as the operation on one contact does it; in SQL, because each statement writes thousands of rows. The
// contacts are locked, and whatever was locked before them stands in references.repository.ts.
import type { Execute } from '../../../db/database.ts'
import { append } from '../../../db/outbox.ts'
import { createId } from '../../../lib/ids.ts'
import { assertNever } from '../../../lib/problem.ts'
import { removeSuppressions, SUPPRESSION_OF_CONTACT } from '../../suppressions/suppression-changes.repository.ts'
import { appendChanges, type ContactRow, contactColumns } from '../contacts/contact-rows.repository.ts'
import { deleteContactRows, type ForgetContacts } from '../contacts/contacts.repository.ts'
import { SEGMENTS_PER_CONTACT_MAX } from '../contacts/contacts.schema.ts'
import { bigramsOf } from '../contacts/merge-contacts.repository.ts'
import { lockOptOutsShared, rememberOptOuts, rememberTopicOptOuts } from '../contacts/opt-outs.repository.ts'
import { lockPropertiesShared, lockSegmentsShared, lockTopicsShared } from '../references.repository.ts'
import type { JobRefusalReason } from './contact-jobs.schema.ts'

/** `number`: of the property. */
export type StoredAct =
  | { type: 'add_to_segment' | 'remove_from_segment'; segmentId: string }
  | { type: 'opt_in' | 'opt_out'; topicId: string }
  | { type: 'set_property'; number: number; key: string; value: string | number | null }
  | { type: 'unsubscribe' | 'subscribe' | 'unsuppress' | 'delete' }

export type JobRefusal = { id: string; reason: JobRefusalReason }

/** What became of the contacts of a batch that the team still has: those that are neither changed nor refused were already so. */
export type ActOutcome = { found: string[]; changed: number; refused: JobRefusal[] }

type Acting = {
  teamId: string
  ids: string[]
  act: StoredAct
  /** Whether the client has named each of these contacts: only then is someone subscribed again. */
  isNamed: boolean
  now: Date
}

/** `gone`: the segment, topic or property of the act was deleted, or the segment has a filter now. */
export async function actOnContacts(
  inside: Execute,
  acting: Acting,
  { forgetContacts }: { forgetContacts: ForgetContacts },
): Promise<ActOutcome | 'gone'> {
  const { teamId, act, ids, now } = acting
  if (!(await lockNamed(inside, teamId, act))) return 'gone'
  if (isAboutOptOuts(act)) await lockOptOutsShared(inside, teamId)
  const contacts = await inside<ContactRow>(LOCK, [teamId, ids])
  const found = contacts.map(({ id }) => id)
  const outcome = (changed: number, refused: JobRefusal[] = []): ActOutcome => ({ found, changed, refused })
  const held = { ...acting, contacts, ids: found }
  switch (act.type) {
    case 'add_to_segment': {
      const { added, refused } = await addToSegment(inside, held, act.segmentId)
      return outcome(added, refused)
    }
    case 'remove_from_segment':
      return outcome(await changeContacts(inside, held, await idsFrom(inside, LEAVE, [act.segmentId, found])))
    case 'opt_in':
    case 'opt_out': {
      const { changed, refused } = await chooseTopic(inside, held, act)
      return outcome(changed, refused)
    }
    case 'unsubscribe': {
      await rememberOptOuts(inside, teamId, contacts.map(hashOf), now)
      return outcome(await changeContacts(inside, held, await idsFrom(inside, SET_UNSUBSCRIBED, [teamId, found, true])))
    }
    case 'subscribe': {
      const { changed, refused } = await subscribeAgain(inside, held)
      return outcome(changed, refused)
    }
    case 'set_property':
      return outcome(await changeContacts(inside, held, await setProperty(inside, held, act)))
    case 'unsuppress':
      return outcome((await removeSuppressions(inside, teamId, { emails: contacts.map(({ email }) => email) }, now)).length)
    case 'delete':
      if (contacts.length > 0) await deleteContactRows(inside, teamId, { contacts, forgetContacts, now })
      return outcome(contacts.length)
    default:
      return assertNever(act)
  }
}

type Held = Acting & { contacts: ContactRow[] }

/** What the act names stays until the transaction ends. False if the team no longer has it. */
async function lockNamed(inside: Execute, teamId: string, act: StoredAct): Promise<boolean> {
  if ('segmentId' in act) return (await lockSegmentsShared(inside, teamId, [act.segmentId])).get(act.segmentId)?.hasFilter === false
  if ('topicId' in act) return (await lockTopicsShared(inside, teamId, [act.topicId])).has(act.topicId)
  if ('number' in act) return (await lockPropertiesShared(inside, teamId, [act.number])).has(act.number)
  return true
}

const isAboutOptOuts = ({ type }: StoredAct): boolean => ['unsubscribe', 'subscribe', 'opt_in', 'opt_out'].includes(type)

const hashOf = ({ addressHash }: ContactRow): string => addressHash

const LOCK = `select ${contactColumns} from contacts c where c.team_id = $1 and c.id = any($2::uuid[]) order by c.email for update`

const idsFrom = async (inside: Execute, sql: string, values: unknown[]): Promise<string[]> =>
  (await inside<{ id: string }>(sql, values)).map(({ id }) => id)

/** Contacts that an act has changed: as they are now, in their notifications too. Returns how many. */
async function changeContacts(inside: Execute, { teamId, now }: Held, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0
  const changed = await inside<ContactRow>(TOUCH, [teamId, ids, now])
  await appendChanges(inside, 'contact.updated', { teamId, contacts: changed, now })
  return changed.length
}

const TOUCH = `update contacts c set updated_at = $3 where c.team_id = $1 and c.id = any($2::uuid[]) returning ${contactColumns}`

async function addToSegment(inside: Execute, held: Held, segmentId: string): Promise<{ added: number; refused: JobRefusal[] }> {
  const full = await idsFrom(inside, FULL, [held.ids, held.teamId, segmentId, SEGMENTS_PER_CONTACT_MAX])
  const joining = held.ids.filter((id) => !full.includes(id))
  const joined = await idsFrom(inside, JOIN, [segmentId, joining, held.now])
  return { added: await changeContacts(inside, held, joined), refused: refusing(full, 'too_many_segments') }
}

const refusing = (ids: string[], reason: JobRefusalReason): JobRefusal[] => ids.map((id) => ({ id, reason }))

const FULL = `
select m.contact_id as id from contact_segments m join segments s on s.id = m.segment_id and s.team_id = $2
 where m.contact_id = any($1::uuid[]) group by m.contact_id
having count(*) >= $4 and not bool_or(m.segment_id = $3)`

const JOIN = `
insert into contact_segments (segment_id, contact_id, created_at) select $1, c, $3 from unnest($2::uuid[]) as c order by c
on conflict do nothing returning contact_id as id`

const LEAVE = 'delete from contact_segments where segment_id = $1 and contact_id = any($2::uuid[]) returning contact_id as id'

const SET_UNSUBSCRIBED =
  'update contacts set unsubscribed = $3 where team_id = $1 and id = any($2::uuid[]) and unsubscribed <> $3 returning id'

/** A complaint or the team stops mail to some of them: they are subscribed again only after that. */
async function subscribeAgain(inside: Execute, held: Held): Promise<{ changed: number; refused: JobRefusal[] }> {
  const { teamId, contacts } = held
  const stopped = await idsFrom(inside, STOPPED, [teamId, held.ids])
  const free = contacts.filter(({ id }) => !stopped.includes(id))
  await inside('delete from opt_outs where team_id = $1 and address_hash = any($2::text[])', [teamId, free.map(hashOf)])
  const ids = await idsFrom(inside, SET_UNSUBSCRIBED, [teamId, free.map(({ id }) => id), false])
  return { changed: await changeContacts(inside, held, ids), refused: refusing(stopped, 'suppressed') }
}

const STOPPED = `select c.id from contacts c where c.team_id = $1 and c.id = any($2::uuid[]) and ${SUPPRESSION_OF_CONTACT} <> 'bounce'`

type Choice = { type: 'opt_in' | 'opt_out'; topicId: string }

/** Contacts who opted out stay opted out, unless the client has named them. */
async function chooseTopic(inside: Execute, held: Held, { type, topicId }: Choice): Promise<{ changed: number; refused: JobRefusal[] }> {
  const { teamId, contacts, isNamed, now } = held
  const staying = type === 'opt_in' && !isNamed ? await idsFrom(inside, OPTED_OUT, [topicId, held.ids]) : []
  const choosing = contacts.filter(({ id }) => !staying.includes(id))
  const ids = choosing.map(({ id }) => id)
  const changed = new Set(await idsFrom(inside, OTHERWISE, [teamId, topicId, ids, type]))
  await inside(CHOOSE, [topicId, ids, type, now])
  const hashes = choosing.map(hashOf)
  if (type === 'opt_out') await rememberTopicOptOuts(inside, teamId, { addressHashes: hashes, topicIds: [topicId], now })
  else await inside(FORGET_TOPIC_OPT_OUTS, [teamId, hashes, topicId])
  const notifications = choosing
    .filter(({ id }) => changed.has(id))
    .map(({ id, email }) => {
      const data = { email, topics: [{ id: topicId, subscription: type }] }
      return { id: createId(), teamId, type: 'contact.topics.updated' as const, subjectId: id, data }
    })
  await append(inside, notifications, now)
  return { changed: changed.size, refused: refusing(staying, 'opted_out') }
}

const OPTED_OUT =
  "select contact_id as id from contact_topics where topic_id = $1 and contact_id = any($2::uuid[]) and subscription = 'opt_out'"

/** Contacts for whom the topic is otherwise now, by their choice or by its default. */
const OTHERWISE = `
select c.id from unnest($3::uuid[]) as c(id) join topics t on t.team_id = $1 and t.id = $2
  left join contact_topics ct on ct.topic_id = t.id and ct.contact_id = c.id
 where coalesce(ct.subscription, t.default_subscription) <> $4`

const CHOOSE = `
insert into contact_topics as ct (topic_id, contact_id, subscription, updated_at)
select $1, c, $3, $4 from unnest($2::uuid[]) as c order by c
on conflict (topic_id, contact_id) do update set subscription = excluded.subscription, updated_at = excluded.updated_at
  where ct.subscription <> excluded.subscription`

const FORGET_TOPIC_OPT_OUTS = 'delete from topic_opt_outs where team_id = $1 and address_hash = any($2::text[]) and topic_id = $3'

type PropertyAct = Extract<StoredAct, { type: 'set_property' }>

function setProperty(inside: Execute, { teamId, ids }: Held, { number, value }: PropertyAct): Promise<string[]> {
  const key = String(number)
  if (value === null) return idsFrom(inside, REMOVE_VALUE, [teamId, ids, key])
  const pairs = bigramsOf({ firstName: null, lastName: null, properties: { [key]: value } })
  return idsFrom(inside, SET_VALUE, [teamId, ids, key, JSON.stringify(value), pairs])
}

const REMOVE_VALUE =
  'update contacts set properties = properties - $3::text where team_id = $1 and id = any($2::uuid[]) and properties ? $3 returning id'

// The bits of the former value stay, because they only say where to look.
const SET_VALUE = `
update contacts set properties = properties || jsonb_build_object($3::text, $4::jsonb), letter_pairs = letter_pairs | $5::bigint
 where team_id = $1 and id = any($2::uuid[]) and (properties -> $3) is distinct from $4::jsonb returning id`
