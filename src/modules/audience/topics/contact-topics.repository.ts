// The subscriptions of contacts and other addresses to topics; in SQL where topics are joined with choices. Every writer locks the contact's row,
// so that what a contact chose and what is remembered of its address agree.
import type { Database, Execute, RecordTransaction } from '../../../db/database.ts'
import { boundOf, readPage } from '../../../db/page.ts'
import { againAfterDeadlock } from '../../../db/transactions.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import { isStoppedBySuppression } from '../../suppressions/suppression-changes.repository.ts'
import type { Subscription } from '../audience-fields.ts'
import {
  appendContactNotification,
  appendTopicsNotification,
  type ContactReference,
  type ContactRow,
  findContact,
  lockContact,
  updateContact,
} from '../contacts/contact-rows.repository.ts'
import {
  type Decision,
  forgetOptOut,
  forgetTopicOptOuts,
  isDecided,
  isOptedOut,
  lockOptOuts,
  rememberOptOuts,
  rememberTopicOptOuts,
  type TopicChoice,
} from '../contacts/opt-outs.repository.ts'
import { checkAudienceReferences, lockTopicsShared, type ReferenceProblem } from '../references.repository.ts'

// How a choice of topics is written, for a contact and under the address; in SQL, because all topics of a choice are compared and written at once.

/** The ids that are topics of the team. They stay so until the transaction ends. */
export async function lockChosenTopics(execute: Execute, teamId: string, topics: TopicChoice[]): Promise<TopicChoice[]> {
  const found = await lockTopicsShared(
    execute,
    teamId,
    topics.map(({ id }) => id),
  )
  return topics.filter(({ id }) => found.has(id.toLowerCase()))
}

type Choosing = { contact: ContactRow; topics: TopicChoice[]; now: Date }

/**
 * Writes choices of a locked contact for locked topics, and returns which of them changed anything. If a topic is named twice, the last choice
 * counts.
 */
export async function choose(record: RecordTransaction, teamId: string, { contact, topics, now }: Choosing): Promise<TopicChoice[]> {
  const subscriptions = new Map(topics.map(({ id, subscription }) => [id.toLowerCase(), subscription]))
  const chosen = [...subscriptions].map(([id, subscription]) => ({ id, subscription }))
  if (chosen.length === 0) return []
  const changed = await record.execute<TopicChoice>(CHOOSE, [teamId, contact.id, JSON.stringify(chosen), now])
  await rememberChoices(record, teamId, { addressHash: contact.addressHash, topics: chosen, now })
  await appendTopicsNotification(record.execute, { teamId, contact, topics: changed, now })
  return chosen
}

type Remembering = { addressHash: string; topics: TopicChoice[]; now: Date }

export async function rememberChoices(
  { tables, execute }: RecordTransaction,
  teamId: string,
  { addressHash, topics, now }: Remembering,
): Promise<void> {
  await rememberTopicOptOuts(execute, teamId, { addressHashes: [addressHash], topicIds: idsOf(topics, 'opt_out'), now })
  await forgetTopicOptOuts(tables, teamId, addressHash, idsOf(topics, 'opt_in'))
}

const idsOf = (topics: TopicChoice[], wanted: Subscription): string[] =>
  topics.filter(({ subscription }) => subscription === wanted).map(({ id }) => id)

/** An expression over topics `t` and the choices `ct` of one contact. */
export const EFFECTIVE = 'coalesce(ct.subscription, t.default_subscription)'

const CHOOSE = `
with given as (
  select * from json_to_recordset($3::json) as g(id uuid, subscription text)
), written as (
  insert into contact_topics as ct (topic_id, contact_id, subscription, updated_at)
  select id, $2, subscription, $4 from given order by id
  on conflict (topic_id, contact_id) do update set subscription = excluded.subscription, updated_at = excluded.updated_at
    where ct.subscription <> excluded.subscription
)
select g.id, g.subscription from given g
  join topics t on t.id = g.id and t.team_id = $1
  left join contact_topics ct on ct.topic_id = t.id and ct.contact_id = $2
 where ${EFFECTIVE} <> g.subscription order by g.id`

export type ContactTopicRow = {
  id: string
  name: string
  description: string | null
  visibility: 'public' | 'private'
  /** The effective subscription: the contact's own choice, or else the default of the topic. */
  subscription: Subscription
  /** When the contact chose; null if the default applies. */
  chosenAt: Date | null
}

export type AddressTopicRow = Pick<ContactTopicRow, 'id' | 'name' | 'description' | 'visibility' | 'subscription'> & {
  /** False if the topic is only for contacts that opt in, and the address is not a contact. */
  isAvailable: boolean
}

/** The effective subscriptions of an address. */
export type AddressRow = {
  /** Null if the address is not a contact, so that only its hash is known. */
  email: string | null
  unsubscribed: boolean
  /** True after a complaint or an act of the team. Only the team lifts it. A bounce says nothing of what the person wants. */
  isSuppressed: boolean
  /** Every topic of the team, in no order. */
  topics: AddressTopicRow[]
}

export function contactTopicRepository(
  { tables, execute, records }: Pick<Database, 'tables' | 'execute' | 'records'>,
  { clock }: { clock: Clock },
) {
  return {
    /** Every topic of the team, newest first, with the subscription of a contact of that team. */
    list(teamId: string, contactId: string, request: PageRequest): Promise<Page<ContactTopicRow>> {
      return readPage(request, (keyset) => {
        const { orderBy, take } = keyset
        return execute<ContactTopicRow>(
          `select t.id, t.name, t.description, t.visibility, ${EFFECTIVE} as subscription, ct.updated_at as "chosenAt"
             from topics t left join contact_topics ct on ct.topic_id = t.id and ct.contact_id = $2
            where t.team_id = $1 and ($3::uuid is null or t.id ${orderBy.id === 'desc' ? '<' : '>'} $3) order by t.id ${orderBy.id} limit $4`,
          [teamId, contactId, boundOf(keyset), take],
        )
      })
    },

    /** Can subscribe a person again, because the caller has named this contact. Sets all topics or none. Null if there is no such contact. */
    async set(
      teamId: string,
      reference: ContactReference,
      topics: TopicChoice[],
    ): Promise<{ id: string; email: string; topics: TopicChoice[] } | ReferenceProblem | null> {
      const attempt = () =>
        records(async (record) => {
          const problem = await checkAudienceReferences(record.execute, teamId, { segmentIds: [], topics })
          const contact = await lockContact(record.execute, teamId, reference)
          if (!contact) return null
          if (problem) return problem
          const chosen = await choose(record, teamId, { contact, topics, now: clock.now() })
          return { id: contact.id, email: contact.email, topics: chosen }
        })
      return againAfterDeadlock(attempt)
    },

    /** As delivery decides it (topic-refusals.repository.ts). */
    async ofAddress(teamId: string, addressHash: string): Promise<AddressRow> {
      const contact = await findContact(tables, teamId, { addressHash })
      const topics = await execute<AddressTopicRow>(TOPICS_OF_ADDRESS, [teamId, addressHash])
      return {
        email: contact?.email ?? null,
        unsubscribed: contact?.unsubscribed || (await isOptedOut(tables, teamId, addressHash)),
        isSuppressed: contact !== null && (await isStoppedBySuppression(execute, teamId, contact.email)),
        topics,
      }
    },

    /**
     * Records what the person at an address decided, in one piece. It never lifts a suppression: anyone who has
     * the mail has the link. Deleted topics are skipped, so that they do not prevent the other decisions.
     * Null if the address is not a contact. Its decisions are remembered nevertheless, except a subscription to a topic that one must opt in to,
     * which needs a contact.
     */
    async decide(teamId: string, addressHash: string, decision: Decision): Promise<ContactRow | null> {
      if (await isDecided(execute, teamId, addressHash, decision)) return findContact(tables, teamId, { addressHash })
      const attempt = () =>
        records(async (record) => {
          const { tables: inside, execute: executeInside } = record
          const now = clock.now()
          const { unsubscribed } = decision
          const topics = await lockChosenTopics(executeInside, teamId, decision.topics)
          const contact = await lockAddress(executeInside, teamId, addressHash)
          if (unsubscribed === true) await rememberOptOuts(executeInside, teamId, [addressHash], now)
          if (unsubscribed === false) await forgetOptOut(inside, teamId, addressHash)
          if (!contact) {
            await rememberChoices(record, teamId, { addressHash, topics, now })
            return null
          }
          await choose(record, teamId, { contact, topics, now })
          return unsubscribed === undefined ? contact : setUnsubscribed(record, teamId, { contact, unsubscribed, now })
        })
      return againAfterDeadlock(attempt)
    },
  }
}

/** The contact that has this address. Null if there is none, and then none can be created before the transaction ends. */
async function lockAddress(execute: Execute, teamId: string, addressHash: string): Promise<ContactRow | null> {
  const contact = await lockContact(execute, teamId, { addressHash })
  if (contact) return contact
  await lockOptOuts(execute, teamId)
  return lockContact(execute, teamId, { addressHash })
}

type Unsubscribing = { contact: ContactRow; unsubscribed: boolean; now: Date }

async function setUnsubscribed(
  { tables, execute }: RecordTransaction,
  teamId: string,
  { contact, unsubscribed, now }: Unsubscribing,
): Promise<ContactRow> {
  if (unsubscribed === contact.unsubscribed) return contact
  const changed = await updateContact(tables, teamId, contact.id, { unsubscribed, updatedAt: now })
  await appendContactNotification(execute, 'contact.updated', { teamId, contact: changed, now })
  return changed
}

const TOPICS_OF_ADDRESS = `
select t.id, t.name, t.description, t.visibility, case when o.topic_id is null then ${EFFECTIVE} else 'opt_out' end as subscription,
       c.id is not null or t.default_subscription = 'opt_in' as "isAvailable"
  from topics t
  left join contacts c on c.team_id = t.team_id and c.address_hash = $2
  left join contact_topics ct on ct.topic_id = t.id and ct.contact_id = c.id
  left join topic_opt_outs o on o.team_id = t.team_id and o.address_hash = $2 and o.topic_id = t.id
 where t.team_id = $1`
