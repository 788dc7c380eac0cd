import { oneOf } from '../../db/columns.ts'
import type { Database } from '../../db/database.ts'
import { readPage } from '../../db/page.ts'
import { lockTeamWithin } from '../../db/transactions.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import { createCachedLookups } from '../../lib/cached-lookups.ts'
import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import { IMAGE_LIMIT } from './images.schema.ts'
import { IMAGE_TYPES, type ImageType } from './processing/image-headers.ts'

export type ImageRow = {
  id: string
  /** What its address ends in. */
  token: string
  name: string
  contentType: ImageType
  width: number
  height: number
  frames: number
  /** Bytes of the blob. */
  size: number
  createdAt: Date
  takenDownAt: Date | null
  takenDownReason: string | null
}
export type NewImage = Omit<ImageRow, 'id' | 'createdAt' | 'takenDownAt' | 'takenDownReason'> & { blobKey: string }

/** What is served. `blobKey`: null once it was taken down. */
export type ServedImage = { contentType: ImageType; size: number; blobKey: string | null }

const select = {
  ...{ id: true, token: true, name: true, contentType: true, width: true, height: true, frames: true, size: true, createdAt: true },
  ...{ takenDownAt: true, takenDownReason: true },
} as const

const toRow = ({ contentType, ...row }: Prisma.ImageGetPayload<{ select: typeof select }>): ImageRow => ({
  ...row,
  contentType: oneOf(IMAGE_TYPES, contentType),
})

/** Who opens a mail asks for all its images at once. What another process took down is noticed within this time. */
const SERVED_KEPT_MS = 2_000
const SERVED_MAX = 10_000

export function imageRepository({ tables, records }: Pick<Database, 'tables' | 'records'>, { clock }: { clock: Clock }) {
  const served = createCachedLookups<ServedImage | null>({
    entriesMax: SERVED_MAX,
    lifetimeMs: SERVED_KEPT_MS,
    isKept: (image) => image !== null,
  })

  return {
    /** @throws Failure if the team has as many as it may have */
    create(teamId: string, image: NewImage): Promise<ImageRow> {
      return records(async ({ tables: inside, execute }) => {
        await lockTeamWithin(execute, teamId, { limit: IMAGE_LIMIT, count: () => inside.image.count({ where: { teamId } }) })
        const data = { id: createId(clock), teamId, ...image, createdAt: clock.now() }
        return toRow(await inside.image.create({ data, select }))
      })
    },

    list(teamId: string, request: PageRequest): Promise<Page<ImageRow>> {
      return readPage(request, async ({ where, ...rest }) =>
        (await tables.image.findMany({ where: { teamId, ...where }, select, ...rest })).map(toRow),
      )
    },

    async find(teamId: string, id: string): Promise<ImageRow | null> {
      const row = await tables.image.findFirst({ where: { teamId, id }, select })
      return row && toRow(row)
    },

    /** Null if the team has no such image. `blobKey`: what is to be removed. */
    async deleteImage(teamId: string, id: string): Promise<{ id: string; token: string; blobKey: string | null } | null> {
      const row = await tables.image.findFirst({ where: { teamId, id }, select: { id: true, token: true, blobKey: true } })
      if (!row) return null
      const { count } = await tables.image.deleteMany({ where: { teamId, id } })
      served.forget(row.token)
      return count === 0 ? null : row
    },

    /** What anyone gets who has the address. Null if there is no such image. */
    serveAcrossTeams(token: string): Promise<ServedImage | null> {
      return served.find(token, async () => {
        const row = await tables.image.findUnique({ where: { token }, select: { contentType: true, size: true, blobKey: true } })
        return row && { ...row, contentType: oneOf(IMAGE_TYPES, row.contentType) }
      })
    },

    /** For operators, who have the address alone. Null if there is no such image. */
    findByTokenAcrossTeams: (token: string): Promise<{ id: string; teamId: string } | null> =>
      tables.image.findUnique({ where: { token }, select: { id: true, teamId: true } }),

    /** Only operators may call it. Taken down again, it keeps the time of the first, and has another reason. `blobKey`: what is to be removed. */
    takeDown(teamId: string, id: string, reason: string): Promise<{ image: ImageRow; blobKey: string | null } | null> {
      return records(async ({ tables: inside }) => {
        const before = await inside.image.findFirst({ where: { teamId, id }, select: { blobKey: true, takenDownAt: true } })
        if (!before) return null
        const data = { takenDownAt: before.takenDownAt ?? clock.now(), takenDownReason: reason, blobKey: null }
        const [changed] = await inside.image.updateManyAndReturn({ where: { teamId, id }, data, select })
        if (!changed) return null
        served.forget(changed.token)
        return { image: toRow(changed), blobKey: before.blobKey }
      })
    },
  }
}
