import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { asDownload, readRange } from '../../http/headers.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { LinkParams } from '../../http/resource.ts'
import { csvLine } from '../../lib/csv/csv-files.ts'
import { notFound } from '../../lib/failure.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import { CELLS_KEPT_MAX, REFUSALS_KEPT_MAX } from '../audience/imports/imports.schema.ts'
import type { EmailsContext } from '../emails/emails.context.ts'
import type { InboundContext } from '../inbound/inbound.context.ts'
import type { SecretsContext } from '../secrets/secrets.context.ts'

type Context = PlatformContext & SecretsContext & AudienceContext & EmailsContext & InboundContext

/** Refusals that are read at a time. */
const REFUSALS_PER_READ = 1_000

/** Files that signed links open. They are always a download, never a page of this origin. */
export const downloadRoutes: FastifyPluginAsyncTypebox<Context> = async (app, { links, repositories, gateways }) => {
  app.get('/downloads/:token', { config: { access: 'public' }, schema: { hide: true, params: LinkParams } }, async (request, reply) => {
    const payload = links.open('download', request.params.token)
    const { importId, teamId } = payload
    if (importId !== undefined) {
      const report = Readable.from(writeReport(String(teamId), String(importId)))
      return reply
        .headers({ ...PRIVATE, 'content-type': 'text/csv; charset=utf-8', 'content-disposition': asDownload(REPORT_NAME) })
        .send(report)
    }
    const file = await findFile(payload)
    if (file === null) throw notFound('File')
    const { blobKey, size } = file
    const range = readRange(request.headers.range, size)
    reply.headers({
      ...PRIVATE,
      'accept-ranges': 'bytes',
      'content-type': file.contentType,
      'content-disposition': asDownload(file.filename),
    })
    if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${size}`).send()
    if (range === null) return reply.header('content-length', size).send(await gateways.blobs.open(blobKey))
    const { start, end } = range
    return reply
      .code(206)
      .headers({ 'content-range': `bytes ${start}-${end}/${size}`, 'content-length': end - start + 1 })
      .send(await gateways.blobs.open(blobKey, range))
  })

  async function findFile({ attachmentId, receivedAttachmentId, receivedEmailId }: Record<string, unknown>): Promise<File | null> {
    if (receivedEmailId !== undefined) {
      const raw = await repositories.receivedEmails.findRawAcrossTeams(String(receivedEmailId))
      return raw && { blobKey: raw.blobKey, size: raw.bytes, contentType: 'message/rfc822', filename: RAW_NAME }
    }
    if (receivedAttachmentId !== undefined) {
      const received = await repositories.receivedEmails.findAttachmentAcrossTeams(String(receivedAttachmentId))
      return received && { ...received, filename: received.filename ?? 'attachment' }
    }
    const attachment = await repositories.attachments.findAcrossTeams(String(attachmentId))
    if (!attachment?.blobKey) return null
    // The browser is never given a type that it could run.
    const contentType = 'application/octet-stream'
    return { blobKey: attachment.blobKey, size: attachment.size, contentType, filename: attachment.filename ?? 'attachment' }
  }

  /** Lists the refused rows of an import, with the reasons. */
  async function* writeReport(teamId: string, importId: string): AsyncGenerator<string> {
    const names = (await repositories.contactImports.find(teamId, importId))?.columns.names ?? []
    yield csvLine(['line', 'reason', ...names.slice(0, CELLS_KEPT_MAX)])
    for (let afterLine = 0; ; ) {
      const refusals = await repositories.importBatches.refusals(teamId, importId, afterLine, REFUSALS_PER_READ)
      if (refusals.length === 0) break
      yield refusals.map(({ line, reason, cells }) => csvLine([String(line), reason, ...(cells ?? [])])).join('')
      afterLine = refusals.at(-1)?.line ?? afterLine
    }
    const notKept = await repositories.importBatches.countRefusalsNotKept(teamId, importId, REFUSALS_KEPT_MAX)
    if (notKept > 0) yield csvLine(['…', `Rows that were refused beyond these, and are not kept: ${notKept.toLocaleString('en')}.`])
  }
}

type File = { blobKey: string; size: number; contentType: string; filename: string }

const REPORT_NAME = 'refused-rows.csv'
const RAW_NAME = 'message.eml'

const PRIVATE = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-store',
}
