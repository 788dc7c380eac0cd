import type { Prisma } from '../../generated/prisma/client.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Database } from '../database.ts'
import { type Page, readPage } from '../page.ts'

const columns = { id: true, filename: true, contentType: true, contentId: true, size: true, blobKey: true } as const

export type AttachmentRow = Prisma.AttachmentGetPayload<{ select: typeof columns }>
export function attachmentRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    listOf(teamId: string, emailId: string, request: PageRequest): Promise<Page<AttachmentRow>> {
      return readPage(request, ({ where, ...rest }) =>
        tables.attachment.findMany({ where: { teamId, emailId, ...where }, select: columns, ...rest }),
      )
    },
    find(teamId: string, emailId: string, id: string): Promise<AttachmentRow | null> {
      return tables.attachment.findFirst({ where: { teamId, emailId, id }, select: columns })
    },
    /** For signed links only, which name a file and no team. */
    findAcrossTeams(id: string): Promise<AttachmentRow | null> {
      return tables.attachment.findUnique({ where: { id }, select: columns })
    },
  }
}
