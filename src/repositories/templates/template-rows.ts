// A template as it is stored, and its versions, which are written once; in SQL, because the fallbacks of variables are JSON of any shape.
import type { Prisma } from '../../generated/prisma/client.ts'
import type { VariableType, VariableValue } from '../../schemas/template-variables.ts'
import { oneOf, stored } from '../columns.ts'
import type { Execute, RecordTransaction } from '../database.ts'

const VARIABLE_TYPES: Record<VariableType, true> = { string: true, number: true, boolean: true, object: true, list: true }

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
}

export type VersionRow = TemplateContent & { id: string; createdAt: Date; publishedAt: Date | null }

export type VersionSummaryRow = Omit<VersionRow, 'html' | 'text' | 'variables'>

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
export const versionSummarySelect = { id: true, from: true, subject: true, replyTo: true, createdAt: true, publishedAt: true } as const

export const versionSelect = { ...versionSummarySelect, html: true, text: true, variables: true } as const

export const toVersionRow = ({ variables, ...row }: Prisma.TemplateVersionGetPayload<{ select: typeof versionSelect }>): VersionRow => ({
  ...row,
  variables: toVariableRows(variables),
})

const toVariableRows = (json: Prisma.JsonValue): VariableRow[] =>
  stored<StoredVariable[]>(json).map(({ createdAt, updatedAt, type, ...rest }) => ({
    ...rest,
    type: oneOf(VARIABLE_TYPES, type),
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  }))

type StoredVariable = Omit<VariableRow, 'createdAt' | 'updatedAt'> & { createdAt: string; updatedAt: string }

export async function readVersion(tables: RecordTransaction['tables'], templateId: string, id: string): Promise<VersionRow | null> {
  const row = await tables.templateVersion.findFirst({ where: { templateId, id }, select: versionSelect })
  return row && toVersionRow(row)
}

export async function insertVersion(
  execute: Execute,
  { id, templateId, content, now }: { id: string; templateId: string; content: TemplateContent; now: Date },
): Promise<void> {
  const { from, subject, replyTo, html, text, variables } = content
  await execute(
    `insert into template_versions (id, template_id, "from", subject, reply_to, html, text, variables, created_at)
     values ($1::uuid, $2::uuid, $3, $4, $5::text[], $6, $7, $8::jsonb, $9::timestamptz)`,
    [id, templateId, from, subject, replyTo, html, text, JSON.stringify(variables), now.toISOString()],
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
