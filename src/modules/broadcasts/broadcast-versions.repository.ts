// What a broadcast says and has said, each version written once. Those from before the history was kept have none until they are changed.

import type { Database, RecordTransaction } from '../../db/database.ts'
import { readPage } from '../../db/page.ts'
import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { Writer } from '../audit/writers.ts'
import { VERSIONS_KEPT_MAX } from '../templates/templates.schema.ts'

/** Without the bodies: a list of them could take a hundred megabytes. */
const summary = {
  id: true,
  from: true,
  replyTo: true,
  subject: true,
  previewText: true,
  authorName: true,
  restoredFrom: true,
  createdAt: true,
} as const
const whole = { ...summary, html: true, text: true, contentDocument: true } as const

/** `authorName`: what the one who made it was called. `restoredFrom`: the version whose content it has again. */
export type BroadcastVersionSummaryRow = {
  id: string
  from: string
  replyTo: string[]
  subject: string
  previewText: string | null
  authorName: string | null
  restoredFrom: string | null
  createdAt: Date
}

export type BroadcastVersionRow = BroadcastVersionSummaryRow & {
  html: string | null
  text: string | null
  contentDocument: string | null
}

/** What a version keeps of a broadcast. */
export type VersionContent = Omit<BroadcastVersionRow, 'id' | 'authorName' | 'restoredFrom' | 'createdAt'>

export function broadcastVersionRepository({ tables }: Pick<Database, 'tables'>) {
  const newestId = async (broadcastId: string): Promise<string | null> => {
    const newest = await tables.broadcastVersion.findFirst({ where: { broadcastId }, select: { id: true }, orderBy: { id: 'desc' } })
    return newest?.id ?? null
  }

  return {
    /** `currentId`: of the one that says what the broadcast does. Null if the team has no such broadcast. */
    async list(
      teamId: string,
      broadcastId: string,
      request: PageRequest,
    ): Promise<(Page<BroadcastVersionSummaryRow> & { currentId: string | null }) | null> {
      const broadcast = await tables.broadcast.findFirst({ where: { teamId, id: broadcastId }, select: { id: true } })
      if (!broadcast) return null
      const page = await readPage(request, ({ where, ...rest }) =>
        tables.broadcastVersion.findMany({ where: { broadcastId: broadcast.id, ...where }, select: summary, ...rest }),
      )
      return { ...page, currentId: await newestId(broadcast.id) }
    },

    /** Null if the team has no such version. */
    async find(
      teamId: string,
      broadcastId: string,
      versionId: string,
    ): Promise<{ version: BroadcastVersionRow; currentId: string | null } | null> {
      const version = await tables.broadcastVersion.findFirst({
        where: { id: versionId, broadcast: { teamId, id: broadcastId } },
        select: whole,
      })
      return version && { version, currentId: await newestId(broadcastId) }
    },
  }
}

export type NewVersion = {
  broadcastId: string
  content: VersionContent
  author: Writer
  restoredFrom: string | null
}

/** Within the transaction that makes the broadcast, or that changes it and has locked it. */
export async function addBroadcastVersion(
  { tables: inside }: Pick<RecordTransaction, 'tables'>,
  { broadcastId, content, author, restoredFrom }: NewVersion,
  clock: Clock,
): Promise<void> {
  const data = { ...contentOf(content), authorName: author.name, restoredFrom, createdAt: clock.now() }
  await inside.broadcastVersion.create({ data: { id: createId(clock), broadcastId, ...data }, select: { id: true } })
}

/** `before`: what the broadcast says until then. `writingSince`: since when its author has been writing, whose last version it replaces. */
export type ChangedVersion = NewVersion & { before: VersionContent & { createdAt: Date }; writingSince: Date | null }

/** Nothing is added if nothing is changed, so that the same update twice makes one version. */
export async function changeBroadcastVersion(record: RecordTransaction, changed: ChangedVersion, clock: Clock): Promise<void> {
  const { broadcastId, before, content, restoredFrom, writingSince } = changed
  const { broadcastVersion } = record.tables
  const isUnchanged = isSame(before, content)
  if (isUnchanged && restoredFrom === null) return
  const newest = await broadcastVersion.findFirst({ where: { broadcastId }, select: whole, orderBy: { id: 'desc' } })
  if (isUnchanged && newest?.id === restoredFrom) return
  const isKnown = newest !== null && isSame(newest, before)
  if (!isKnown) await addUnknown(record, { broadcastId, before, newest }, clock)
  if (isKnown && writingSince !== null && newest.createdAt >= writingSince)
    await broadcastVersion.deleteMany({ where: { broadcastId, id: newest.id } })
  await addBroadcastVersion(record, changed, clock)
  const kept = { where: { broadcastId }, select: { id: true }, orderBy: { id: 'desc' }, skip: VERSIONS_KEPT_MAX - 1 } as const
  const oldest = await broadcastVersion.findFirst(kept)
  if (oldest) await broadcastVersion.deleteMany({ where: { broadcastId, id: { lt: oldest.id } } })
}

/** What was written by a program that kept no versions. */
async function addUnknown(
  { tables: inside }: RecordTransaction,
  { broadcastId, before, newest }: Pick<ChangedVersion, 'broadcastId' | 'before'> & { newest: BroadcastVersionRow | null },
  clock: Clock,
): Promise<void> {
  const createdAt = newest === null ? before.createdAt : clock.now()
  const id = createId(newest === null ? { ...clock, now: () => createdAt } : clock)
  await inside.broadcastVersion.create({ data: { id, broadcastId, ...contentOf(before), createdAt }, select: { id: true } })
}

const contentOf = ({ from, replyTo, subject, previewText, html, text, contentDocument }: VersionContent): VersionContent => ({
  from,
  replyTo,
  subject,
  previewText,
  html,
  text,
  contentDocument,
})

const isSame = (one: VersionContent, other: VersionContent): boolean => JSON.stringify(contentOf(one)) === JSON.stringify(contentOf(other))
