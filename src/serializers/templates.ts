import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type {
  TemplateContent,
  TemplateRow,
  TemplateSummaryRow,
  VariableRow,
  VersionRow,
  VersionSummaryRow,
} from '../repositories/templates/template-rows.ts'
import type { TemplateVariable } from '../schemas/template-variables.ts'
import type { Template, TemplateSummary, TemplateVersion, TemplateVersionSummary } from '../schemas/templates.ts'

export const toTemplateSummary = (row: TemplateSummaryRow): Static<typeof TemplateSummary> => ({
  id: row.id,
  name: row.name,
  status: row.publishedVersionId === null ? 'draft' : 'published',
  published_at: toTimestamp(row.publishedAt),
  created_at: toTimestamp(row.createdAt),
  updated_at: toTimestamp(row.updatedAt),
  alias: row.alias,
})

export const toTemplate = ({ content, ...row }: TemplateRow): Static<typeof Template> => ({
  object: 'template',
  ...toTemplateSummary(row),
  current_version_id: row.currentVersionId,
  published_version_id: row.publishedVersionId,
  has_unpublished_versions: row.currentVersionId !== row.publishedVersionId,
  ...toContent(content),
})

export const toTemplateVersionSummary = (
  row: VersionSummaryRow,
  publishedVersionId: string | null,
): Static<typeof TemplateVersionSummary> => ({
  id: row.id,
  is_published: row.id === publishedVersionId,
  created_at: toTimestamp(row.createdAt),
  published_at: toTimestamp(row.publishedAt),
  ...toEnvelope(row),
})

export const toTemplateVersion = (row: VersionRow, publishedVersionId: string | null): Static<typeof TemplateVersion> => ({
  object: 'template_version',
  ...toTemplateVersionSummary(row, publishedVersionId),
  ...toContent(row),
})

const toEnvelope = ({ from, subject, replyTo }: Pick<TemplateContent, 'from' | 'subject' | 'replyTo'>) => ({
  from,
  subject,
  reply_to: replyTo.length === 0 ? null : replyTo.join(', '),
})

const toContent = ({ html, text, variables, ...envelope }: TemplateContent) => ({
  ...toEnvelope(envelope),
  html,
  text,
  variables: variables.map(toVariable),
})

const toVariable = ({ id, key, type, fallbackValue, createdAt, updatedAt }: VariableRow): Static<typeof TemplateVariable> => ({
  id,
  key,
  type,
  fallback_value: fallbackValue,
  created_at: toTimestamp(createdAt),
  updated_at: toTimestamp(updatedAt),
})
