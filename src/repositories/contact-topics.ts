// What contacts want of topics. Every writer holds the contact's row, so that what a contact chose and what is remembered of its address agree.
import type { Clock } from '../lib/clock.ts'
import type { PageRequest } from '../lib/page-request.ts'
import type { Subscription } from '../schemas/notifications.ts'
import { checkAudienceReferences, type ReferenceProblem } from './audience-references.ts'
import { type ContactRow, contactColumns, tellOfContact, tellOfTopics } from './contact-notifications.ts'
import { type ContactReference, lockContact } from './contacts.ts'
import type { Database, Execute } from './database.ts'
import { forgetOptOut, forgetTopicOptOuts, lockOptOuts, rememberOptOuts, rememberTopicOptOuts } from './opt-outs.ts'
import { boundOf, type Page, readPage } from './page.ts'

/** What a contact wants, or shall want, of a topic. */
export type TopicChoice = { id: string; subscription: Subscription }

export type ContactTopicRow = {
  id: string
  name: string
  description: string | null
  visibility: 'public' | 'private'
  /** What holds: the contact's own choice, else the default of the topic. */
  subscription: Subscription
  /** When the contact chose; null: the default holds. */
  chosenAt: Date | null
}

/** What a person decides; what is not in it stays as it is. */
export type Decision = { unsubscribed?: boolean; topics: TopicChoice[] }

export function contactTopicRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>, { clock }: { clock: Clock }) {
  return {
    /** Every topic of the team, newest first, as it is for a contact of that team. */
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

    /** Here a person can be subscribed again: the caller has named this very contact. All topics are set or none. Null: there is no such contact. */
    async set(
      teamId: string,
      reference: ContactReference,
      topics: TopicChoice[],
    ): Promise<{ id: string; email: string; topics: TopicChoice[] } | ReferenceProblem | null> {
      return transaction(async (inside) => {
        const contact = await lockContact(inside, teamId, reference)
        if (!contact) return null
        const problem = await checkAudienceReferences(inside, teamId, { segmentIds: [], topics })
        if (problem) return problem
        const chosen = await choose(inside, teamId, { contact, topics, now: clock.now() })
        return { id: contact.id, email: contact.email, topics: chosen }
      })
    },

    /**
     * What the person behind an address decided, in one piece. Topics that are gone are passed over: they keep nobody from deciding the rest.
     * Null: the address is no contact, so that nobody can be subscribed; that somebody leaves is remembered for when the address comes back.
     */
    async decide(teamId: string, addressHash: string, { unsubscribed, topics }: Decision): Promise<ContactRow | null> {
      return transaction(async (inside) => {
        const now = clock.now()
        const contact = await lockAddress(inside, teamId, addressHash)
        const known = await lockTopics(inside, teamId, topics)
        if (!contact) {
          if (unsubscribed) await rememberOptOuts(inside, teamId, [addressHash], now)
          await rememberTopicOptOuts(inside, teamId, { addressHashes: [addressHash], topicIds: idsOf(known, 'opt_out'), now })
          return null
        }
        await choose(inside, teamId, { contact, topics: known, now })
        return unsubscribed === undefined ? contact : setUnsubscribed(inside, teamId, { contact, unsubscribed, now })
      })
    },
  }
}

/** The contact that has this address. Null: there is none, nor can one come before the transaction ends. */
async function lockAddress(execute: Execute, teamId: string, addressHash: string): Promise<ContactRow | null> {
  const contact = await lockContact(execute, teamId, { addressHash })
  if (contact) return contact
  await lockOptOuts(execute, teamId)
  return lockContact(execute, teamId, { addressHash })
}

const idsOf = (topics: TopicChoice[], wanted: Subscription): string[] =>
  topics.filter(({ subscription }) => subscription === wanted).map(({ id }) => id)

/** Of topics called `t` and the choices `ct` of one contact. */
const EFFECTIVE = 'coalesce(ct.subscription, t.default_subscription)'

/** Those that are topics of the team, and stay so until the transaction ends. */
async function lockTopics(execute: Execute, teamId: string, topics: TopicChoice[]): Promise<TopicChoice[]> {
  if (topics.length === 0) return []
  const rows = await execute<{ id: string }>(
    'select id from topics where team_id = $1 and id = any($2::uuid[]) order by id for key share',
    [teamId, topics.map(({ id }) => id)],
  )
  const found = new Set(rows.map(({ id }) => id))
  return topics.filter(({ id }) => found.has(id.toLowerCase()))
}

type Choosing = { contact: ContactRow; topics: TopicChoice[]; now: Date }

/** Writes choices of a locked contact for locked topics, and tells which of them changed anything. Of a topic that is named twice the last word counts. */
async function choose(execute: Execute, teamId: string, { contact, topics, now }: Choosing): Promise<TopicChoice[]> {
  const subscriptions = new Map(topics.map(({ id, subscription }) => [id.toLowerCase(), subscription]))
  const chosen = [...subscriptions].map(([id, subscription]) => ({ id, subscription }))
  if (chosen.length === 0) return []
  const changed = await execute<TopicChoice>(CHOOSE, [teamId, contact.id, JSON.stringify(chosen), now])
  const { addressHash } = contact
  await rememberTopicOptOuts(execute, teamId, { addressHashes: [addressHash], topicIds: idsOf(chosen, 'opt_out'), now })
  await forgetTopicOptOuts(execute, teamId, addressHash, idsOf(chosen, 'opt_in'))
  await tellOfTopics(execute, { teamId, contact, topics: changed, now })
  return chosen
}

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

type Unsubscribing = { contact: ContactRow; unsubscribed: boolean; now: Date }

async function setUnsubscribed(execute: Execute, teamId: string, { contact, unsubscribed, now }: Unsubscribing): Promise<ContactRow> {
  if (unsubscribed) await rememberOptOuts(execute, teamId, [contact.addressHash], now)
  else await forgetOptOut(execute, teamId, contact.addressHash)
  if (unsubscribed === contact.unsubscribed) return contact
  const [changed] = await execute<ContactRow>(
    `update contacts c set unsubscribed = $3, updated_at = $4 where c.team_id = $1 and c.id = $2 returning ${contactColumns}`,
    [teamId, contact.id, unsubscribed, now],
  )
  if (!changed) throw new Error('A locked contact was not changed')
  await tellOfContact(execute, 'contact.updated', { teamId, contact: changed, now })
  return changed
}
