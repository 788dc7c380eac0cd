import { continueAct } from '../../db/acts.ts'
import { oneOf, stored } from '../../db/columns.ts'
import { type Database, type RecordTransaction, statement } from '../../db/database.ts'
import { type AcceptanceResult, acceptOne, findEarlierAnswer, type Idempotency, type KeyedRequest } from '../../db/idempotent-requests.ts'
import { readPage } from '../../db/page.ts'
import { lockRow, lockTeamWithin } from '../../db/transactions.ts'
import { useFormIfAny } from '../../db/used-forms.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { LastChange } from '../../lib/changed-meanwhile.ts'
import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { PropertyOfContacts } from '../../mail/rendering/contact-placeholders.ts'
import { lockSegmentsShared, lockTopicsShared } from '../audience/references.repository.ts'
import { isStillWriting, type Writer } from '../audit/writers.ts'
import { LOOKED_AT_MAX } from '../images/images.schema.ts'
import {
  BROADCAST_MOVES,
  BROADCAST_STATUSES,
  type BroadcastAct,
  type BroadcastStatus,
  type BroadcastWalk,
  statusesFor,
} from './broadcast-states.ts'
import { addBroadcastVersion, changeBroadcastVersion } from './broadcast-versions.repository.ts'
import { BROADCAST_LIMIT } from './broadcasts.schema.ts'
import type { SendingTime } from './sending-time.ts'

/** Each may have 2 MB of text. */
const LOOKED_THROUGH_MAX = 20

const summary = {
  id: true,
  name: true,
  segmentId: true,
  topicId: true,
  status: true,
  statusReason: true,
  endReason: true,
  ratePerHour: true,
  createdAt: true,
  scheduledAt: true,
  timezone: true,
  sentAt: true,
} as const
const written = { ...summary, from: true, subject: true, replyTo: true, previewText: true, html: true, text: true } as const
const whole = { ...written, contentDocument: true, properties: true } as const
const changing = { ...whole, changedBy: true, autosaveBeganAt: true } as const

export type BroadcastSummaryRow = Known<Prisma.BroadcastGetPayload<{ select: typeof summary }>>
export type BroadcastRow = Known<Prisma.BroadcastGetPayload<{ select: typeof written }>> & {
  /** What its placeholders stand for, oldest first; null until its fan-out starts. */
  properties: PropertyOfContacts[] | null
  contentDocument: string | null
}

type Known<Row extends { status: string }> = Omit<Row, 'status'> & { status: BroadcastStatus }

/** What a client writes. It can change until the broadcast is being sent. */
export type BroadcastContent = Pick<
  BroadcastRow,
  'segmentId' | 'topicId' | 'from' | 'subject' | 'replyTo' | 'previewText' | 'html' | 'text' | 'contentDocument' | 'ratePerHour'
> & { contentBytes: number }

/** Who sends it, and when. */
export type BroadcastSending = { apiKeyId: string } & SendingTime

/** `request`: how a repetition of the request that makes it is recognized, and its answer. */
export type NewBroadcast = {
  id?: string
  name: string
  content: BroadcastContent
  sending: BroadcastSending | null
  author: Writer
  request?: Pick<KeyedRequest, 'idempotency' | 'response'>
}

/** Who changes it. `isAutosave`: an editor saves while they write. `restoredFrom`: the version whose content it gets; null if it was written. */
export type Saving = { author: Writer; isAutosave: boolean; restoredFrom: string | null }

/** The status in which an act was refused. */
export type Refused = { refused: BroadcastStatus }

/** What the content names, and the team does not have. */
export type MissingReference = { missing: 'segment' | 'topic' }

const known = <Row extends { status: string }>(row: Row): Known<Row> => ({ ...row, status: oneOf(BROADCAST_STATUSES, row.status) })

const wholeRow = (row: Prisma.BroadcastGetPayload<{ select: typeof whole }>): BroadcastRow => ({
  ...known(row),
  properties: stored<BroadcastRow['properties']>(row.properties),
})

export function broadcastRepository(
  { tables, records, execute }: Pick<Database, 'tables' | 'records' | 'execute'>,
  { clock }: { clock: Clock },
) {
  /** One statement, so that of two acts that come together one is refused. Null if the team has no such broadcast. */
  async function move(
    teamId: string,
    id: string,
    act: BroadcastAct,
    data: Prisma.BroadcastUpdateManyMutationInput,
    { unchanged = {}, inside = tables }: { unchanged?: Prisma.BroadcastWhereInput; inside?: RecordTransaction['tables'] } = {},
  ): Promise<null | 'done' | Refused> {
    for (const from of statusesFor(act)) {
      const to = BROADCAST_MOVES[act][from]
      const { count } = await inside.broadcast.updateMany({
        where: { ...unchanged, teamId, id, status: from },
        data: { ...data, ...(to && { status: to }) },
      })
      if (count > 0) return 'done'
    }
    return refusalOf(teamId, id)
  }

  return {
    /** @throws Failure if the team has as many as it may have that are neither sent nor canceled; FormUsed */
    async create(
      teamId: string,
      { id = createId(clock), name, content, sending, author, request }: NewBroadcast,
      formId?: string,
    ): Promise<{ id: string } | MissingReference | Exclude<AcceptanceResult, { kind: 'accepted' }>> {
      return records(async (record) => {
        const count = () => record.tables.broadcast.count({ where: { teamId, status: { notIn: ['sent', 'canceled'] } } })
        await lockTeamWithin(record.execute, teamId, { limit: BROADCAST_LIMIT, count })
        const missing = await missingReference(record, teamId, content)
        if (missing) return missing
        const now = clock.now()
        if (request) {
          const result = await acceptOne(record.execute, { teamId, acceptedAt: now, ...request })
          if (result.kind !== 'accepted') return result
        }
        await useFormIfAny(record, { id: formId, teamId, usedAt: now })
        const data = { id, teamId, name, ...content, createdAt: now, status: 'draft', ...(sending && sent(sending, now)) }
        const created = await record.tables.broadcast.create({ data, select: { id: true } })
        await addBroadcastVersion(record, { broadcastId: id, content, author, restoredFrom: null }, clock)
        return created
      })
    },

    findEarlierAnswer: (teamId: string, idempotency: Idempotency): Promise<unknown> =>
      findEarlierAnswer({ execute }, teamId, idempotency, clock.now()),

    async find(teamId: string, id: string): Promise<BroadcastRow | null> {
      const row = await tables.broadcast.findFirst({ where: { teamId, id }, select: whole })
      return row && wholeRow(row)
    },

    count: (teamId: string): Promise<number> => tables.broadcast.count({ where: { teamId } }),

    /** Returns the names by their ids. */
    async namesOf(teamId: string, ids: string[]): Promise<Map<string, string>> {
      const rows = await tables.broadcast.findMany({ where: { teamId, id: { in: ids } }, select: { id: true, name: true } })
      return new Map(rows.map(({ id, name }) => [id, name]))
    },

    /**
     * The texts of broadcasts to be sent that have this text anywhere: some of them, the newest first. Only the newest that are not sent are looked
     * through.
     */
    async unsentWithText(teamId: string, text: string): Promise<{ id: string; name: string; texts: (string | null)[] }[]> {
      const status = { in: ['draft', 'scheduled'] }
      const newest = await tables.broadcast.findMany({
        where: { teamId, status },
        select: { id: true },
        orderBy: { id: 'desc' },
        take: LOOKED_THROUGH_MAX,
      })
      const hasText = { contains: text, mode: 'insensitive' } as const
      const found = await tables.broadcast.findMany({
        where: {
          teamId,
          id: { in: newest.map(({ id }) => id) },
          status,
          OR: [{ subject: hasText }, { previewText: hasText }, { html: hasText }, { text: hasText }],
        },
        select: { id: true, name: true, subject: true, previewText: true, html: true, text: true },
        orderBy: { id: 'desc' },
      })
      return found.map(({ id, name, ...texts }) => ({ id, name, texts: Object.values(texts) }))
    },

    /** How many of the newest that were sent, or whose sending has begun, have this text, also where it stands for the team; or of the newest others. */
    async countWith(teamId: string, text: string, which: 'sent' | 'unsent'): Promise<number> {
      const [row] = await execute<{ count: number }>(COUNT_WITH[which], [teamId, text, LOOKED_AT_MAX])
      return row?.count ?? 0
    },

    /** Returns the ones of these ids that exist, newest first. */
    async listOfIds(teamId: string, ids: string[]): Promise<BroadcastSummaryRow[]> {
      return (await tables.broadcast.findMany({ where: { teamId, id: { in: ids } }, select: summary, orderBy: { id: 'desc' } })).map(known)
    },

    list(teamId: string, request: PageRequest): Promise<Page<BroadcastSummaryRow>> {
      return readPage(request, async ({ where, ...rest }) =>
        (await tables.broadcast.findMany({ where: { teamId, ...where }, select: summary, ...rest })).map(known),
      )
    },

    rename: (teamId: string, id: string, { name, author }: { name: string; author: Writer }) =>
      move(teamId, id, 'rename', { name, ...changedBy(author, clock.now()) }),

    /** Null if no one has changed it since that is kept. */
    async lastChange(teamId: string, id: string): Promise<LastChange | null> {
      const row = await tables.broadcast.findFirst({ where: { teamId, id }, select: { changedByName: true, changedAt: true } })
      return row?.changedAt ? { name: row.changedByName, at: row.changedAt } : null
    },

    /** `edited meanwhile`: after the change was validated. */
    async updateBroadcast(
      teamId: string,
      { validated, name, content, saving }: { validated: BroadcastRow; name: string; content: BroadcastContent; saving: Saving },
    ): Promise<null | 'done' | 'edited meanwhile' | Refused | MissingReference> {
      return records(async (record) => {
        const missing = await missingReference(record, teamId, content)
        const locked = await lockRow(record.execute, 'broadcasts', teamId, validated.id)
        if (!locked) return null
        const where = { teamId, id: locked.id }
        const { changedBy: writer, autosaveBeganAt, ...found } = await record.tables.broadcast.findFirstOrThrow({ where, select: changing })
        const row = wholeRow(found)
        if (!statusesFor('update').includes(row.status)) return { refused: row.status }
        if (!isSame(row, validated)) return 'edited meanwhile'
        if (missing) return missing
        const { author, isAutosave, restoredFrom } = saving
        const now = clock.now()
        const writingSince = isAutosave && writer === author.id && isStillWriting(autosaveBeganAt, now) ? autosaveBeganAt : null
        const change = { ...changedBy(author, now), autosaveBeganAt: isAutosave ? (writingSince ?? now) : null }
        await record.tables.broadcast.update({ where: { id: locked.id }, data: { name, ...content, ...change }, select: { id: true } })
        await changeBroadcastVersion(record, { broadcastId: locked.id, before: row, content, author, restoredFrom, writingSince }, clock)
        if (writingSince !== null && SETTINGS.every((field) => row[field] === content[field])) continueAct()
        return 'done'
      })
    },

    /** Sends what was validated: one that was changed meanwhile is refused as the draft that it still is. */
    async send(
      teamId: string,
      { id, ...validated }: Pick<BroadcastRow, 'id' | (typeof VALIDATED_FIELDS)[number]>,
      { author, ...sending }: BroadcastSending & { author: Writer },
    ): Promise<null | 'done' | Refused | MissingReference> {
      return records(async (record) => {
        const missing = await missingReference(record, teamId, validated)
        if (missing) return missing
        const inside = record.tables
        const now = clock.now()
        const data = { ...sent(sending, now), ...changedBy(author, now) }
        return move(teamId, id, sending.scheduledAt ? 'schedule' : 'send', data, { unchanged: pick(validated), inside })
      })
    },

    /** Back to a draft if its time has not come. Else what has not begun is canceled, by workers. */
    async cancel(teamId: string, id: string, author: Writer) {
      const drafted = {
        where: { teamId, id, status: 'scheduled' },
        data: { status: 'draft', scheduledAt: null, timezone: null, dueAt: null, apiKeyId: null, ...changedBy(author, clock.now()) },
      }
      if ((await tables.broadcast.updateMany(drafted)).count > 0) return 'done' as const
      return walk(teamId, id, { act: 'cancel', walk: 'cancel', author })
    },

    pause: (teamId: string, id: string, author: Writer) => walk(teamId, id, { act: 'pause', walk: 'hold', author }),

    resume: (teamId: string, id: string, author: Writer) => walk(teamId, id, { act: 'resume', walk: 'release', author }),

    async deleteBroadcast(teamId: string, id: string): Promise<null | 'done' | Refused> {
      const { count } = await tables.broadcast.deleteMany({ where: { teamId, id, status: { in: statusesFor('delete') } } })
      return count > 0 ? 'done' : refusalOf(teamId, id)
    },
  }

  /** A worker goes through the emails that have not begun. */
  function walk(
    teamId: string,
    id: string,
    { act, walk, author }: { act: 'cancel' | 'pause' | 'resume'; walk: BroadcastWalk; author: Writer },
  ) {
    const now = clock.now()
    const walking = { walk, walkedThrough: null, dueAt: now, statusReason: null, isWaiting: false }
    return move(teamId, id, act, { ...walking, ...changedBy(author, now) })
  }

  async function refusalOf(teamId: string, id: string): Promise<null | Refused> {
    const row = await tables.broadcast.findFirst({ where: { teamId, id }, select: { status: true } })
    return row && { refused: known(row).status }
  }
}

const isSame = (one: BroadcastRow, other: BroadcastRow): boolean => JSON.stringify(one) === JSON.stringify(other)

const VALIDATED_FIELDS = ['segmentId', 'topicId', 'from', 'subject', 'previewText', 'html', 'text'] as const

const pick = (row: Pick<BroadcastRow, (typeof VALIDATED_FIELDS)[number]>): Prisma.BroadcastWhereInput =>
  Object.fromEntries(VALIDATED_FIELDS.map((name) => [name, row[name]]))

function sent({ apiKeyId, scheduledAt, timezone }: BroadcastSending, now: Date) {
  return { apiKeyId, scheduledAt, timezone, dueAt: scheduledAt ?? now, statusReason: null, status: scheduledAt ? 'scheduled' : 'queued' }
}

const changedBy = ({ id, name }: Writer, now: Date) => ({ changedBy: id, changedByName: name, changedAt: now, autosaveBeganAt: null })

/** A change of these always stands in the audit log: they say who gets it, and how fast. */
const SETTINGS = ['segmentId', 'topicId', 'ratePerHour'] as const

/** A segment or topic that exists stays until the transaction ends. Its deletion waits, and then finds the broadcast. Comes before the lock of a broadcast. */
async function missingReference(
  { execute }: RecordTransaction,
  teamId: string,
  { segmentId, topicId }: Pick<BroadcastContent, 'segmentId' | 'topicId'>,
): Promise<MissingReference | null> {
  if ((await lockSegmentsShared(execute, teamId, [segmentId])).size === 0) return { missing: 'segment' }
  if (topicId !== null && (await lockTopicsShared(execute, teamId, [topicId])).size === 0) return { missing: 'topic' }
  return null
}

const countOf = (begun: 'null' | 'not null'): string => `
select count(*)::int as count from (
  select html, text, properties from broadcasts where team_id = $1 and started_at is ${begun} order by id desc limit $3
) newest where position($2 in html) > 0 or position($2 in text) > 0 or position($2 in properties::text) > 0`

const COUNT_WITH = {
  sent: statement('count sent broadcasts with a text', countOf('not null')),
  unsent: statement('count unsent broadcasts with a text', countOf('null')),
}
