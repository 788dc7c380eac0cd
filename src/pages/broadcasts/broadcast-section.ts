// The section of the console with the broadcasts of a team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../shell/forms.ts'
import { broadcastActRoutes } from './broadcast-acts.ts'
import { broadcastPageRoutes } from './broadcast-routes.ts'

/** Ten addresses, which grow when a browser encodes them. */
const FORM_BYTES_MAX = 16_384

export const broadcastSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(
    async (section) => {
      await takeForms(section, { bytesMax: FORM_BYTES_MAX })
      await section.register(broadcastPageRoutes, context)
      await section.register(broadcastActRoutes, context)
    },
    { prefix: '/broadcasts' },
  )
}
