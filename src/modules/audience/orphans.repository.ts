// What is left of a deleted segment, topic or property; in SQL, because values are removed and rows are found a batch at a time. For workers.

import type { Database } from '../../db/database.ts'
import {
  addJob,
  FIND_LEFTOVERS,
  REMOVE_MEMBERS,
  REMOVE_PROPERTY_VALUES,
  type RemoveMembersPayload,
  type RemoveValuesPayload,
} from '../../db/jobs/jobs.ts'

export function orphanRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Deleted segments and topics that still have members or choices. */
    async findMembersAcrossTeams(): Promise<RemoveMembersPayload[]> {
      return [...(await execute<{ segmentId: string }>(SEGMENTS_GONE)), ...(await execute<{ topicId: string }>(TOPICS_GONE))]
    },

    /**
     * Deleted properties that the next contacts, in the order of ids, still have values for.
     *
     * @returns also where to continue, null at the end
     */
    async findValuesAcrossTeams({
      after,
      contactsMax,
    }: {
      after: string
      contactsMax: number
    }): Promise<{ last: string | null; gone: RemoveValuesPayload[] }> {
      const [step] = await execute<{ last: string | null; gone: RemoveValuesPayload[] }>(VALUES_GONE, [after, contactsMax])
      return step ?? { last: null, gone: [] }
    },

    /**
     * Removes values of a deleted property from the next contacts, in the order of ids. Locked contacts are skipped, because waiting for one
     * while holding others could block both forever.
     *
     * @returns where to continue, null at the end; and how many contacts were skipped
     */
    async removeValues(
      teamId: string,
      number: number,
      { after, contactsMax }: { after: string; contactsMax: number },
    ): Promise<{ last: string | null; passedOver: number }> {
      const [step] = await execute<{ last: string | null; passedOver: number }>(REMOVE_VALUES, [teamId, String(number), after, contactsMax])
      return step ?? { last: null, passedOver: 0 }
    },

    /** Replaces a removal that was enqueued before and has not ended. */
    async enqueueRemovals(members: RemoveMembersPayload[], values: RemoveValuesPayload[]): Promise<void> {
      for (const payload of members)
        await addJob(execute, REMOVE_MEMBERS, payload, null, keyOf('segmentId' in payload ? payload.segmentId : payload.topicId))
      for (const payload of values) await addJob(execute, REMOVE_PROPERTY_VALUES, payload, null, keyOf(payload.number))
    },
  }
}

const keyOf = (owner: string | number): string => `${FIND_LEFTOVERS}/${owner}`

/** Each id that a table names, by one probe of its index. PostgreSQL would read all rows to find the few ids. */
const idsIn = (table: string, column: string): string => `
(with recursive named as (
  (select ${column} as id from ${table} order by ${column} limit 1)
  union all
  select (select next.${column} from ${table} next where next.${column} > named.id order by next.${column} limit 1) from named where named.id is not null
) select id from named where id is not null)`

const SEGMENTS_GONE = `
select id as "segmentId" from ${idsIn('contact_segments', 'segment_id')} n where not exists (select from segments s where s.id = n.id)`

const TOPICS_GONE = `
select id as "topicId" from (${idsIn('contact_topics', 'topic_id')} union ${idsIn('topic_opt_outs', 'topic_id')}) n
where not exists (select from topics t where t.id = n.id)`

const VALUES_GONE = `
with batch as (
  select id, team_id, properties from contacts where id > $1 order by id limit $2
), named as (
  select distinct b.team_id, k.number from batch b cross join lateral jsonb_object_keys(b.properties) k(number)
)
select (select id from batch order by id desc limit 1) as last,
  (select coalesce(json_agg(json_build_object('teamId', n.team_id, 'number', n.number::int)), '[]') from named n
    where not exists (select from contact_properties p where p.number = n.number::int)) as gone`

const REMOVE_VALUES = `
with batch as (
  select id, properties ? $2::text as has from contacts where team_id = $1 and id > $3 order by id limit $4
), held as (
  select c.id from contacts c join batch b on b.id = c.id where b.has order by c.id for update of c skip locked
), changed as (
  update contacts c set properties = c.properties - $2::text from held h where c.id = h.id
)
select (select id from batch order by id desc limit 1) as last,
  ((select count(*) from batch where has) - (select count(*) from held))::int as "passedOver"`
