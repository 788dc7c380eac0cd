// The section of the console with the templates of a team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { templateActRoutes } from './template-acts.ts'
import { templatePageRoutes } from './template-routes.ts'

/** Its forms have no fields. */
const FORM_BYTES_MAX = 1_024

export const templateSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(
    async (section) => {
      await takeForms(section, { bytesMax: FORM_BYTES_MAX })
      await section.register(templatePageRoutes, context)
      await section.register(templateActRoutes, context)
    },
    { prefix: '/templates' },
  )
}
