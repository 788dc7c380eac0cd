// The section of the console with the API keys of a team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { keyActRoutes } from './key-acts.ts'
import { keyPageRoutes } from './key-routes.ts'

/** A form with a long name, which grows when a browser encodes it. */
const FORM_BYTES_MAX = 16_384

export const keySection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(
    async (section) => {
      await takeForms(section, { bytesMax: FORM_BYTES_MAX })
      await section.register(keyPageRoutes, context)
      await section.register(keyActRoutes, context)
    },
    { prefix: '/api-keys' },
  )
}
