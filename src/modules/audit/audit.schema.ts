import { Type } from '@sinclair/typebox'
import { ACTOR_KINDS } from '../../http/actor.ts'
import { DateFilters, FilteredListQuery, SearchedList, TextFilter } from '../../http/list-filters.ts'
import { IdParams, Resource } from '../../http/resource.ts'
import { SECTIONS } from '../../http/sections.ts'
import { Enum, EXAMPLE_TIME, Id, Named, Nullable, QueryId, Timestamp } from '../../lib/validation/common.schema.ts'

const ACTOR_TYPES = [...ACTOR_KINDS]
const WHO =
  '`person`: a member of the team. `key`: an API key. `grant`: a program that has access. `operator`: who runs the installation. `command_line`: the command `posthaste`. `automation` and `system`: Posthaste itself.'

const actor = Type.Object(
  {
    type: Enum(ACTOR_TYPES, { description: WHO }),
    id: Nullable(Type.String({ format: 'uuid', description: 'Id of the person, the API key or the grant; null for others.' })),
    name: Nullable(Type.String({ description: 'What it was called then; of the command line, its user on the system.' })),
    ip_address: Nullable(Type.String({ description: 'Where the request came from; null if it was none.' })),
    user_agent: Nullable(Type.String({ description: 'The `User-Agent` header, up to 512 characters.' })),
  },
  { description: 'Who did it, and from where.' },
)

const target = Type.Object(
  {
    type: Type.String({ description: 'The kind of record.', examples: ['webhook'] }),
    id: Nullable(Type.String({ format: 'uuid', description: 'Id of the record; null if there were several, or none.' })),
  },
  { description: 'What it was done to. The record may have been deleted since.' },
)

const values = (description: string) =>
  Nullable(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: {}, description }))

/** A value that is longer as JSON is kept as its length and its digest. The function `shown_value` of the database has the same bound. */
export const VALUE_CHARACTERS_MAX = 1_000

/** What webhooks are told of an entry. */
export const AUDIT_NOTIFICATIONS = {
  'audit.recorded': Type.Object({
    id: Id('Id of the entry: `GET /audit-log/{id}` has what changed.'),
    created_at: Timestamp('When it was done.'),
    action: Type.String({ description: 'The operation, as the official clients call it.', examples: ['webhooks.update'] }),
    actor,
    target: Nullable(target),
  }),
}

export const AuditLogEntry = Named(
  'AuditLogEntry',
  Type.Object(
    {
      ...AUDIT_NOTIFICATIONS['audit.recorded'].properties,
      before: values(
        `The fields that changed, with the values that they had; null if the record is new, or if nothing is kept. Secrets are never kept, and of a value of more than ${VALUE_CHARACTERS_MAX.toLocaleString('en')} characters only its length and its SHA-256.`,
      ),
      after: values(
        'The fields that changed, with the values that they have since; null if the record was deleted, or if nothing is kept.',
      ),
      count: Nullable(Type.Integer({ description: 'How many records were changed, if there were several.' })),
      is_erased: Type.Boolean({ description: 'Whether `before` and `after` were removed with the contact that they told of.' }),
      chain_position: Nullable(
        Type.Integer({
          description: 'Its place in the chain of the team, which `posthaste audit verify` checks; null for the first seconds.',
        }),
      ),
    },
    {
      description:
        'What someone did. No one changes an entry: it gets its place in the chain, loses `before` and `after` with a contact that is deleted, and is removed once it is old.',
    },
  ),
)

export const FORMATS = ['json', 'csv', 'jsonl'] as const

/** Entries of one export. */
export const EXPORTED_ENTRIES_MAX = 100_000

export const AuditLogQuery = FilteredListQuery({
  actor_type: Type.Optional(Enum(ACTOR_TYPES, { description: `Return only what was done by this kind of actor. ${WHO}` })),
  actor_id: QueryId('Return only what this person, this API key or this grant did.'),
  action: TextFilter('Return only calls of this operation.', ['webhooks.update'], { lengthMax: 100 }),
  target_id: QueryId('Return only what was done to the record with this id.'),
  ...DateFilters('actions'),
  format: Type.Optional(
    Enum([...FORMATS], {
      description: `\`csv\` or \`jsonl\` (JSON lines) returns a file instead, with all entries from \`after\` on that match the filters: the newest ${EXPORTED_ENTRIES_MAX.toLocaleString('en')} of them. \`limit\` and \`before\` do not apply.`,
    }),
  ),
})

export const AuditLogList = SearchedList('AuditLogList', 'entries of the audit log', AuditLogEntry)

export const AUDIT_LOG = Resource({
  tag: SECTIONS.auditLog,
  noun: 'Audit log entry',
  parameter: 'audit_log_entry_id',
  item: AuditLogEntry,
  example: {
    id: '0193a5c2-9b20-7d2e-b3c4-5d6e7f809ab1',
    created_at: EXAMPLE_TIME,
    action: 'webhooks.update',
    actor: {
      type: 'key',
      id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c99',
      name: 'Production',
      ip_address: '192.0.2.10',
      user_agent: 'resend-node:6.38.0',
    },
    target: { type: 'webhook', id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c70' },
    before: { status: 'enabled' },
    after: { status: 'disabled' },
    count: null,
    is_erased: false,
    chain_position: 42,
  },
})

export const AuditLogParams = IdParams(AUDIT_LOG)
