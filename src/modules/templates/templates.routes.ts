import type { Static } from '@sinclair/typebox'
import { type Caller, declareOperations, type Routes } from '../../http/operation.ts'
import { plainResource } from '../../http/plain-resource.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { DeletionQuery, ListQuery } from '../../lib/validation/common.schema.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import { requireSending } from '../accounts/scopes.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { AuditContext } from '../audit/audit.context.ts'
import { writerOf } from '../audit/writers.service.ts'
import { authorFor } from '../audit/writers.ts'
import { fromStoredDocument } from './content-document.ts'
import { type TemplateVariable, templateReference } from './template-variables.schema.ts'
import type {
  TemplateContent,
  TemplateRow,
  TemplateSummaryRow,
  VariableRow,
  VersionRow,
  VersionSummaryRow,
} from './template-versions.repository.ts'
import type { TemplatesContext } from './templates.context.ts'
import {
  EXAMPLE_CONTENT,
  TEMPLATE_LIMIT,
  TEMPLATE_VERSIONS,
  TEMPLATES,
  Template,
  TemplateCreate,
  TemplateDeletion,
  TemplateList,
  TemplateParams,
  TemplatePublish,
  TemplateReference,
  TemplateSaved,
  type TemplateSummary,
  TemplateUpdate,
  type TemplateVersion,
  type TemplateVersionSummary,
  VERSIONS_KEPT_MAX,
} from './templates.schema.ts'
import { createTemplate, deleteTemplate, duplicateTemplate, publishTemplate, updateTemplate } from './templates.service.ts'

type Context = PlatformContext & AccountsContext & AudienceContext & AuditContext & TemplatesContext

export const toTemplateSummary = (row: TemplateSummaryRow): Static<typeof TemplateSummary> => ({
  id: row.id,
  name: row.name,
  status: row.publishedVersionId === null ? 'draft' : 'published',
  published_at: toTimestamp(row.publishedAt),
  created_at: toTimestamp(row.createdAt),
  updated_at: toTimestamp(row.updatedAt),
  alias: row.alias,
  has_unpublished_versions: row.currentVersionId !== row.publishedVersionId,
})

export const toTemplate = ({ content, ...row }: TemplateRow): Static<typeof Template> => ({
  object: 'template',
  ...toTemplateSummary(row),
  current_version_id: row.currentVersionId,
  published_version_id: row.publishedVersionId,
  ...toContent(content),
})

type OfVersions = { publishedVersionId: string | null; reader: Caller }

export const toTemplateVersionSummary = (
  row: VersionSummaryRow,
  { publishedVersionId, reader }: OfVersions,
): Static<typeof TemplateVersionSummary> => ({
  id: row.id,
  is_published: row.id === publishedVersionId,
  author: authorFor(reader, row),
  restored_from: row.restoredFrom,
  created_at: toTimestamp(row.createdAt),
  published_at: toTimestamp(row.publishedAt),
  ...toEnvelope(row),
})

export const toTemplateVersion = (row: VersionRow, of: OfVersions): Static<typeof TemplateVersion> => ({
  object: 'template_version',
  ...toTemplateVersionSummary(row, of),
  ...toContent(row),
})

const toEnvelope = ({ from, subject, replyTo }: Pick<TemplateContent, 'from' | 'subject' | 'replyTo'>) => ({
  from,
  subject,
  reply_to: replyTo.length === 0 ? null : replyTo.join(', '),
})

const toContent = ({ html, text, variables, contentDocument, ...envelope }: TemplateContent) => ({
  ...toEnvelope(envelope),
  html,
  text,
  content_document: fromStoredDocument(contentDocument),
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

const operation = declareOperations(TEMPLATES)
const template = plainResource(TEMPLATES, 'template')

export const templateRoutes: Routes<Context> = async (app, { context }) => {
  const { templates } = context.repositories

  app.post(
    '/templates',
    operation({
      id: 'templates.create',
      summary: 'Create a template',
      description: `Creates a template: an email with placeholders such as \`{{{PRODUCT}}}\`. It is a draft until it is published. ${TEMPLATE_LIMIT.sentence}.`,
      access: 'full',
      audit: 'always',
      body: TemplateCreate,
      reply: { 201: TemplateSaved },
      example: {
        body: {
          name: 'Order confirmation',
          alias: 'order-confirmation',
          from: EXAMPLE_CONTENT.from,
          subject: EXAMPLE_CONTENT.subject,
          html: EXAMPLE_CONTENT.html,
          variables: [{ key: 'PRODUCT', type: 'string', fallback_value: 'your order' }],
        },
        reply: { ...template.examples.reference, warnings: [] },
      },
    }),
    async ({ caller, body }) => {
      const author = await writerOf(context.repositories, caller)
      return template.reference(await createTemplate(context, caller.teamId, body, { author }))
    },
  )

  app.get(
    '/templates',
    operation({
      id: 'templates.list',
      summary: 'List templates',
      description: 'Returns the templates of the team without their content, newest first, 20 by default.',
      access: 'full',
      audit: 'never',
      query: ListQuery,
      reply: { 200: TemplateList },
      example: { reply: template.examples.list },
    }),
    template.list(templates.list, toTemplateSummary, 'always'),
  )

  app.get(
    '/templates/:template_id',
    operation({
      id: 'templates.retrieve',
      summary: 'Retrieve a template',
      description: 'Returns a template, by its id or alias, with the content of its newest version.',
      access: 'full',
      audit: 'never',
      params: TemplateParams,
      reply: { 200: Template },
      example: {
        reply: {
          object: 'template',
          ...TEMPLATES.example,
          current_version_id: TEMPLATE_VERSIONS.example.id,
          published_version_id: TEMPLATE_VERSIONS.example.id,
          ...EXAMPLE_CONTENT,
        },
      },
    }),
    template.retrieve((teamId, reference) => templates.find(teamId, templateReference(reference)), toTemplate),
  )

  app.patch(
    '/templates/:template_id',
    operation({
      id: 'templates.update',
      summary: 'Update a template',
      description: `Changes a template. A new name or alias applies at once. Any other change creates a new version, which is sent once it is published. The newest ${VERSIONS_KEPT_MAX} versions and the published one are kept.`,
      access: 'full',
      audit: 'always',
      sends: 'when the alias changes, which applies at once',
      params: TemplateParams,
      body: TemplateUpdate,
      reply: { 200: TemplateSaved },
      example: {
        body: { subject: 'Your order is on its way' },
        reply: { ...template.examples.reference, warnings: [] },
      },
    }),
    async ({ caller, params, body }) => {
      // Programs that send by this alias then send another template.
      if (body.alias !== undefined) requireSending(caller)
      return template.reference(await updateTemplate(context, caller, { reference: templateReference(params.template_id), input: body }))
    },
  )

  app.delete(
    '/templates/:template_id',
    operation({
      id: 'templates.delete',
      summary: 'Delete a template',
      description:
        'Deletes a template and its versions. Emails that were created from it stay as they are, and scheduled ones are still sent. Enabled automations that send it are disabled.',
      access: 'full',
      audit: 'always',
      // Scheduled mail is sent by it.
      sends: true,
      params: TemplateParams,
      query: DeletionQuery,
      reply: { 200: TemplateDeletion },
      example: { reply: template.examples.deletion },
      warns: true,
    }),
    async ({ teamId, params, query }, reply) => {
      const removed = await deleteTemplate(context, teamId, templateReference(params.template_id), { unlessUsed: query.unless_used })
      return template.deletionOfUsed(removed, reply)
    },
  )

  app.post(
    '/templates/:template_id/publish',
    operation({
      id: 'templates.publish',
      summary: 'Publish a template',
      description: 'Makes the newest version the one that is sent. Emails that are scheduled already stay as they are.',
      access: 'full',
      audit: 'always',
      // Scheduled broadcasts and enabled automations send by it.
      sends: true,
      params: TemplateParams,
      body: TemplatePublish,
      reply: { 200: TemplateReference },
      example: { body: { expected_version: TEMPLATE_VERSIONS.example.id }, reply: template.examples.reference },
    }),
    async ({ teamId, params, body }) => {
      const expectedVersion = body.expected_version ?? null
      return template.reference(
        await publishTemplate(context, teamId, { reference: templateReference(params.template_id), expectedVersion }),
      )
    },
  )

  app.post(
    '/templates/:template_id/duplicate',
    operation({
      id: 'templates.duplicate',
      summary: 'Duplicate a template',
      description: 'Creates a draft with the content of the newest version. Its name ends in `(copy)`, and it has no alias.',
      access: 'full',
      audit: 'always',
      params: TemplateParams,
      reply: { 200: TemplateReference },
      example: { reply: template.examples.reference },
    }),
    async ({ caller, params }) => template.reference(await duplicateTemplate(context, caller, templateReference(params.template_id))),
  )
}
