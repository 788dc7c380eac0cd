// The section of the console with the broadcasts of a team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { broadcastActRoutes } from './broadcast-acts.ts'
import { broadcastPageRoutes } from './broadcast-routes.ts'
import { draftRoutes } from './draft-routes.ts'
import { broadcastRecipientPageRoutes } from './recipient-routes.ts'

/** Ten addresses, which grow when a browser encodes them. */
const FORM_BYTES_MAX = 16_384
/** HTML and text, which grow when a browser encodes them. Longer ones come over the API. */
const DRAFT_BYTES_MAX = 512 * 1024

export const broadcastSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(
    async (section) => {
      await takeForms(section, { bytesMax: FORM_BYTES_MAX })
      await section.register(broadcastPageRoutes, context)
      await section.register(broadcastActRoutes, context)
      await section.register(broadcastRecipientPageRoutes, context)
    },
    { prefix: '/broadcasts' },
  )
  await app.register(
    async (section) => {
      await takeForms(section, { bytesMax: DRAFT_BYTES_MAX })
      await section.register(draftRoutes, context)
    },
    { prefix: '/broadcasts' },
  )
}
