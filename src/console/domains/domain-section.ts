// The section of the console with the domains of a team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { domainActRoutes } from './domain-acts.ts'
import { domainPageRoutes } from './domain-routes.ts'

/** A form with one domain is far smaller. */
const FORM_BYTES_MAX = 8_192

export const domainSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(
    async (section) => {
      await takeForms(section, { bytesMax: FORM_BYTES_MAX })
      await section.register(domainPageRoutes, context)
      await section.register(domainActRoutes, context)
    },
    { prefix: '/domains' },
  )
}
