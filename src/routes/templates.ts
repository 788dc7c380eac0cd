import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { templateReference } from '../lib/template-references.ts'
import { endedWarnings } from '../lib/uses.ts'
import { DeletionQuery, ListQuery } from '../schemas/common.ts'
import { requireSending } from '../schemas/oauth-scopes.ts'
import {
  EXAMPLE_CONTENT,
  TEMPLATE_VERSIONS,
  TEMPLATES,
  TEMPLATES_MAX,
  Template,
  TemplateCreate,
  TemplateDeletion,
  TemplateList,
  TemplateParams,
  TemplateReference,
  TemplateSaved,
  TemplateUpdate,
  VERSIONS_KEPT_MAX,
} from '../schemas/templates.ts'
import { toList } from '../serializers/list.ts'
import { toTemplate, toTemplateSummary } from '../serializers/templates.ts'
import { createTemplate, duplicateTemplate, removeTemplate, updateTemplate } from '../services/save-template.ts'
import { type Call, operation, routes } from './operation.ts'

export const templateRoutes = routes(TEMPLATES, (context) => {
  const { templates } = context.repositories

  async function create({ teamId, body }: Call<{ body: typeof TemplateCreate }>) {
    return { object: 'template' as const, ...(await createTemplate(context, teamId, body)) }
  }

  async function list({ teamId, query }: Call<{ query: typeof ListQuery }>) {
    return toList(await templates.list(teamId, pageRequest(query, 'always')), toTemplateSummary)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof TemplateParams }>) {
    return toTemplate(found(await templates.find(teamId, templateReference(params.template_id))))
  }

  async function update({ holder, teamId, params, body }: Call<{ params: typeof TemplateParams; body: typeof TemplateUpdate }>) {
    // Programs that send by this alias then send another template.
    if (body.alias !== undefined) requireSending(holder)
    const updated = await updateTemplate(context, teamId, { reference: templateReference(params.template_id), input: body })
    return { object: 'template' as const, ...found(updated) }
  }

  async function publish({ teamId, params }: Call<{ params: typeof TemplateParams }>) {
    return { object: 'template' as const, ...found(await templates.publish(teamId, templateReference(params.template_id))) }
  }

  async function duplicate({ teamId, params }: Call<{ params: typeof TemplateParams }>) {
    return { object: 'template' as const, ...found(await duplicateTemplate(context, teamId, templateReference(params.template_id))) }
  }

  async function remove({ teamId, params, query, warn }: Call<{ params: typeof TemplateParams; query: typeof DeletionQuery }>) {
    const unlessUsed = query.unless_used === true
    const { id, ended } = await removeTemplate(context, teamId, templateReference(params.template_id), { unlessUsed })
    warn(endedWarnings(ended))
    return { object: 'template' as const, id, deleted: true }
  }

  return [
    operation({
      id: 'templates.create',
      method: 'POST',
      path: '/templates',
      summary: 'Create a template',
      description: `Creates a template: an email with placeholders such as \`{{{PRODUCT}}}\`. It is a draft until it is published. A team can have at most ${TEMPLATES_MAX.toLocaleString('en')} templates.`,
      access: 'full',
      status: 201,
      body: TemplateCreate,
      reply: TemplateSaved,
      example: {
        body: {
          name: 'Order confirmation',
          alias: 'order-confirmation',
          from: EXAMPLE_CONTENT.from,
          subject: EXAMPLE_CONTENT.subject,
          html: EXAMPLE_CONTENT.html,
          variables: [{ key: 'PRODUCT', type: 'string', fallback_value: 'your order' }],
        },
        reply: { object: 'template', id: TEMPLATES.example.id, warnings: [] },
      },
      handle: create,
    }),
    operation({
      id: 'templates.list',
      method: 'GET',
      path: '/templates',
      summary: 'List templates',
      description: 'Returns the templates of the team without their content, newest first, 20 by default.',
      access: 'full',
      query: ListQuery,
      reply: TemplateList,
      example: { reply: { object: 'list', has_more: false, data: [TEMPLATES.example] } },
      handle: list,
    }),
    operation({
      id: 'templates.retrieve',
      method: 'GET',
      path: '/templates/:template_id',
      summary: 'Retrieve a template',
      description: 'Returns a template, by its id or alias, with the content of its newest version.',
      access: 'full',
      params: TemplateParams,
      reply: Template,
      example: {
        reply: {
          object: 'template',
          ...TEMPLATES.example,
          current_version_id: TEMPLATE_VERSIONS.example.id,
          published_version_id: TEMPLATE_VERSIONS.example.id,
          has_unpublished_versions: false,
          ...EXAMPLE_CONTENT,
        },
      },
      handle: retrieve,
    }),
    operation({
      id: 'templates.update',
      method: 'PATCH',
      path: '/templates/:template_id',
      summary: 'Update a template',
      description: `Changes a template. A new name or alias applies at once. Any other change creates a new version, which is sent once it is published. The newest ${VERSIONS_KEPT_MAX} versions and the published one are kept.`,
      access: 'full',
      sends: 'when the alias changes, which applies at once',
      params: TemplateParams,
      body: TemplateUpdate,
      reply: TemplateSaved,
      example: {
        body: { subject: 'Your order is on its way' },
        reply: { object: 'template', id: TEMPLATES.example.id, warnings: [] },
      },
      handle: update,
    }),
    operation({
      id: 'templates.delete',
      method: 'DELETE',
      path: '/templates/:template_id',
      summary: 'Delete a template',
      description:
        'Deletes a template and its versions. Emails that were created from it stay as they are, and scheduled ones are still sent. Enabled automations that send it are disabled.',
      access: 'full',
      // Scheduled mail is sent by it.
      sends: true,
      params: TemplateParams,
      query: DeletionQuery,
      reply: TemplateDeletion,
      example: { reply: { object: 'template', id: TEMPLATES.example.id, deleted: true } },
      warns: true,
      handle: remove,
    }),
    operation({
      id: 'templates.publish',
      method: 'POST',
      path: '/templates/:template_id/publish',
      summary: 'Publish a template',
      description: 'Makes the newest version the one that is sent. Emails that are scheduled already stay as they are.',
      access: 'full',
      // Scheduled broadcasts and enabled automations send by it.
      sends: true,
      params: TemplateParams,
      reply: TemplateReference,
      example: { reply: { object: 'template', id: TEMPLATES.example.id } },
      handle: publish,
    }),
    operation({
      id: 'templates.duplicate',
      method: 'POST',
      path: '/templates/:template_id/duplicate',
      summary: 'Duplicate a template',
      description: 'Creates a draft with the content of the newest version. Its name ends in `(copy)`, and it has no alias.',
      access: 'full',
      params: TemplateParams,
      reply: TemplateReference,
      example: { reply: { object: 'template', id: TEMPLATES.example.id } },
      handle: duplicate,
    }),
  ]
})

function found<T>(template: T | null): T {
  if (template === null) throw notFound(TEMPLATES.noun)
  return template
}
