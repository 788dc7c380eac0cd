// Saves templates: checks what the client wrote, and says what is doubtful about it.

import type { Caller } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { changedMeanwhile } from '../../lib/changed-meanwhile.ts'
import type { Clock } from '../../lib/clock.ts'
import { invalid, notFound } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import type { TakeRoom } from '../../lib/limits/shared-room.ts'
import { nameOfCopy } from '../../lib/text.ts'
import { inUse, type Uses } from '../../lib/uses.ts'
import { asArray, notEmpty } from '../../mail/address-forms.ts'
import { FILLED_BYTES_MAX, readShortContent } from '../../mail/rendering/rendering.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { AuditContext } from '../audit/audit.context.ts'
import { writerOf } from '../audit/writers.service.ts'
import type { Writer } from '../audit/writers.ts'
import { changedDocument, toStoredDocument } from './content-document.ts'
import type { FilledTemplate } from './filled-template.ts'
import { checkTemplateFields, templateWarnings } from './template-fields.ts'
import type { TemplateReference, TemplateVariableInput, VariableValues } from './template-variables.schema.ts'
import type { TemplateContent, VariableRow, VersionRow } from './template-versions.repository.ts'
import type { TemplatesContext } from './templates.context.ts'
import { TEMPLATE_NAME_LENGTH_MAX, TEMPLATES, type TemplateCreate, type TemplateUpdate, VERSIONS_KEPT_MAX } from './templates.schema.ts'

type Context = PlatformContext & AccountsContext & AudienceContext & AuditContext & TemplatesContext

// Shows what a template would say, without sending it.

/** @throws Failure about the first value that is wrong */
export async function renderTemplate(
  { repositories, gateways }: Pick<Context, 'repositories' | 'gateways'>,
  teamId: string,
  {
    reference,
    versionId,
    values,
    takeRoom,
  }: { reference: TemplateReference; versionId: string | null; values: VariableValues; takeRoom: TakeRoom },
): Promise<{ id: string; version: VersionRow; filled: FilledTemplate } | 'no template' | 'no version'> {
  const found = await repositories.templateVersions.find(teamId, reference, versionId)
  if (typeof found === 'string') return found
  const { version, templateId } = found
  const source = { subject: version.subject, html: version.html, text: version.text, previewText: null }
  const filled = await gateways.texts.fillTemplate(
    teamId,
    { versionId: null, source, content: await readShortContent(source) },
    { variables: version.variables, values, field: 'variables', team: await repositories.teams.valuesOf(teamId) },
    { isOfRequest: true },
  )
  if (filled === 'too long') throw invalid(TOO_LONG)
  takeRoom(Buffer.byteLength(filled.html) + Buffer.byteLength(filled.text ?? ''))
  return { id: templateId, version, filled }
}

const TOO_LONG = `The template has more than ${FILLED_BYTES_MAX / 1024 / 1024} MB of HTML and text once it is filled in. Send shorter values, or use fewer placeholders.`

type Dependencies = Pick<Context, 'repositories' | 'clock'>

/** `version`: only if the client said which it expects. */
export type SavedTemplate = { id: string; warnings: string[]; version?: string }

const TAKEN = 'Another of your templates already has this `alias`. Choose another one.'

/** @throws Failure if the team has no such template; with `unlessUsed`, also if an enabled automation sends it */
export async function deleteTemplate(
  { repositories }: Pick<Context, 'repositories'>,
  teamId: string,
  reference: TemplateReference,
  { unlessUsed = false } = {},
): Promise<{ id: string; ended: Uses }> {
  const removed = await repositories.templates.deleteTemplate(teamId, reference, { unlessUsed })
  if (!removed) throw notFound(TEMPLATES.noun)
  if ('usedBy' in removed) throw inUse('template', removed.usedBy)
  return removed
}

/** @throws Failure about the first field that is wrong, or a limit */
export async function createTemplate(
  { repositories, clock }: Dependencies,
  teamId: string,
  input: TemplateCreate,
  { author = null }: { author?: Writer | null } = {},
): Promise<SavedTemplate> {
  const { name, alias = null, from = null, subject = null, reply_to: replyTo, html, text = null, variables } = input
  checkTemplateFields(withoutNulls(input))
  const content = {
    ...{ from, subject, replyTo: asArray(notEmpty(replyTo)), html, text, variables: variableRows(variables ?? [], [], clock) },
    contentDocument: toStoredDocument(input.content_document),
  }
  const created = await repositories.templates.create(teamId, { name, alias, content, author })
  if (created === 'taken') throw invalid(TAKEN)
  return { id: created.id, warnings: await findWarnings(repositories, teamId, content) }
}

/** Null means "not given" when something is created. */
const withoutNulls = ({ variables, ...input }: TemplateCreate): TemplateUpdate => ({ ...input, ...(variables && { variables }) })

/** @returns null if the team has no such template */
export async function updateTemplate(
  { repositories, clock }: Dependencies,
  caller: Caller,
  { reference, input }: { reference: TemplateReference; input: TemplateUpdate },
): Promise<SavedTemplate | null> {
  checkTemplateFields(input)
  const { name, alias } = input
  // Programs send by the alias, so that of half a word is not saved by itself.
  if (input.autosave === true && alias !== undefined)
    throw invalid('The `alias` field applies at once, so it cannot change with `autosave`: send it without.')
  const change = {
    ...(name !== undefined && { name }),
    ...(alias !== undefined && { alias }),
    changeContent: (current: TemplateContent) => changedContent(current, input, clock),
    expectedVersionId: input.expected_version?.toLowerCase() ?? null,
    author: await writerOf(repositories, caller),
    isAutosave: input.autosave === true,
  }
  const updated = await repositories.templates.updateTemplate(caller.teamId, reference, { change, versionsMax: VERSIONS_KEPT_MAX })
  if (updated === 'taken') throw invalid(TAKEN)
  if (updated && 'changedMeanwhile' in updated) throw changedMeanwhile('template', updated.changedMeanwhile)
  if (!updated) return null
  const warnings = await findWarnings(repositories, caller.teamId, updated.content)
  return { id: updated.id, warnings, ...(input.expected_version !== undefined && { version: updated.versionId }) }
}

/**
 * Its newest version is sent from now on.
 *
 * @returns null if the team has no such template
 * @throws Failure if another version is the newest than the one that was looked at
 */
export async function publishTemplate(
  { repositories }: Pick<Dependencies, 'repositories'>,
  teamId: string,
  { reference, expectedVersion }: { reference: TemplateReference; expectedVersion: string | null },
): Promise<{ id: string } | null> {
  const published = await repositories.templates.publish(teamId, reference, { expectedVersionId: expectedVersion?.toLowerCase() ?? null })
  if (published && 'changedMeanwhile' in published) throw changedMeanwhile('template', published.changedMeanwhile, 'publish')
  return published
}

/** Null if nothing changes, so that the same update twice makes one version. */
function changedContent(current: TemplateContent, input: TemplateUpdate, clock: Clock): TemplateContent | null {
  const { from, subject, reply_to: replyTo, html, text, variables } = input
  const { from: oldFrom, subject: oldSubject, replyTo: oldReplyTo, html: oldHtml, text: oldText, variables: oldVariables } = current
  const before: TemplateContent = {
    from: oldFrom,
    subject: oldSubject,
    replyTo: oldReplyTo,
    html: oldHtml,
    text: oldText,
    variables: oldVariables,
    contentDocument: current.contentDocument,
  }
  const content: TemplateContent = {
    from: from === undefined ? oldFrom : from,
    subject: subject === undefined ? oldSubject : subject,
    replyTo: replyTo === undefined ? oldReplyTo : asArray(notEmpty(replyTo)),
    html: html ?? oldHtml,
    text: text === undefined ? oldText : text,
    variables: variables === undefined ? oldVariables : variableRows(variables, oldVariables, clock),
    contentDocument: changedDocument(current.contentDocument, input),
  }
  return JSON.stringify(content) === JSON.stringify(before) ? null : content
}

/**
 * @returns null if the team has no such template
 * @throws FormUsed
 */
export async function duplicateTemplate(
  { repositories }: Pick<Dependencies, 'repositories'>,
  caller: Caller,
  reference: TemplateReference,
  formId?: string,
): Promise<{ id: string } | null> {
  const nameOf = (name: string) => nameOfCopy(name, TEMPLATE_NAME_LENGTH_MAX)
  const author = await writerOf(repositories, caller)
  return repositories.templates.duplicate(caller.teamId, reference, { nameOf, author, formId })
}

/** Its warnings are new: properties may have been deleted since. Null if the team has no such version. */
export async function restoreVersion(
  { repositories }: Pick<Dependencies, 'repositories'>,
  caller: Caller,
  { reference, versionId }: { reference: TemplateReference; versionId: string },
): Promise<SavedTemplate | null> {
  const author = await writerOf(repositories, caller)
  const restored = await repositories.templates.restore(caller.teamId, reference, { versionId, author, versionsMax: VERSIONS_KEPT_MAX })
  return restored && { id: restored.id, warnings: await findWarnings(repositories, caller.teamId, restored.content) }
}

/** About what a version says now: a property may have been created or deleted since it was saved. */
export async function findWarnings(
  { contactProperties }: Context['repositories'],
  teamId: string,
  content: TemplateContent,
): Promise<string[]> {
  const properties = await contactProperties.all(teamId)
  return templateWarnings([content.subject, content.html, content.text], { properties, variables: content.variables })
}

/** A variable keeps its id as long as the template has its key. */
function variableRows(inputs: readonly TemplateVariableInput[], before: readonly VariableRow[], clock: Clock): VariableRow[] {
  const now = clock.now()
  return inputs.map(({ key, type, fallback_value: fallbackValue = null }) => {
    const old = before.find((variable) => variable.key === key)
    if (!old) return { id: createId(clock), key, type, fallbackValue, createdAt: now, updatedAt: now }
    const isSame = old.type === type && JSON.stringify(old.fallbackValue) === JSON.stringify(fallbackValue)
    return { ...old, type, fallbackValue, updatedAt: isSame ? old.updatedAt : now }
  })
}
