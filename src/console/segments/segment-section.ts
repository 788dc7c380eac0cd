// The section of the console with the segments of a team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { filterBuilderRoutes } from './filter-builder.ts'
import { segmentPageRoutes } from './segment-routes.ts'

/** A filter with as many rules as people write by hand. Longer ones come over the API. */
const FORM_BYTES_MAX = 512 * 1024

export const segmentSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(
    async (section) => {
      await takeForms(section, { bytesMax: FORM_BYTES_MAX })
      await section.register(segmentPageRoutes, context)
      await section.register(filterBuilderRoutes, context)
    },
    { prefix: '/segments' },
  )
}
