// The section of the console with the webhooks of a team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { webhookEventPageRoutes } from './event-routes.ts'
import { webhookActRoutes } from './webhook-acts.ts'
import { webhookPageRoutes } from './webhook-routes.ts'

/** A form with a long endpoint, which grows when a browser encodes it, and all types of event. */
const FORM_BYTES_MAX = 16_384

export const webhookSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(
    async (section) => {
      await takeForms(section, { bytesMax: FORM_BYTES_MAX })
      await section.register(webhookPageRoutes, context)
      await section.register(webhookActRoutes, context)
      await section.register(webhookEventPageRoutes, context)
    },
    { prefix: '/webhooks' },
  )
}
