// Saves templates: checks what the client wrote, and says what is doubtful about it.
import type { Context } from '../context.ts'
import type { Clock } from '../lib/clock.ts'
import { nameOfCopy } from '../lib/copied-names.ts'
import { invalid, notFound } from '../lib/failure.ts'
import { createId } from '../lib/ids.ts'
import type { TemplateReference } from '../lib/template-references.ts'
import { inUse, type Uses } from '../lib/uses.ts'
import { asArray, notEmpty } from '../mail/email-draft.ts'
import { checkTemplateFields } from '../mail/templates/template-fields.ts'
import { templateWarnings } from '../mail/templates/template-warnings.ts'
import type { TemplateContent, VariableRow } from '../repositories/templates/template-rows.ts'
import type { TemplateVariableInput } from '../schemas/template-variables.ts'
import {
  TEMPLATE_NAME_LENGTH_MAX,
  TEMPLATES,
  TEMPLATES_MAX,
  type TemplateCreate,
  type TemplateUpdate,
  VERSIONS_KEPT_MAX,
} from '../schemas/templates.ts'

type Dependencies = Pick<Context, 'repositories' | 'clock'>

export type SavedTemplate = { id: string; warnings: string[] }

const LIMITS = { templatesMax: TEMPLATES_MAX, versionsMax: VERSIONS_KEPT_MAX }

const FULL = `A team can have at most ${TEMPLATES_MAX.toLocaleString('en')} templates. Delete one first.`
const TAKEN = 'The `alias` field is the alias of another template of yours.'

/** @throws Failure if the team has no such template; with `unlessUsed`, also if an enabled automation sends it */
export async function removeTemplate(
  { repositories }: Pick<Context, 'repositories'>,
  teamId: string,
  reference: TemplateReference,
  { unlessUsed = false } = {},
): Promise<{ id: string; ended: Uses }> {
  const removed = await repositories.templates.remove(teamId, reference, { unlessUsed })
  if (!removed) throw notFound(TEMPLATES.noun)
  if ('usedBy' in removed) throw inUse('template', removed.usedBy)
  return removed
}

/** @throws Failure about the first field that is wrong, or a limit */
export async function createTemplate({ repositories, clock }: Dependencies, teamId: string, input: TemplateCreate): Promise<SavedTemplate> {
  const { name, alias = null, from = null, subject = null, reply_to: replyTo, html, text = null, variables } = input
  checkTemplateFields(withoutNulls(input))
  const content = { from, subject, replyTo: asArray(notEmpty(replyTo)), html, text, variables: variableRows(variables ?? [], [], clock) }
  const created = await repositories.templates.create(teamId, { name, alias, content }, LIMITS)
  if (created === 'full') throw invalid(FULL)
  if (created === 'taken') throw invalid(TAKEN)
  return { id: created.id, warnings: await warningsOf(repositories, teamId, content) }
}

/** Null means "not given" when something is created. */
const withoutNulls = ({ variables, ...input }: TemplateCreate): TemplateUpdate => ({ ...input, ...(variables && { variables }) })

/** @returns null if the team has no such template */
export async function updateTemplate(
  { repositories, clock }: Dependencies,
  teamId: string,
  { reference, input }: { reference: TemplateReference; input: TemplateUpdate },
): Promise<SavedTemplate | null> {
  checkTemplateFields(input)
  const { name, alias } = input
  const change = {
    ...(name !== undefined && { name }),
    ...(alias !== undefined && { alias }),
    contentOf: (current: TemplateContent) => changedContent(current, input, clock),
  }
  const updated = await repositories.templates.update(teamId, reference, { change, versionsMax: VERSIONS_KEPT_MAX })
  if (updated === 'taken') throw invalid(TAKEN)
  return updated && { id: updated.id, warnings: await warningsOf(repositories, teamId, updated.content) }
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
  }
  const content: TemplateContent = {
    from: from === undefined ? oldFrom : from,
    subject: subject === undefined ? oldSubject : subject,
    replyTo: replyTo === undefined ? oldReplyTo : asArray(notEmpty(replyTo)),
    html: html ?? oldHtml,
    text: text === undefined ? oldText : text,
    variables: variables === undefined ? oldVariables : variableRows(variables, oldVariables, clock),
  }
  return JSON.stringify(content) === JSON.stringify(before) ? null : content
}

/**
 * @returns null if the team has no such template
 * @throws FormUsed
 */
export async function duplicateTemplate(
  { repositories }: Pick<Dependencies, 'repositories'>,
  teamId: string,
  reference: TemplateReference,
  formId?: string,
): Promise<{ id: string } | null> {
  const nameOf = (name: string) => nameOfCopy(name, TEMPLATE_NAME_LENGTH_MAX)
  const copy = await repositories.templates.duplicate(teamId, reference, { nameOf, templatesMax: TEMPLATES_MAX, formId })
  if (copy === 'full') throw invalid(FULL)
  return copy
}

/** Its warnings are new: properties may have been deleted since. Null if the team has no such version. */
export async function restoreVersion(
  { repositories }: Pick<Dependencies, 'repositories'>,
  teamId: string,
  { reference, versionId }: { reference: TemplateReference; versionId: string },
): Promise<SavedTemplate | null> {
  const restored = await repositories.templates.restore(teamId, reference, { versionId, versionsMax: VERSIONS_KEPT_MAX })
  return restored && { id: restored.id, warnings: await warningsOf(repositories, teamId, restored.content) }
}

/** About what a version says now: a property may have been created or deleted since it was saved. */
export async function warningsOf(
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
