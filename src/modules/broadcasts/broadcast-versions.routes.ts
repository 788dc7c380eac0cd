import type { Static } from '@sinclair/typebox'
import { type Caller, declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { toList } from '../../http/resource.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { notFound } from '../../lib/failure.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { ListQuery } from '../../lib/validation/common.schema.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { AuditContext } from '../audit/audit.context.ts'
import { authorFor } from '../audit/writers.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import type { EmailsContext } from '../emails/emails.context.ts'
import { fromStoredDocument } from '../templates/content-document.ts'
import { VERSIONS_KEPT_MAX } from '../templates/templates.schema.ts'
import type { BroadcastVersionRow, BroadcastVersionSummaryRow } from './broadcast-versions.repository.ts'
import {
  BROADCAST_VERSIONS,
  BroadcastVersionContent,
  BroadcastVersionList,
  BroadcastVersionParams,
  type BroadcastVersionSummary,
  EXAMPLE_VERSION_BODY,
} from './broadcast-versions.schema.ts'
import type { BroadcastsContext } from './broadcasts.context.ts'
import { BROADCASTS, BroadcastParams, BroadcastSaved } from './broadcasts.schema.ts'
import { broadcastSender, restoreBroadcast } from './broadcasts.service.ts'

type Context = PlatformContext & AccountsContext & DomainsContext & AudienceContext & EmailsContext & AuditContext & BroadcastsContext

type OfVersions = { currentId: string | null; reader: Caller }

const toVersionSummary = (row: BroadcastVersionSummaryRow, { currentId, reader }: OfVersions): Static<typeof BroadcastVersionSummary> => ({
  id: row.id,
  is_current: row.id === currentId,
  author: authorFor(reader, row),
  restored_from: row.restoredFrom,
  created_at: toTimestamp(row.createdAt),
  from: row.from,
  subject: row.subject,
  reply_to: row.replyTo.length === 0 ? null : row.replyTo.join(', '),
  preview_text: row.previewText,
})

const toVersion = (row: BroadcastVersionRow, of: OfVersions): Static<typeof BroadcastVersionContent> => ({
  object: 'broadcast_version',
  ...toVersionSummary(row, of),
  html: row.html,
  text: row.text,
  content_document: fromStoredDocument(row.contentDocument),
})

const operation = declareOperations(BROADCAST_VERSIONS)

export const broadcastVersionRoutes: Routes<Context> = async (app, { context }) => {
  const { broadcastVersions } = context.repositories

  app.get(
    '/broadcasts/:broadcast_id/versions',
    operation({
      id: 'broadcasts.versions.list',
      summary: 'List the versions of a broadcast',
      description: `Returns what a broadcast has said, without the bodies, newest first, 20 by default. Each change of its content makes a version; the newest ${VERSIONS_KEPT_MAX} are kept.`,
      access: 'full',
      audit: 'never',
      params: BroadcastParams,
      query: ListQuery,
      reply: { 200: BroadcastVersionList },
      example: { reply: { object: 'list', has_more: false, data: [BROADCAST_VERSIONS.example] } },
    }),
    async ({ caller, params, query }) => {
      const page = await broadcastVersions.list(caller.teamId, params.broadcast_id, pageRequest(query, 'always'))
      if (!page) throw notFound(BROADCASTS.noun)
      return toList(page, (version) => toVersionSummary(version, { currentId: page.currentId, reader: caller }))
    },
  )

  app.get(
    '/broadcasts/:broadcast_id/versions/:broadcast_version_id',
    operation({
      id: 'broadcasts.versions.retrieve',
      summary: 'Retrieve a version of a broadcast',
      description: 'Returns a version of a broadcast, with its content.',
      access: 'full',
      audit: 'never',
      params: BroadcastVersionParams,
      reply: { 200: BroadcastVersionContent },
      example: { reply: { object: 'broadcast_version', ...BROADCAST_VERSIONS.example, ...EXAMPLE_VERSION_BODY } },
    }),
    async ({ caller, params }) => {
      const found = await broadcastVersions.find(caller.teamId, params.broadcast_id, params.broadcast_version_id)
      if (!found) throw notFound(BROADCAST_VERSIONS.noun)
      return toVersion(found.version, { currentId: found.currentId, reader: caller })
    },
  )

  app.post(
    '/broadcasts/:broadcast_id/versions/:broadcast_version_id/restore',
    operation({
      id: 'broadcasts.versions.restore',
      summary: 'Restore a version of a broadcast',
      description:
        'Gives a draft or a scheduled broadcast the content of an older version, as a new version. Its name, its segment, its topic, its rate and its time stay as they are.',
      access: 'full',
      audit: 'always',
      sends: 'when the broadcast is scheduled',
      params: BroadcastVersionParams,
      reply: { 200: BroadcastSaved },
      example: { reply: { object: 'broadcast', id: BROADCASTS.example.id, warnings: [] } },
    }),
    async ({ caller, params }) => {
      const restored = await restoreBroadcast(context, broadcastSender(context, caller), {
        id: params.broadcast_id,
        versionId: params.broadcast_version_id,
      })
      if (!restored) throw notFound(BROADCAST_VERSIONS.noun)
      return { object: 'broadcast' as const, ...restored }
    },
  )
}
