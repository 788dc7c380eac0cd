import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { templateReference } from '../lib/template-references.ts'
import { ListQuery } from '../schemas/common.ts'
import {
  EXAMPLE_CONTENT,
  TEMPLATE_VERSIONS,
  TEMPLATES,
  TemplateParams,
  TemplateRender,
  TemplateRendered,
  TemplateSaved,
  TemplateVersion,
  TemplateVersionList,
  TemplateVersionParams,
  VERSIONS_KEPT_MAX,
} from '../schemas/templates.ts'
import { toList } from '../serializers/list.ts'
import { toTemplateVersion, toTemplateVersionSummary } from '../serializers/templates.ts'
import { renderTemplate } from '../services/render-template.ts'
import { restoreVersion } from '../services/save-template.ts'
import { type Call, operation, routes } from './operation.ts'

export const templateVersionRoutes = routes(TEMPLATE_VERSIONS, (context) => {
  const { templateVersions } = context.repositories

  async function list({ teamId, params, query }: Call<{ params: typeof TemplateParams; query: typeof ListQuery }>) {
    const page = await templateVersions.list(teamId, templateReference(params.template_id), pageRequest(query, 'always'))
    if (!page) throw notFound(TEMPLATES.noun)
    return toList(page, (version) => toTemplateVersionSummary(version, page.publishedVersionId))
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof TemplateVersionParams }>) {
    const versionId = params.version_id.toLowerCase()
    const known = await templateVersions.find(teamId, templateReference(params.template_id), versionId)
    if (typeof known === 'string') throw notFound(TEMPLATE_VERSIONS.noun)
    return toTemplateVersion(known.version, known.publishedVersionId)
  }

  async function restore({ teamId, params }: Call<{ params: typeof TemplateVersionParams }>) {
    const saved = await restoreVersion(context, teamId, {
      reference: templateReference(params.template_id),
      versionId: params.version_id.toLowerCase(),
    })
    if (!saved) throw notFound(TEMPLATE_VERSIONS.noun)
    return { object: 'template' as const, ...saved }
  }

  async function render({ teamId, params, body, takeRoom }: Call<{ params: typeof TemplateParams; body: typeof TemplateRender }>) {
    const { id, version, filled } = found(
      await renderTemplate(context, teamId, {
        reference: templateReference(params.template_id),
        versionId: body.version_id?.toLowerCase() ?? null,
        values: body.variables ?? {},
        takeRoom,
      }),
    )
    const { subject, html, text, missing } = filled
    return { object: 'template' as const, id, version_id: version.id, subject, html, text, missing }
  }

  return [
    operation({
      id: 'templates.versions.list',
      method: 'GET',
      path: '/templates/:template_id/versions',
      summary: 'List the versions of a template',
      description: `Returns the versions of a template without their bodies, newest first, 20 by default. The newest ${VERSIONS_KEPT_MAX} and the published one are kept.`,
      access: 'full',
      params: TemplateParams,
      query: ListQuery,
      reply: TemplateVersionList,
      example: { reply: { object: 'list', has_more: false, data: [TEMPLATE_VERSIONS.example] } },
      handle: list,
    }),
    operation({
      id: 'templates.versions.retrieve',
      method: 'GET',
      path: '/templates/:template_id/versions/:version_id',
      summary: 'Retrieve a version of a template',
      description: 'Returns a version of a template, with its content.',
      access: 'full',
      params: TemplateVersionParams,
      reply: TemplateVersion,
      example: { reply: { object: 'template_version', ...TEMPLATE_VERSIONS.example, ...EXAMPLE_CONTENT } },
      handle: retrieve,
    }),
    operation({
      id: 'templates.versions.restore',
      method: 'POST',
      path: '/templates/:template_id/versions/:version_id/restore',
      summary: 'Restore a version of a template',
      description: 'Creates a new version with the content of an older one. It is sent once it is published.',
      access: 'full',
      params: TemplateVersionParams,
      reply: TemplateSaved,
      example: { reply: { object: 'template', id: TEMPLATES.example.id, warnings: [] } },
      handle: restore,
    }),
    operation({
      id: 'templates.render',
      method: 'POST',
      path: '/templates/:template_id/render',
      summary: 'Render a template',
      description:
        'Fills in a template without sending it. Returns the subject, the HTML and the text that an email would have, and the variables that still need a value.',
      access: 'full',
      params: TemplateParams,
      body: TemplateRender,
      reply: TemplateRendered,
      example: {
        body: { variables: { PRODUCT: 'Analytical Engine' } },
        reply: {
          object: 'template',
          id: TEMPLATES.example.id,
          version_id: TEMPLATE_VERSIONS.example.id,
          subject: 'Analytical Engine is on its way',
          html: '<p>Thank you for Analytical Engine.</p>',
          text: null,
          missing: [],
        },
      },
      handle: render,
    }),
  ]
})

function found<T extends object>(result: T | 'no template' | 'no version'): T {
  if (typeof result === 'object') return result
  throw notFound(result === 'no version' ? TEMPLATE_VERSIONS.noun : TEMPLATES.noun)
}
