import { declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { toList } from '../../http/resource.ts'
import { notFound } from '../../lib/failure.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { ListQuery } from '../../lib/validation/common.schema.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { AuditContext } from '../audit/audit.context.ts'
import { templateReference } from './template-variables.schema.ts'
import type { TemplatesContext } from './templates.context.ts'
import { toTemplateVersion, toTemplateVersionSummary } from './templates.routes.ts'
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
} from './templates.schema.ts'
import { renderTemplate, restoreVersion } from './templates.service.ts'

type Context = PlatformContext & AccountsContext & AudienceContext & AuditContext & TemplatesContext

const operation = declareOperations(TEMPLATE_VERSIONS)

export const templateVersionRoutes: Routes<Context> = async (app, { context }) => {
  const { templateVersions } = context.repositories

  app.get(
    '/templates/:template_id/versions',
    operation({
      id: 'templates.versions.list',
      summary: 'List the versions of a template',
      description: `Returns the versions of a template without their bodies, newest first, 20 by default. The newest ${VERSIONS_KEPT_MAX} and the published one are kept.`,
      access: 'full',
      audit: 'never',
      params: TemplateParams,
      query: ListQuery,
      reply: { 200: TemplateVersionList },
      example: { reply: { object: 'list', has_more: false, data: [TEMPLATE_VERSIONS.example] } },
    }),
    async ({ caller, params, query }) => {
      const page = await templateVersions.list(caller.teamId, templateReference(params.template_id), pageRequest(query, 'always'))
      if (!page) throw notFound(TEMPLATES.noun)
      return toList(page, (version) => toTemplateVersionSummary(version, { publishedVersionId: page.publishedVersionId, reader: caller }))
    },
  )

  app.get(
    '/templates/:template_id/versions/:version_id',
    operation({
      id: 'templates.versions.retrieve',
      summary: 'Retrieve a version of a template',
      description: 'Returns a version of a template, with its content.',
      access: 'full',
      audit: 'never',
      params: TemplateVersionParams,
      reply: { 200: TemplateVersion },
      example: { reply: { object: 'template_version', ...TEMPLATE_VERSIONS.example, ...EXAMPLE_CONTENT } },
    }),
    async ({ caller, params }) => {
      const versionId = params.version_id.toLowerCase()
      const known = await templateVersions.find(caller.teamId, templateReference(params.template_id), versionId)
      if (typeof known === 'string') throw notFound(TEMPLATE_VERSIONS.noun)
      return toTemplateVersion(known.version, { publishedVersionId: known.publishedVersionId, reader: caller })
    },
  )

  app.post(
    '/templates/:template_id/versions/:version_id/restore',
    operation({
      id: 'templates.versions.restore',
      summary: 'Restore a version of a template',
      description: 'Creates a new version with the content of an older one. It is sent once it is published.',
      access: 'full',
      audit: 'always',
      params: TemplateVersionParams,
      reply: { 200: TemplateSaved },
      example: { reply: { object: 'template', id: TEMPLATES.example.id, warnings: [] } },
    }),
    async ({ caller, params }) => {
      const saved = await restoreVersion(context, caller, {
        reference: templateReference(params.template_id),
        versionId: params.version_id.toLowerCase(),
      })
      if (!saved) throw notFound(TEMPLATE_VERSIONS.noun)
      return { object: 'template' as const, ...saved }
    },
  )

  app.post(
    '/templates/:template_id/render',
    operation({
      id: 'templates.render',
      summary: 'Render a template',
      description:
        'Fills in a template without sending it. Returns the subject, the HTML and the text that an email would have, and the variables that still need a value.',
      access: 'full',
      audit: 'never',
      params: TemplateParams,
      body: TemplateRender,
      reply: { 200: TemplateRendered },
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
    }),
    async ({ teamId, params, body }, { takeRoom }) => {
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
    },
  )
}

function found<T extends object>(result: T | 'no template' | 'no version'): T {
  if (typeof result === 'object') return result
  throw notFound(result === 'no version' ? TEMPLATE_VERSIONS.noun : TEMPLATES.noun)
}
