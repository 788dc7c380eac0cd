// The section of the console with the mail of a team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { emailActRoutes } from './email-acts.ts'
import { emailFileRoutes } from './email-files.ts'
import { emailPageRoutes } from './email-routes.ts'

/** A time in words, which grows when a browser encodes it. */
const FORM_BYTES_MAX = 8 * 1024

export const emailSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(
    async (section) => {
      await takeForms(section, { bytesMax: FORM_BYTES_MAX })
      await section.register(emailPageRoutes, context)
      await section.register(emailFileRoutes, context)
      await section.register(emailActRoutes, context)
    },
    { prefix: '/emails' },
  )
}
