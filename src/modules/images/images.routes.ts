// Images of a team, and the addresses at which anyone can see them.
import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../http/operation.ts'
import { plainResource } from '../../http/plain-resource.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { ListQuery } from '../../lib/validation/common.schema.ts'
import type { LimitsContext } from '../limits/limits.context.ts'
import { imagePath } from './image-addresses.ts'
import type { ImagesContext } from './images.context.ts'
import type { ImageRow } from './images.repository.ts'
import {
  IMAGE_LIMIT,
  IMAGES,
  Image,
  ImageCreate,
  ImageDeletion,
  ImageList,
  ImageParams,
  type ImageSummary,
  ImageWithUses,
} from './images.schema.ts'
import { createImage, deleteImage } from './images.service.ts'

type Context = PlatformContext & LimitsContext & ImagesContext

export const toImageSummary =
  (publicUrl: string) =>
  ({ createdAt, takenDownAt, takenDownReason, size, contentType, ...row }: ImageRow): Static<typeof ImageSummary> => ({
    ...{ id: row.id, name: row.name, url: `${publicUrl}${imagePath({ token: row.token, contentType })}`, content_type: contentType },
    ...{ width: row.width, height: row.height, frames: row.frames, bytes: size },
    taken_down_at: toTimestamp(takenDownAt),
    taken_down_reason: takenDownReason,
    created_at: toTimestamp(createdAt),
  })

const operation = declareOperations(IMAGES)
const image = plainResource(IMAGES, 'image')
const example = { object: 'image' as const, ...IMAGES.example }

export const imageRoutes: Routes<Context> = async (app, { context }) => {
  const { images } = context.repositories
  const toSummary = toImageSummary(context.publicUrl)
  const toImage = (row: ImageRow) => ({ object: 'image' as const, ...toSummary(row) })

  app.post(
    '/images',
    operation({
      id: 'images.create',
      summary: 'Store an image',
      description: `Stores an image and gives it an address, which never changes, for emails and as the logo of the team. It is decoded and encoded anew, so that nothing is left of its metadata and of what else was in the file; an animated GIF or WebP stays animated. It counts for the stored bytes of the team. ${IMAGE_LIMIT.sentence}.`,
      access: 'full',
      audit: 'always',
      body: ImageCreate,
      reply: { 201: Image },
      example: {
        body: {
          content: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
          name: 'Logo',
        },
        reply: example,
      },
    }),
    async ({ teamId, body }, { takeRoom }) => toImage(await createImage(context, teamId, { input: body, takeRoom })),
  )

  app.get(
    '/images',
    operation({
      id: 'images.list',
      summary: 'List images',
      description: 'Returns the images of the team, newest first, 20 by default.',
      access: 'full',
      audit: 'never',
      query: ListQuery,
      reply: { 200: ImageList },
      example: { reply: image.examples.list },
    }),
    image.list(images.list, toSummary, 'always'),
  )

  app.get(
    '/images/:image_id',
    operation({
      id: 'images.retrieve',
      summary: 'Retrieve an image',
      description: 'Returns an image, and in how many broadcasts and templates it stands.',
      access: 'full',
      audit: 'never',
      params: ImageParams,
      reply: { 200: ImageWithUses },
      example: { reply: { ...example, sent_broadcasts: 3, unsent_broadcasts: 1, templates: 2 } },
    }),
    async ({ teamId, params }) => {
      const row = image.found(await images.find(teamId, params.image_id))
      return {
        ...toImage(row),
        sent_broadcasts: await context.countBroadcasts(teamId, row.token, 'sent'),
        unsent_broadcasts: await context.countBroadcasts(teamId, row.token, 'unsent'),
        templates: await context.countTemplates(teamId, row.token),
      }
    },
  )

  app.delete(
    '/images/:image_id',
    operation({
      id: 'images.delete',
      summary: 'Delete an image',
      description:
        'Deletes an image: its address shows nothing from then on, also in mail that was sent. The answer says in how many broadcasts that is. If it is the logo of the team, the team has none then.',
      access: 'full',
      audit: 'always',
      params: ImageParams,
      reply: { 200: ImageDeletion },
      example: { reply: { ...image.examples.deletion, deleted: true, sent_broadcasts: 3 } },
    }),
    async ({ teamId, params }) => {
      const { id, sentBroadcasts } = image.found(await deleteImage(context, teamId, params.image_id))
      return { object: 'image' as const, id, deleted: true as const, sent_broadcasts: sentBroadcasts }
    },
  )
}
