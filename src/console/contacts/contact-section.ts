// The section of the console with the contacts of a team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { contactActRoutes } from './contact-acts.ts'
import { contactPageRoutes } from './contact-routes.ts'

/** A contact with a value for every property that a team can have, which grow when a browser encodes them. */
const FORM_BYTES_MAX = 512 * 1024

export const contactSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(
    async (section) => {
      await takeForms(section, { bytesMax: FORM_BYTES_MAX })
      await section.register(contactPageRoutes, context)
      await section.register(contactActRoutes, context)
    },
    { prefix: '/contacts' },
  )
}
