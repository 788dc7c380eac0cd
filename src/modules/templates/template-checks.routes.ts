import { Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { notFound } from '../../lib/failure.ts'
import { Named } from '../../lib/validation/common.schema.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import { CHECKS_EXAMPLE, checksFields, toChecks } from './checks.schema.ts'
import { checkTemplate } from './template-checks.service.ts'
import { templateReference } from './template-variables.schema.ts'
import type { TemplatesContext } from './templates.context.ts'
import { TEMPLATES, TemplateParams } from './templates.schema.ts'

type Context = PlatformContext & AudienceContext & TemplatesContext

const TemplateChecks = Named(
  'TemplateChecks',
  Type.Object(checksFields('template_checks', 'template'), { description: 'What was found about a template.' }),
)

const operation = declareOperations(TEMPLATES)

export const templateCheckRoutes: Routes<Context> = async (app, { context }) => {
  app.get(
    '/templates/:template_id/checks',
    operation({
      id: 'templates.checks.retrieve',
      summary: 'Check a template',
      description:
        'Looks through the newest version of a template for what is often wrong with mail: links that lead nowhere, images without a text, placeholders that stand for nothing, and what Outlook, Gmail and Apple Mail do not show. No link is fetched. The HTML is measured as it is written.',
      access: 'full',
      audit: 'never',
      params: TemplateParams,
      reply: { 200: TemplateChecks },
      example: { reply: { object: 'template_checks', id: TEMPLATES.example.id, ...CHECKS_EXAMPLE } },
    }),
    async ({ teamId, params }) => {
      const template = await context.repositories.templates.find(teamId, templateReference(params.template_id))
      if (!template) throw notFound(TEMPLATES.noun)
      const { checks, htmlBytes } = await checkTemplate(context, teamId, template.content)
      return { object: 'template_checks' as const, id: template.id, html_bytes: htmlBytes, data: toChecks(checks) }
    },
  )
}
