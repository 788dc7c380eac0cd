// The section of the console with the suppression list of a team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { suppressionActRoutes } from './suppression-acts.ts'
import { suppressionPageRoutes } from './suppression-routes.ts'

/** A pasted file of about 100,000 addresses, which grow when a browser encodes them. A longer file is for the command line. */
const FORM_BYTES_MAX = 4 * 1024 * 1024

export const suppressionSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(
    async (section) => {
      await takeForms(section, { bytesMax: FORM_BYTES_MAX })
      await section.register(suppressionPageRoutes, context)
      await section.register(suppressionActRoutes, context)
    },
    { prefix: '/suppressions' },
  )
}
