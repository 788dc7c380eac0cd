// What templates gives to those that come after: its repositories, and what else compose makes of it.
import type { Database } from '../../db/database.ts'
import type { RecordUses } from '../../db/record-uses.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ReadContents } from '../../mail/rendering/rendering.ts'
import type { TemplateTexts } from './template-texts.ts'
import { type TemplateContent, templateVersionRepository } from './template-versions.repository.ts'
import { templateRepository } from './templates.repository.ts'

/** By the id of the version, with what else an email takes from it. */
export type TemplateContents = ReadContents<Pick<TemplateContent, 'from' | 'replyTo' | 'variables'>>

export type TemplatesContext = {
  repositories: ReturnType<typeof templatesRepositories>
  gateways: { texts: TemplateTexts }
  /** What the templates say that were sent last, read once for all emails. */
  templateContents: TemplateContents
}

export const templatesRepositories = (database: Database, { clock, recordUses }: { clock: Clock; recordUses: RecordUses }) => ({
  templateVersions: templateVersionRepository(database),
  templates: templateRepository(database, { clock, recordUses }),
})
