import { continueAct } from '../../db/acts.ts'
import type { Database, RecordTransaction } from '../../db/database.ts'
import { orTaken } from '../../db/database-errors.ts'
import { readPage } from '../../db/page.ts'
import type { RecordUses } from '../../db/record-uses.ts'
import { lockRow, lockTeamWithin } from '../../db/transactions.ts'
import { useFormIfAny } from '../../db/used-forms.ts'
import type { LastChange } from '../../lib/changed-meanwhile.ts'
import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import { quoted, type Removal, usesIn } from '../../lib/uses.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import { isStillWriting, type Writer } from '../audit/writers.ts'
import { LOOKED_AT_MAX } from '../images/images.schema.ts'
import type { TemplateReference } from './template-variables.schema.ts'
import {
  insertVersion,
  type NewVersion,
  readVersion,
  removeOldVersions,
  type TemplateContent,
  type TemplateRow,
  type TemplateSummaryRow,
  templateSelect,
} from './template-versions.repository.ts'
import { TEMPLATE_LIMIT } from './templates.schema.ts'

/** `author`: null if a command makes it. */
export type NewTemplate = { name: string; alias: string | null; content: TemplateContent; author: Writer | null }

/**
 * Absent fields stay as they are. `changeContent`: gives the content after the change, or null if it stays too. `expectedVersionId`: the newest one, if
 * that matters. `isAutosave`: an editor saves while its author writes.
 */
export type TemplateChange = {
  name?: string
  alias?: string | null
  changeContent(current: TemplateContent): TemplateContent | null
  expectedVersionId: string | null
  author: Writer
  isAutosave: boolean
}

/** Another version is the newest than the one that was expected. */
export type ChangedMeanwhile = { changedMeanwhile: LastChange }

/** How often a template is read whose newest version is replaced meanwhile. */
const READINGS_MAX = 3

export function templateRepository(
  { tables, records, execute }: Pick<Database, 'tables' | 'records' | 'execute'>,
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
    { name, alias, content, author }: NewTemplate,
    formId?: string,
  ): Promise<{ id: string }> {
    await lockTeamWithin(execute, teamId, { limit: TEMPLATE_LIMIT, count: () => inside.template.count({ where: { teamId } }) })
    const now = clock.now()
    await useFormIfAny({ tables: inside }, { id: formId, teamId, usedAt: now })
    const [id, versionId] = [createId(clock), createId(clock)]
    const data = { id, teamId, name, alias, currentVersionId: versionId, createdAt: now, updatedAt: now }
    await inside.template.create({ data, select: { id: true } })
    await insertVersion(execute, { id: versionId, templateId: id, content, now, author })
    return { id }
  }

  async function addVersion(
    { tables: inside, execute }: RecordTransaction,
    { versionsMax, ...version }: Omit<NewVersion, 'id'> & { versionsMax: number },
  ): Promise<string> {
    const id = createId(clock)
    const { templateId, now } = version
    await insertVersion(execute, { id, ...version })
    await inside.template.update({ where: { id: templateId }, data: { currentVersionId: id, updatedAt: now }, select: { id: true } })
    await removeOldVersions(execute, templateId, versionsMax)
    return id
  }

  /** Who made the newest version. */
  async function lastChange({ tables: inside }: RecordTransaction, versionId: string): Promise<ChangedMeanwhile> {
    const select = { authorName: true, createdAt: true }
    const { authorName, createdAt } = await inside.templateVersion.findUniqueOrThrow({ where: { id: versionId }, select })
    return { changedMeanwhile: { name: authorName, at: createdAt } }
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

    /** How many of the newest have this text, in their newest version or in the one that is published. */
    async countWith(teamId: string, text: string): Promise<number> {
      const [row] = await execute<{ count: number }>(COUNT_WITH, [teamId, text, LOOKED_AT_MAX])
      return row?.count ?? 0
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
    ): Promise<{ id: string; versionId: string; content: TemplateContent } | ChangedMeanwhile | 'taken' | null> {
      const { changeContent, expectedVersionId, author, isAutosave } = change
      const save = () =>
        withLock(teamId, reference, async (record, template) => {
          const { id, currentVersionId, publishedVersionId } = template
          if (expectedVersionId !== null && expectedVersionId !== currentVersionId) return lastChange(record, currentVersionId)
          const current = await readVersion(record.tables, id, currentVersionId)
          if (!current) throw new Error('The current version of a template is missing')
          const content = changeContent(current)
          const now = clock.now()
          const name = change.name ?? template.name
          const alias = change.alias === undefined ? template.alias : change.alias
          await record.tables.template.update({ where: { id }, data: { name, alias, updatedAt: now }, select: { id: true } })
          const version = { templateId: id, id: current.id }
          const isReplaced =
            isAutosave &&
            current.id !== publishedVersionId &&
            current.autosavedBy === author.id &&
            isStillWriting(current.autosaveBeganAt, now)
          // Its entry of the audit log is that of the version which is replaced.
          if (isReplaced && name === template.name && alias === template.alias) continueAct()
          if (content && isReplaced) await record.tables.templateVersion.deleteMany({ where: version })
          const writingSince = isReplaced ? current.autosaveBeganAt : isAutosave ? now : null
          const versionId = content
            ? await addVersion(record, { templateId: id, content, now, author, writingSince, versionsMax })
            : current.id
          if (!content && !isAutosave && current.autosavedBy !== null)
            await record.tables.templateVersion.updateMany({ where: version, data: { autosavedBy: null } })
          return { id, versionId, content: content ?? current }
        })
      return orTaken(save)
    },

    /** Its newest version is sent from now on, unless another one is expected. Null if the team has no such template. */
    async publish(
      teamId: string,
      reference: TemplateReference,
      { expectedVersionId = null }: { expectedVersionId?: string | null } = {},
    ): Promise<{ id: string } | ChangedMeanwhile | null> {
      return withLock(teamId, reference, async (record, { id, currentVersionId, publishedVersionId }) => {
        const inside = record.tables
        if (expectedVersionId !== null && expectedVersionId !== currentVersionId) return lastChange(record, currentVersionId)
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
      { nameOf, author, formId }: { nameOf: (name: string) => string; author: Writer; formId: string | undefined },
    ): Promise<{ id: string } | null> {
      const template = await find(teamId, reference)
      if (!template) return null
      const { name, content } = template
      return records((record) => insert(record, teamId, { name: nameOf(name), alias: null, content, author }, formId))
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
      { versionId, author, versionsMax }: { versionId: string; author: Writer; versionsMax: number },
    ): Promise<{ id: string; content: TemplateContent } | null> {
      return withLock(teamId, reference, async (record, { id, currentVersionId }) => {
        const content = await readVersion(record.tables, id, versionId)
        if (!content) return null
        if (content.id !== currentVersionId)
          await addVersion(record, { templateId: id, content, now: clock.now(), author, restoredFrom: versionId, versionsMax })
        return { id, content }
      })
    },
  }
}

const COUNT_WITH = `
select count(*)::int as count from (
  select current_version_id, published_version_id from templates where team_id = $1 order by id desc limit $3
) newest where exists (
  select from template_versions v where v.id in (newest.current_version_id, newest.published_version_id)
    and (position($2 in v.html) > 0 or position($2 in v.text) > 0)
)`
