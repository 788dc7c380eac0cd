import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import { REMOVE_MEMBERS } from '../../schemas/jobs.ts'
import type { Subscription } from '../../schemas/notifications.ts'
import type { TopicNotificationType } from '../../schemas/topics.ts'
import { filterThatNames } from '../contacts/audience-references.ts'
import type { Database, Execute } from '../database.ts'
import { addJob } from '../jobs.ts'
import { lockTeam } from '../locks.ts'
import { append } from '../notifications.ts'
import { type Page, readPage } from '../page.ts'

export type TopicVisibility = 'public' | 'private'

export type TopicRow = {
  id: string
  name: string
  description: string | null
  /** What holds for who has not chosen. */
  defaultSubscription: Subscription
  visibility: TopicVisibility
  createdAt: Date
  updatedAt: Date
}

export type NewTopic = Pick<TopicRow, 'name' | 'description' | 'defaultSubscription' | 'visibility'>

/** What is not in it stays as it is. */
export type TopicChange = Partial<Pick<TopicRow, 'name' | 'description' | 'visibility'>>

const columns =
  'id, name, description, default_subscription as "defaultSubscription", visibility, created_at as "createdAt", updated_at as "updatedAt"'

export function topicRepository(
  { tables, execute, transaction }: Pick<Database, 'tables' | 'execute' | 'transaction'>,
  { clock }: { clock: Clock },
) {
  return {
    async find(teamId: string, id: string): Promise<TopicRow | null> {
      const [row] = await execute<TopicRow>(`select ${columns} from topics where team_id = $1 and id = $2`, [teamId, id])
      return row ?? null
    },

    /** Which of these ids are topics of the team, in lower case. */
    async known(teamId: string, ids: string[]): Promise<Set<string>> {
      const rows = await execute<{ id: string }>('select id from topics where team_id = $1 and id = any($2::uuid[])', [teamId, ids])
      return new Set(rows.map(({ id }) => id))
    },

    list(teamId: string, request: PageRequest): Promise<Page<TopicRow>> {
      return readPage(request, async ({ where, ...rest }) => {
        const rows = await tables.topic.findMany({ where: { teamId, ...where }, ...rest })
        // Written by this file alone, from the type that they are read as.
        return rows as (Omit<(typeof rows)[number], 'defaultSubscription' | 'visibility'> &
          Pick<TopicRow, 'defaultSubscription' | 'visibility'>)[]
      })
    },

    /** `full`: the team has `topicsMax` of them. */
    async create(teamId: string, topic: NewTopic, topicsMax: number): Promise<{ id: string } | 'full'> {
      return transaction(async (inside) => {
        await lockTeam(inside, teamId)
        const [created] = await inside<TopicRow>(
          `insert into topics (id, team_id, name, description, default_subscription, visibility, created_at, updated_at)
           select $1, $2, $3, $4, $5, $6, $7, $7 where (select count(*) from topics where team_id = $2) < $8 returning ${columns}`,
          [createId(clock), teamId, topic.name, topic.description, topic.defaultSubscription, topic.visibility, clock.now(), topicsMax],
        )
        if (!created) return 'full'
        await tellOfTopic(inside, 'topic.created', { teamId, topic: created, now: created.createdAt })
        return { id: created.id }
      })
    },

    /** False when the team has no such topic. */
    async update(teamId: string, id: string, change: TopicChange): Promise<boolean> {
      return transaction(async (inside) => {
        const [changed] = await inside<TopicRow>(
          `update topics set name = coalesce($3, name), description = case when $4::boolean then $5::text else description end,
             visibility = coalesce($6, visibility), updated_at = $7
           where team_id = $1 and id = $2 returning ${columns}`,
          [
            teamId,
            id,
            change.name ?? null,
            change.description !== undefined,
            change.description ?? null,
            change.visibility ?? null,
            clock.now(),
          ],
        )
        if (!changed) return false
        await tellOfTopic(inside, 'topic.updated', { teamId, topic: changed, now: changed.updatedAt })
        return true
      })
    },

    /** What was chosen is out of sight with it; a job removes it. `usedBy`: the filter of that segment names it. */
    async remove(teamId: string, id: string): Promise<'removed' | { usedBy: string } | null> {
      return transaction(async (inside) => {
        const [topic] = await inside<TopicRow>(`select ${columns} from topics where team_id = $1 and id = $2 for update`, [teamId, id])
        if (!topic) return null
        const user = await filterThatNames(inside, teamId, id)
        if (user) return user
        await inside('delete from topics where team_id = $1 and id = $2', [teamId, id])
        await tellOfTopic(inside, 'topic.deleted', { teamId, topic, now: clock.now() })
        await addJob(inside, REMOVE_MEMBERS, { topicId: topic.id })
        return 'removed'
      })
    },
  }
}

/** Tells how a topic is after a change, or was before it was deleted. */
async function tellOfTopic(
  execute: Execute,
  type: TopicNotificationType,
  { teamId, topic, now }: { teamId: string; topic: TopicRow; now: Date },
): Promise<void> {
  const data = {
    id: topic.id,
    name: topic.name,
    description: topic.description,
    default_subscription: topic.defaultSubscription,
    deleted: type === 'topic.deleted',
    created_at: topic.createdAt.toISOString(),
    updated_at: topic.updatedAt.toISOString(),
  }
  await append(execute, [{ id: createId(), teamId, type, subjectId: topic.id, data }], now)
}
