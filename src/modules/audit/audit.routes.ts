import { Readable } from 'node:stream'
import type { Static } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { newAct } from '../../db/acts.ts'
import { searchedSentence, toTimeRange } from '../../http/list-filters.ts'
import { declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { toSearchedList } from '../../http/resource.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { csvLine } from '../../lib/csv/csv-files.ts'
import { notFound } from '../../lib/failure.ts'
import { type PageRequest, pageRequest } from '../../lib/page-request.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import { requireAuditReader } from '../accounts/audit-readers.ts'
import { mayRead } from '../accounts/scopes.ts'
import { sectionOfTarget } from './acts.ts'
import type { AuditContext } from './audit.context.ts'
import { AUDIT_ENTRIES_SEARCHED_MAX, type AuditRow, type AuditSearch } from './audit.repository.ts'
import { AUDIT_LOG, AuditLogEntry, AuditLogList, AuditLogParams, AuditLogQuery, EXPORTED_ENTRIES_MAX } from './audit.schema.ts'

type Context = PlatformContext & AuditContext & AccountsContext

type Reader = Parameters<typeof mayRead>[0]

/** A token sees what changed, and what actors are called, only with the scope to read those records. */
const entryFor =
  (reader: Reader) =>
  (row: AuditRow): Static<typeof AuditLogEntry> => {
    const isShown = mayRead(reader, sectionOfTarget(row.targetType))
    const isNamed = row.actorKind === 'key' ? mayRead(reader, 'api-keys') : row.actorKind === 'grant' ? mayRead(reader, 'oauth') : true
    const entry = toEntry(row)
    return {
      ...entry,
      actor: { ...entry.actor, name: isNamed ? entry.actor.name : null },
      ...(!isShown && { before: null, after: null }),
    }
  }

const toEntry = (row: AuditRow): Static<typeof AuditLogEntry> => ({
  id: row.id,
  created_at: toTimestamp(row.createdAt),
  action: row.act,
  actor: { type: row.actorKind, id: row.actorId, name: row.actorName, ip_address: row.address, user_agent: row.userAgent },
  target: row.targetType === null ? null : { type: row.targetType, id: row.targetId },
  before: fieldsOf(row, row.details?.before),
  after: fieldsOf(row, row.details?.after),
  count: row.details?.count ?? null,
  is_erased: row.details === null,
  chain_position: row.position,
})

/** Columns of a record that are called otherwise on the wire. */
const WIRE_NAMES: Record<string, Record<string, string>> = { team: { slowed: 'throttled', slowed_until: 'throttled_until' } }

function fieldsOf({ targetType }: AuditRow, fields: Record<string, unknown> | undefined): Record<string, unknown> | null {
  const names = WIRE_NAMES[targetType ?? '']
  if (!fields || !names) return fields ?? null
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [names[name] ?? name, value]))
}

const operation = declareOperations(AUDIT_LOG)
const KEY_OF_ROLE = 'A key that a person made reads it while they are an owner or admin of the team.'

export const auditLogRoutes: Routes<Context> = async (app, { context }) => {
  const { repositories, clock } = context
  app.get(
    '/audit-log',
    operation({
      id: 'audit-log.list',
      summary: 'List the audit log',
      description: `Returns what was done to the records of the team and by whom, newest first, 20 by default. It has every change by a person, the command line or the operator, and what API keys and programs change in the configuration of the team; no single email, event or contact of theirs. With several filters, ${searchedSentence(AUDIT_ENTRIES_SEARCHED_MAX).replace('With a filter, ', '')} An export is an entry itself. ${KEY_OF_ROLE}`,
      access: 'full',
      audit: 'never',
      query: AuditLogQuery,
      reply: { 200: AuditLogList },
      example: { reply: { object: 'list', has_more: false, data: [AUDIT_LOG.example] } },
    }),
    async (request, reply) => {
      const { teamId, query, actor, caller } = request
      await requireAuditReader(context, caller)
      const { format = 'json' } = query
      const search = auditSearch(query, pageRequest(query, 'always'))
      if (format === 'json') return toSearchedList(await repositories.auditLog.searchPage(teamId, search), entryFor(caller))
      const target = { type: null, id: null, table: null }
      await repositories.auditLog.recordRead(newAct('audit-log.list', { teamId, actor, target, clock }))
      const entries = entriesOf((page) => repositories.auditLog.searchPage(teamId, page), search, entryFor(caller))
      return sendFile(reply, format, entries) as never
    },
  )

  app.get(
    '/audit-log/:audit_log_entry_id',
    operation({
      id: 'audit-log.retrieve',
      summary: 'Retrieve an audit log entry',
      description: `Returns one entry of the audit log. An access token sees what changed only with the scope to read such records. ${KEY_OF_ROLE}`,
      access: 'full',
      audit: 'never',
      params: AuditLogParams,
      reply: { 200: AuditLogEntry },
      example: { reply: AUDIT_LOG.example },
    }),
    async ({ caller, teamId, params }) => {
      await requireAuditReader(context, caller)
      const entry = await repositories.auditLog.find(teamId, params.audit_log_entry_id)
      if (!entry) throw notFound(AUDIT_LOG.noun)
      return entryFor(caller)(entry)
    },
  )
}

function auditSearch(query: Static<typeof AuditLogQuery>, request: PageRequest): AuditSearch {
  const { actor_type: actorKind = null, action: act = null } = query
  return {
    ...request,
    ...toTimeRange(query),
    actorKind,
    act,
    actorId: query.actor_id?.toLowerCase() ?? null,
    targetId: query.target_id?.toLowerCase() ?? null,
  }
}

/** Entries that one query of an export reads. */
const EXPORTED_AT_ONCE = 500

type Page = { rows: AuditRow[]; hasMore: boolean; searchedTo: string | null }

/** All that match, newest first, page by page: no transaction is open between them. */
async function* entriesOf(
  readPage: (search: AuditSearch) => Promise<Page>,
  search: AuditSearch,
  toItem: (row: AuditRow) => Static<typeof AuditLogEntry>,
): AsyncGenerator<Static<typeof AuditLogEntry>> {
  let { after } = search
  for (let left = EXPORTED_ENTRIES_MAX; left > 0; ) {
    const { rows, hasMore, searchedTo } = await readPage({ ...search, after, before: null, limit: Math.min(left, EXPORTED_AT_ONCE) })
    for (const row of rows) yield toItem(row)
    left -= rows.length
    after = searchedTo ?? rows.at(-1)?.id ?? null
    if (!hasMore || after === null) return
  }
}

const COLUMNS = [
  'id',
  'created_at',
  'action',
  'actor_type',
  'actor_id',
  'actor_name',
  'ip_address',
  'user_agent',
  'target_type',
  'target_id',
  'before',
  'after',
  'count',
]

function sendFile(reply: FastifyReply, format: 'csv' | 'jsonl', entries: AsyncGenerator<Static<typeof AuditLogEntry>>): FastifyReply {
  return reply
    .type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl; charset=utf-8')
    .header('content-disposition', `attachment; filename="audit-log.${format}"`)
    .send(Readable.from(linesOf(format, entries)))
}

async function* linesOf(format: 'csv' | 'jsonl', entries: AsyncGenerator<Static<typeof AuditLogEntry>>): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(COLUMNS)
  for await (const entry of entries) yield format === 'csv' ? csvLine(cellsOf(entry)) : `${JSON.stringify(entry)}\n`
}

const cellsOf = ({ id, created_at, action, actor, target, before, after, count }: Static<typeof AuditLogEntry>): string[] =>
  [
    ...[id, created_at, action, actor.type, actor.id, actor.name, actor.ip_address, actor.user_agent, target?.type, target?.id],
    ...[before && JSON.stringify(before), after && JSON.stringify(after), count === null ? null : String(count)],
  ].map((cell) => cell ?? '')
