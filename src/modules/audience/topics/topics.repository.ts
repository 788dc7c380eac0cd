import { oneOf } from '../../../db/columns.ts'
import type { Database, Execute } from '../../../db/database.ts'
import { addJob, REMOVE_MEMBERS } from '../../../db/jobs/jobs.ts'
import { append } from '../../../db/outbox.ts'
import { readPage } from '../../../db/page.ts'
import type { RecordUses } from '../../../db/record-uses.ts'
import { lockRow, lockTeamWithin } from '../../../db/transactions.ts'
import { useFormIfAny } from '../../../db/used-forms.ts'
import type { Prisma } from '../../../generated/prisma/client.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createId } from '../../../lib/ids.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import { quoted, type Removal, usesIn } from '../../../lib/uses.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import { SUBSCRIPTIONS, type Subscription } from '../audience-fields.ts'
import { filterThatNames } from '../references.repository.ts'
import { TOPIC_LIMIT, TOPIC_VISIBILITIES, type TopicNotificationType, type TopicVisibility } from './topics.schema.ts'

export type TopicRow = {
  id: string
  name: string
  description: string | null
  /** Applies to contacts who have not chosen. */
  defaultSubscription: Subscription
  visibility: TopicVisibility
  createdAt: Date
  updatedAt: Date
}

export type NewTopic = Pick<TopicRow, 'name' | 'description' | 'defaultSubscription' | 'visibility'>

/** Absent fields stay as they are. */
export type TopicChange = Partial<Pick<TopicRow, 'name' | 'description' | 'visibility'>>

const select = {
  id: true,
  name: true,
  description: true,
  defaultSubscription: true,
  visibility: true,
  createdAt: true,
  updatedAt: true,
} as const

const toRow = (row: Prisma.TopicGetPayload<{ select: typeof select }>): TopicRow => ({
  ...row,
  defaultSubscription: oneOf(SUBSCRIPTIONS, row.defaultSubscription),
  visibility: oneOf(TOPIC_VISIBILITIES, row.visibility),
})

export function topicRepository(
  { tables, records }: Pick<Database, 'tables' | 'records'>,
  { clock, recordUses }: { clock: Clock; recordUses: RecordUses },
) {
  return {
    async find(teamId: string, id: string): Promise<TopicRow | null> {
      const row = await tables.topic.findFirst({ where: { teamId, id }, select })
      return row && toRow(row)
    },

    /** Which of these ids are topics of the team, in lower case. */
    async known(teamId: string, ids: string[]): Promise<Set<string>> {
      const rows = await tables.topic.findMany({ where: { teamId, id: { in: ids } }, select: { id: true } })
      return new Set(rows.map(({ id }) => id))
    },

    list(teamId: string, request: PageRequest): Promise<Page<TopicRow>> {
      return readPage(request, async ({ where, ...rest }) =>
        (await tables.topic.findMany({ where: { teamId, ...where }, select, ...rest })).map(toRow),
      )
    },

    /** @throws Failure if the team has as many as it may have; FormUsed */
    async create(teamId: string, topic: NewTopic, formId?: string): Promise<{ id: string }> {
      return records(async ({ tables: inside, execute }) => {
        await lockTeamWithin(execute, teamId, { limit: TOPIC_LIMIT, count: () => inside.topic.count({ where: { teamId } }) })
        const now = clock.now()
        await useFormIfAny({ tables: inside }, { id: formId, teamId, usedAt: now })
        const { name, description, defaultSubscription, visibility } = topic
        const data = { id: createId(clock), teamId, name, description, defaultSubscription, visibility, createdAt: now, updatedAt: now }
        const created = await inside.topic.create({ data, select })
        await appendTopicNotification(execute, 'topic.created', { teamId, topic: toRow(created), now })
        return { id: created.id }
      })
    },

    /** Null if the team has no such topic. */
    async updateTopic(teamId: string, id: string, { name, description, visibility }: TopicChange): Promise<{ id: string } | null> {
      return records(async ({ tables: inside, execute }) => {
        const now = clock.now()
        // Named one by one, because a value from a request may have more fields than its type says.
        const data = {
          ...(name !== undefined && { name }),
          ...(description !== undefined && { description }),
          ...(visibility !== undefined && { visibility }),
          updatedAt: now,
        }
        const [changed] = await inside.topic.updateManyAndReturn({ where: { teamId, id }, data, select })
        if (!changed) return null
        await appendTopicNotification(execute, 'topic.updated', { teamId, topic: toRow(changed), now })
        return { id: changed.id }
      })
    },

    /** Choices are hidden with it, and a job removes them. `usedByFilterOf`: the filter of that segment uses it. */
    async deleteTopic(teamId: string, id: string, { unlessUsed = false } = {}): Promise<Removal | { usedByFilterOf: string } | null> {
      return records(async ({ tables: inside, execute }) => {
        const locked = await lockRow(execute, 'topics', teamId, id)
        if (!locked) return null
        const user = await filterThatNames(inside, teamId, locked.id)
        if (user) return { usedByFilterOf: user.usedBy }
        const uses = await recordUses.ofTopic(execute, teamId, locked.id)
        if (unlessUsed && uses.length > 0) return { usedBy: usesIn(uses) }
        const topic = await inside.topic.delete({ where: { teamId, id: locked.id }, select })
        const now = clock.now()
        await appendTopicNotification(execute, 'topic.deleted', { teamId, topic: toRow(topic), now })
        await addJob(execute, REMOVE_MEMBERS, { topicId: topic.id })
        const automation = `The topic ${quoted(topic.name)}, of which it sends mail, was deleted.`
        await recordUses.end(execute, teamId, { uses, reasons: { automation, broadcast: TOPIC_DELETED }, now })
        return { id: topic.id, ended: usesIn(uses) }
      })
    },
  }
}

/** Said of a broadcast that was scheduled. */
const TOPIC_DELETED =
  'Its topic was deleted before the scheduled time, so it is a draft again. Choose another topic, and schedule it again.'

/** Records the state of a topic after a change, or before it was deleted. */
async function appendTopicNotification(
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
