// Taking an image down, for operators: a complaint about one has its address, and nothing else.
import { nameTeam } from '../../../db/acts.ts'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { notFound } from '../../../lib/failure.ts'
import { EXAMPLE_TIME } from '../../../lib/validation/common.schema.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import { imagePath, tokenOfAddress } from '../../images/image-addresses.ts'
import type { ImagesContext } from '../../images/images.context.ts'
import { IMAGES } from '../../images/images.schema.ts'
import { ImageTakedown, ImageTakenDown, OPERATION } from './operation.schema.ts'

type Context = PlatformContext & ImagesContext & AccountsContext

const operation = declareOperations(OPERATION)

export const imageOperationRoutes: Routes<Context> = async (app, { context }) => {
  const { repositories, gateways, publicUrl } = context
  const { images, teams } = repositories

  app.post(
    '/operation/images/stop',
    operation({
      id: 'operation.images.stop',
      summary: 'Take an image down',
      description:
        'Removes the file of an image for good: its address answers 410 from then on. Its team reads the reason. Taking it down again changes the reason.',
      access: 'operator',
      audit: 'always',
      names: IMAGES.noun,
      body: ImageTakedown,
      reply: { 200: ImageTakenDown },
      example: {
        body: { url: IMAGES.example.url, reason: 'It shows the login page of a bank.' },
        reply: {
          ...{ object: 'image', id: IMAGES.example.id, url: IMAGES.example.url },
          team: { id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c61', name: 'Acme' },
          ...{ taken_down_at: EXAMPLE_TIME, taken_down_reason: 'It shows the login page of a bank.' },
        },
      },
    }),
    async ({ body: { url, reason } }) => {
      const token = tokenOfAddress(url)
      const found = token === null ? null : await images.findByTokenAcrossTeams(token)
      if (!found) throw notFound(IMAGES.noun)
      nameTeam(found.teamId)
      const taken = await images.takeDown(found.teamId, found.id, reason)
      const team = await teams.find(found.teamId)
      if (!taken || !team) throw notFound(IMAGES.noun)
      if (taken.blobKey !== null) await gateways.blobs.discard([taken.blobKey])
      const { image } = taken
      return {
        ...{ object: 'image' as const, id: image.id, url: `${publicUrl}${imagePath(image)}`, team: { id: team.id, name: team.name } },
        taken_down_at: toTimestamp(image.takenDownAt),
        taken_down_reason: image.takenDownReason,
      }
    },
  )
}
