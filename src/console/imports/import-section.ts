// The section of the console with the imports of a team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { importRoutes } from './import-routes.ts'
import { uploadRoutes } from './upload-routes.ts'

/** A choice for every column that is shown. */
const FORM_BYTES_MAX = 64 * 1024

export const importSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(
    async (section) => {
      await takeForms(section, { bytesMax: FORM_BYTES_MAX })
      await section.register(importRoutes, context)
      await section.register(uploadRoutes, context)
    },
    { prefix: '/imports' },
  )
}
