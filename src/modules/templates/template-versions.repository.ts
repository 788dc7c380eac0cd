// A template as it is stored, and its versions, which are written once; in SQL, because the fallbacks of variables are JSON of any shape.

import { stored } from '../../db/columns.ts'
import type { Database, Execute, RecordTransaction } from '../../db/database.ts'
import { readPage } from '../../db/page.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { Writer } from '../audit/writers.ts'
import type { TemplateReference, VariableType, VariableValue } from './template-variables.schema.ts'

export type VariableRow = {
  id: string
  key: string
  type: VariableType
  fallbackValue: VariableValue | null
  createdAt: Date
  updatedAt: Date
}

export type TemplateContent = {
  from: string | null
  subject: string | null
  replyTo: string[]
  html: string
  text: string | null
  variables: VariableRow[]
  contentDocument: string | null
}

/**
 * `autosavedBy`: who is still writing it. `autosaveBeganAt`: when the first of those versions was made that it has replaced. `authorName`: what the one
 * who made it was called. `restoredFrom`: the version whose content it has again.
 */
export type VersionRow = TemplateContent & {
  id: string
  createdAt: Date
  publishedAt: Date | null
  authorName: string | null
  restoredFrom: string | null
  autosavedBy: string | null
  autosaveBeganAt: Date | null
}

export type VersionSummaryRow = Omit<VersionRow, 'html' | 'text' | 'variables' | 'contentDocument' | 'autosavedBy' | 'autosaveBeganAt'>

/** What an email is made of. */
export type SentContent = Omit<TemplateContent, 'contentDocument'>

export const templateSelect = {
  id: true,
  name: true,
  alias: true,
  currentVersionId: true,
  publishedVersionId: true,
  publishedAt: true,
  createdAt: true,
  updatedAt: true,
} as const

export type TemplateSummaryRow = Prisma.TemplateGetPayload<{ select: typeof templateSelect }>

/** A template with what its newest version says. */
export type TemplateRow = TemplateSummaryRow & { content: TemplateContent }

/** Without the bodies: a list of them could take a hundred megabytes. */
export const versionSummarySelect = {
  id: true,
  from: true,
  subject: true,
  replyTo: true,
  createdAt: true,
  publishedAt: true,
  authorName: true,
  restoredFrom: true,
} as const

const sentSelect = { from: true, subject: true, replyTo: true, html: true, text: true, variables: true } as const

export const versionSelect = {
  ...versionSummarySelect,
  ...sentSelect,
  contentDocument: true,
  autosavedBy: true,
  autosaveBeganAt: true,
} as const

export const toVersionRow = ({ variables, ...row }: Prisma.TemplateVersionGetPayload<{ select: typeof versionSelect }>): VersionRow => ({
  ...row,
  variables: toVariableRows(variables),
})

const toVariableRows = (json: Prisma.JsonValue): VariableRow[] =>
  stored<StoredVariable[]>(json).map(({ createdAt, updatedAt, ...rest }) => ({
    ...rest,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  }))

type StoredVariable = Omit<VariableRow, 'createdAt' | 'updatedAt'> & { createdAt: string; updatedAt: string }

export async function readVersion(tables: RecordTransaction['tables'], templateId: string, id: string): Promise<VersionRow | null> {
  const row = await tables.templateVersion.findFirst({ where: { templateId, id }, select: versionSelect })
  return row && toVersionRow(row)
}

/** `author`: null for what a command makes. `writingSince`: null if it was saved by intent. */
export type NewVersion = {
  id: string
  templateId: string
  content: TemplateContent
  now: Date
  author: Writer | null
  writingSince?: Date | null
  restoredFrom?: string | null
}

export async function insertVersion(
  execute: Execute,
  { id, templateId, content, now, author, writingSince = null, restoredFrom = null }: NewVersion,
): Promise<void> {
  const { from, subject, replyTo, html, text, variables, contentDocument } = content
  await execute(
    `insert into template_versions (id, template_id, "from", subject, reply_to, html, text, variables, content_document, autosaved_by, autosave_began_at,
       author_name, restored_from, created_at)
     values ($1::uuid, $2::uuid, $3, $4, $5::text[], $6, $7, $8::jsonb, $9, $10::uuid, $11::timestamptz, $12, $13::uuid, $14::timestamptz)`,
    [
      ...[id, templateId, from, subject, replyTo, html, text, JSON.stringify(variables), contentDocument],
      ...[writingSince === null ? null : (author?.id ?? null), writingSince?.toISOString() ?? null],
      ...[author?.name ?? null, restoredFrom, now.toISOString()],
    ],
  )
}

/** All but the newest and the one that is sent. */
export async function removeOldVersions(execute: Execute, templateId: string, versionsMax: number): Promise<void> {
  await execute(
    `delete from template_versions v using templates t
      where t.id = $1::uuid and v.template_id = t.id and v.id <> t.current_version_id and v.id is distinct from t.published_version_id
        and v.id < (select id from template_versions where template_id = $1::uuid order by id desc offset $2::int limit 1)`,
    [templateId, versionsMax - 1],
  )
}

// What templates say, for those who read and send it.

/** A template that can be sent, if it has a version. */
export type SendableTemplate = { id: string; alias: string | null; publishedVersionId: string | null }

export type FoundVersion = { templateId: string; publishedVersionId: string | null; version: VersionRow }

export function templateVersionRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /** Null if the team has no such template. */
    async list(
      teamId: string,
      reference: TemplateReference,
      request: PageRequest,
    ): Promise<(Page<VersionSummaryRow> & { publishedVersionId: string | null }) | null> {
      const template = await tables.template.findFirst({ where: { teamId, ...reference }, select: { id: true, publishedVersionId: true } })
      if (!template) return null
      const page = await readPage(request, ({ where, ...rest }) =>
        tables.templateVersion.findMany({ where: { templateId: template.id, ...where }, select: versionSummarySelect, ...rest }),
      )
      return { ...page, publishedVersionId: template.publishedVersionId }
    },

    /** @param versionId null: the newest */
    async find(
      teamId: string,
      reference: TemplateReference,
      versionId: string | null,
    ): Promise<FoundVersion | 'no template' | 'no version'> {
      const select = { id: true, currentVersionId: true, publishedVersionId: true }
      const read = async () => {
        const template = await tables.template.findFirst({ where: { teamId, ...reference }, select })
        return { template, version: template && (await readVersion(tables, template.id, versionId ?? template.currentVersionId)) }
      }
      // The newest may be replaced between the two readings, by someone who is writing.
      const first = await read()
      const { template, version } = first.version || versionId !== null ? first : await read()
      if (!template) return 'no template'
      return version ? { templateId: template.id, publishedVersionId: template.publishedVersionId, version } : 'no version'
    },

    /** Finds the named templates that the team has. */
    async sendable(teamId: string, references: readonly TemplateReference[]): Promise<SendableTemplate[]> {
      const select = { id: true, alias: true, publishedVersionId: true }
      return tables.template.findMany({ where: { teamId, OR: [...references] }, select })
    },

    /** Null if it is gone: another was published, or the template was deleted, a moment ago. */
    async content(teamId: string, versionId: string): Promise<SentContent | null> {
      const row = await tables.templateVersion.findFirst({ where: { id: versionId, template: { teamId } }, select: sentSelect })
      return row && { ...row, variables: toVariableRows(row.variables) }
    },
  }
}
