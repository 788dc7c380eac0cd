// What templates say, for those who read and send it.
import type { PageRequest } from '../../lib/page-request.ts'
import type { TemplateReference } from '../../lib/template-references.ts'
import type { Database } from '../database.ts'
import { type Page, readPage } from '../page.ts'
import {
  readVersion,
  type TemplateContent,
  toVersionRow,
  type VersionRow,
  type VersionSummaryRow,
  versionSelect,
  versionSummarySelect,
} from './template-rows.ts'

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
      const template = await tables.template.findFirst({ where: { teamId, ...reference }, select })
      if (!template) return 'no template'
      const version = await readVersion(tables, template.id, versionId ?? template.currentVersionId)
      return version ? { templateId: template.id, publishedVersionId: template.publishedVersionId, version } : 'no version'
    },

    /** Finds the named templates that the team has. */
    async sendable(teamId: string, references: readonly TemplateReference[]): Promise<SendableTemplate[]> {
      const select = { id: true, alias: true, publishedVersionId: true }
      return tables.template.findMany({ where: { teamId, OR: [...references] }, select })
    },

    /** Null if it is gone: another was published, or the template was deleted, a moment ago. */
    async content(teamId: string, versionId: string): Promise<TemplateContent | null> {
      const row = await tables.templateVersion.findFirst({ where: { id: versionId, template: { teamId } }, select: versionSelect })
      return row && toVersionRow(row)
    },
  }
}
