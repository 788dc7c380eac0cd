// The section of the console with the mail of a team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { emailFileRoutes } from './email-files.ts'
import { emailPageRoutes } from './email-routes.ts'

export const emailSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(
    async (section) => {
      await section.register(emailPageRoutes, context)
      await section.register(emailFileRoutes, context)
    },
    { prefix: '/emails' },
  )
}
