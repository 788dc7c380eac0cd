import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { asDownload } from '../../lib/content-disposition.ts'
import { csvLine } from '../../lib/csv/csv-line.ts'
import { notFound } from '../../lib/failure.ts'
import { REFUSALS_KEPT_MAX } from '../../schemas/contact-imports.ts'
import { LinkParams } from '../../schemas/links.ts'

/** Refusals that are read at a time. */
const REFUSALS_PER_READ = 1_000

/** Files that signed links open. They are always a download, never a page of this origin. */
export const downloadRoutes: FastifyPluginAsyncTypebox<Context> = async (app, { links, repositories, gateways }) => {
  app.get('/downloads/:token', { config: { access: 'public' }, schema: { hide: true, params: LinkParams } }, async (request, reply) => {
    const { attachmentId, importId, teamId } = links.open('download', request.params.token)
    if (importId !== undefined) {
      const report = Readable.from(reportOf(String(teamId), String(importId)))
      return reply
        .headers({ ...PRIVATE, 'content-type': 'text/csv; charset=utf-8', 'content-disposition': asDownload(REPORT_NAME) })
        .send(report)
    }
    const attachment = await repositories.attachments.findAcrossTeams(String(attachmentId))
    if (!attachment?.blobKey) throw notFound('File')
    const content = await gateways.blobs.open(attachment.blobKey)
    return reply
      .headers({
        ...PRIVATE,
        // The browser is never given a type that it could run.
        'content-type': 'application/octet-stream',
        'content-disposition': asDownload(attachment.filename ?? 'attachment'),
        'content-length': attachment.size,
      })
      .send(content)
  })

  /** Lists the refused rows of an import, with the reasons. */
  async function* reportOf(teamId: string, importId: string): AsyncGenerator<string> {
    yield csvLine(['line', 'reason'])
    for (let afterLine = 0; ; ) {
      const refusals = await repositories.importBatches.refusals(teamId, importId, afterLine, REFUSALS_PER_READ)
      if (refusals.length === 0) break
      yield refusals.map(({ line, reason }) => csvLine([String(line), reason])).join('')
      afterLine = refusals.at(-1)?.line ?? afterLine
    }
    const notKept = await repositories.importBatches.countRefusalsNotKept(teamId, importId, REFUSALS_KEPT_MAX)
    if (notKept > 0) yield csvLine(['…', `Rows that were refused beyond these, and are not kept: ${notKept.toLocaleString('en')}.`])
  }
}

const REPORT_NAME = 'refused-rows.csv'

const PRIVATE = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-store',
}
