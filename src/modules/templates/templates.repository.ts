import type { Database, RecordTransaction } from '../../db/database.ts'
import { orTaken } from '../../db/database-errors.ts'
import { readPage } from '../../db/page.ts'
import type { RecordUses } from '../../db/record-uses.ts'
import { lockRow, lockTeamWithin } from '../../db/transactions.ts'
import { useFormIfAny } from '../../db/used-forms.ts'
import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import { quoted, type Removal, usesIn } from '../../lib/uses.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { TemplateReference } from './template-variables.schema.ts'
import {
  insertVersion,
  readVersion,
  removeOldVersions,
  type TemplateContent,
  type TemplateRow,
  type TemplateSummaryRow,
  templateSelect,
  type VersionRow,
} from './template-versions.repository.ts'
import { TEMPLATE_LIMIT } from './templates.schema.ts'

export type NewTemplate = { name: string; alias: string | null; content: TemplateContent }

/**
 * Absent fields stay as they are. `changeContent`: gives the content after the change, or null if it stays too. `expectedVersionId`: the newest one, if
 * that matters. `autosavedBy`: who is writing; null if it is saved by intent.
 */
export type TemplateChange = {
  name?: string
  alias?: string | null
  changeContent(current: TemplateContent): TemplateContent | null
  expectedVersionId: string | null
  autosavedBy: string | null
}

/** How often a template is read whose newest version is replaced meanwhile. */
const READINGS_MAX = 3

export function templateRepository(
  { tables, records }: Pick<Database, 'tables' | 'records'>,
  { clock, recordUses }: { clock: Clock; recordUses: RecordUses },
) {
  /** Runs `work` while no one else changes the template, so that its versions follow each other. Null if the team has no such template. */
  async function withLock<Result>(
    teamId: string,
    reference: TemplateReference,
    work: (record: RecordTransaction, template: TemplateSummaryRow) => Promise<Result>,
  ): Promise<Result | null> {
    return records(async (record) => {
      const named = await record.tables.template.findFirst({ where: { teamId, ...reference }, select: { id: true } })
      if (!named || !(await lockRow(record.execute, 'templates', teamId, named.id))) return null
      const template = await record.tables.template.findFirst({ where: { teamId, id: named.id }, select: templateSelect })
      return template && work(record, template)
    })
  }

  /** @throws Failure if the team has as many as it may have; FormUsed */
  async function insert(
    { tables: inside, execute }: RecordTransaction,
    teamId: string,
    { name, alias, content }: NewTemplate,
    formId?: string,
  ): Promise<{ id: string }> {
    await lockTeamWithin(execute, teamId, { limit: TEMPLATE_LIMIT, count: () => inside.template.count({ where: { teamId } }) })
    const now = clock.now()
    await useFormIfAny({ tables: inside }, { id: formId, teamId, usedAt: now })
    const [id, versionId] = [createId(clock), createId(clock)]
    const data = { id, teamId, name, alias, currentVersionId: versionId, createdAt: now, updatedAt: now }
    await inside.template.create({ data, select: { id: true } })
    await insertVersion(execute, { id: versionId, templateId: id, content, now })
    return { id }
  }

  async function addVersion(
    { tables: inside, execute }: RecordTransaction,
    templateId: string,
    {
      content,
      versionsMax,
      writing = null,
    }: { content: TemplateContent; versionsMax: number; writing?: { by: string; since: Date | null } | null },
  ): Promise<string> {
    const now = clock.now()
    const id = createId(clock)
    await insertVersion(execute, { id, templateId, content, now, writing: writing && { by: writing.by, since: writing.since ?? now } })
    await inside.template.update({ where: { id: templateId }, data: { currentVersionId: id, updatedAt: now }, select: { id: true } })
    await removeOldVersions(execute, templateId, versionsMax)
    return id
  }

  async function find(teamId: string, reference: TemplateReference): Promise<TemplateRow | null> {
    // Between the two readings, the version may be replaced by that of someone who is writing.
    for (let triesLeft = READINGS_MAX; triesLeft > 0; triesLeft -= 1) {
      const template = await tables.template.findFirst({ where: { teamId, ...reference }, select: templateSelect })
      const content = template && (await readVersion(tables, template.id, template.currentVersionId))
      if (!template || content) return template && content && { ...template, content }
    }
    return null
  }

  return {
    find,

    list(teamId: string, request: PageRequest): Promise<Page<TemplateSummaryRow>> {
      return readPage(request, ({ where, ...rest }) =>
        tables.template.findMany({ where: { teamId, ...where }, select: templateSelect, ...rest }),
      )
    },

    /** `taken`: another template of the team has the alias. */
    create(teamId: string, template: NewTemplate): Promise<{ id: string } | 'taken'> {
      return orTaken(() => records((record) => insert(record, teamId, template)))
    },

    /** A change of the content makes a new version. Null if the team has no such template. */
    async updateTemplate(
      teamId: string,
      reference: TemplateReference,
      { change, versionsMax }: { change: TemplateChange; versionsMax: number },
    ): Promise<{ id: string; versionId: string; content: TemplateContent } | { changedMeanwhile: string } | 'taken' | null> {
      const { name, alias, changeContent, expectedVersionId, autosavedBy } = change
      const save = () =>
        withLock(teamId, reference, async (record, { id, currentVersionId, publishedVersionId }) => {
          if (expectedVersionId !== null && expectedVersionId !== currentVersionId) return { changedMeanwhile: id }
          const current = await readVersion(record.tables, id, currentVersionId)
          if (!current) throw new Error('The current version of a template is missing')
          const content = changeContent(current)
          const data = { ...(name !== undefined && { name }), ...(alias !== undefined && { alias }), updatedAt: clock.now() }
          await record.tables.template.update({ where: { id }, data, select: { id: true } })
          const version = { templateId: id, id: current.id }
          const isReplaced = current.id !== publishedVersionId && isBeingWritten(current, autosavedBy, clock.now())
          const writing = autosavedBy === null ? null : { by: autosavedBy, since: isReplaced ? current.autosaveBeganAt : null }
          if (content && isReplaced) await record.tables.templateVersion.deleteMany({ where: version })
          const versionId = content ? await addVersion(record, id, { content, versionsMax, writing }) : current.id
          if (!content && autosavedBy === null && current.autosavedBy !== null)
            await record.tables.templateVersion.updateMany({ where: version, data: { autosavedBy: null } })
          return { id, versionId, content: content ?? current }
        })
      return orTaken(save)
    },

    /** Its newest version is sent from now on. Null if the team has no such template. */
    async publish(teamId: string, reference: TemplateReference): Promise<{ id: string } | null> {
      return withLock(teamId, reference, async ({ tables: inside }, { id, currentVersionId, publishedVersionId }) => {
        if (currentVersionId === publishedVersionId) return { id }
        const now = clock.now()
        await inside.templateVersion.update({ where: { id: currentVersionId }, data: { publishedAt: now }, select: { id: true } })
        const data = { publishedVersionId: currentVersionId, publishedAt: now, updatedAt: now }
        return inside.template.update({ where: { id }, data, select: { id: true } })
      })
    },

    /** A draft with the content of the newest version, without an alias. Null if the team has no such template. */
    async duplicate(
      teamId: string,
      reference: TemplateReference,
      { nameOf, formId }: { nameOf: (name: string) => string; formId: string | undefined },
    ): Promise<{ id: string } | null> {
      const template = await find(teamId, reference)
      if (!template) return null
      const { name, content } = template
      return records((record) => insert(record, teamId, { name: nameOf(name), alias: null, content }, formId))
    },

    /** Removes the template with its versions. Null if the team has no such template. */
    async deleteTemplate(teamId: string, reference: TemplateReference, { unlessUsed = false } = {}): Promise<Removal | null> {
      return withLock(teamId, reference, async ({ tables: inside, execute }, { id, alias, name }) => {
        const uses = await recordUses.ofTemplate(execute, teamId, { id, alias })
        if (unlessUsed && uses.length > 0) return { usedBy: usesIn(uses) }
        await inside.template.delete({ where: { id }, select: { id: true } })
        const automation = `The template ${quoted(name)}, which it sends, was deleted.`
        await recordUses.end(execute, teamId, { uses, reasons: { automation }, now: clock.now() })
        return { id, ended: usesIn(uses) }
      })
    },

    /** Makes a new version with the content of an older one. Null if the team has no such version. */
    async restore(
      teamId: string,
      reference: TemplateReference,
      { versionId, versionsMax }: { versionId: string; versionsMax: number },
    ): Promise<{ id: string; content: TemplateContent } | null> {
      return withLock(teamId, reference, async (record, { id, currentVersionId }) => {
        const content = await readVersion(record.tables, id, versionId)
        if (!content) return null
        if (content.id !== currentVersionId) await addVersion(record, id, { content, versionsMax })
        return { id, content }
      })
    },
  }
}

/** Whether the next version of the one who is writing takes the place of this one, so that the history is not full of half sentences. */
const isBeingWritten = ({ autosavedBy, autosaveBeganAt }: VersionRow, writer: string | null, now: Date): boolean =>
  writer !== null && autosavedBy === writer && autosaveBeganAt !== null && now.getTime() - autosaveBeganAt.getTime() < WRITTEN_MS_MAX

/** Someone who writes for longer finds what there was at the end of each hour. */
const WRITTEN_MS_MAX = 60 * 60 * 1000
