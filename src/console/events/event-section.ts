// The section of the console with the events of a team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { eventActRoutes } from './event-acts.ts'
import { eventPageRoutes } from './event-routes.ts'

/** A form with the longest schema, which grows when a browser encodes it. */
const FORM_BYTES_MAX = 128 * 1024

export const eventSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(
    async (section) => {
      await takeForms(section, { bytesMax: FORM_BYTES_MAX })
      await section.register(eventPageRoutes, context)
      await section.register(eventActRoutes, context)
    },
    { prefix: '/events' },
  )
}
