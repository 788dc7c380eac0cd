import { type Static, Type } from '@sinclair/typebox'
import { IdParams, Resource } from '../../http/resource.ts'
import { SECTIONS } from '../../http/sections.ts'
import { teamLimit } from '../../lib/limits/team-limit.ts'
import {
  Enum,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  Name,
  Named,
  Nullable,
  OptionalNotNull,
  secret,
  Timestamp,
} from '../../lib/validation/common.schema.ts'
import { IMAGE_TYPES } from './processing/image-headers.ts'

/** A larger one is too large for a mail anyway: pictures of newsletters have some hundred kilobytes. */
export const IMAGE_BYTES_MAX = 10 * 1024 * 1024
/** The frames together: a photo of a good camera. Decoded, each pixel takes several bytes of memory. */
export const IMAGE_PIXELS_MAX = 25_000_000
export const IMAGES_MAX = 10_000
export const IMAGE_LIMIT = teamLimit(IMAGES_MAX, 'images')
/** Broadcasts that were sent, those that were not, and templates. Each may have 2 MB of text: more would take longer than a request may. */
export const LOOKED_AT_MAX = 500
const newest = LOOKED_AT_MAX.toLocaleString('en')

const NAME_LENGTH_MAX = 100
export const REASON_LENGTH_MAX = 500

const IN_MEGABYTES = IMAGE_BYTES_MAX / 1024 / 1024

export const ImageCreate = Named(
  'ImageCreate',
  Type.Object(
    {
      content: Type.String({
        ...secret,
        description: `The file in base64: a PNG, JPEG, GIF or WebP of at most ${IN_MEGABYTES} MB and ${IMAGE_PIXELS_MAX.toLocaleString('en')} pixels, all frames together. Its content counts, whatever its name is.`,
        examples: ['iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='],
      }),
      name: OptionalNotNull(
        Name({
          lengthMax: NAME_LENGTH_MAX,
          description: `Name of the image, for your team: at most ${NAME_LENGTH_MAX} characters, at least one of them visible. \`Image\` by default.`,
          examples: ['Logo'],
        }),
      ),
    },
    { description: 'An image to store.' },
  ),
)
export type ImageCreate = Static<typeof ImageCreate>

export const imageUrl = Type.String({
  description: 'Where the image is shown to anyone. It never changes.',
  examples: ['https://posthaste.example.com/media/mXk2v0Z9Qb3nT5yR7wLs1A.png'],
})

const fields = {
  id: Id('Id of the image.'),
  name: Type.String({ description: 'Name of the image.', examples: ['Logo'] }),
  url: imageUrl,
  content_type: Enum([...IMAGE_TYPES], { description: 'What it is, by its content.' }),
  width: Type.Integer({ description: 'Its width in pixels.' }),
  height: Type.Integer({ description: 'Its height in pixels.' }),
  frames: Type.Integer({ description: 'Its frames: more than one if it is animated.' }),
  bytes: Type.Integer({ description: 'Its size, without the metadata that it had.' }),
  taken_down_at: Nullable(Timestamp('When the operator of the service took it down. It is no longer shown then. Null while it is.')),
  taken_down_reason: Nullable(Type.String({ description: 'Why it was taken down; null if it was not.' })),
  created_at: Timestamp('When it was stored.'),
}
const sentBroadcasts = {
  sent_broadcasts: Type.Integer({
    description: `In how many broadcasts that were sent, or whose sending has begun, it stands, among the newest ${newest} of the team. Those who got them see it as long as it is there.`,
  }),
}

/** What is still to be sent, and may be changed. */
const unsentUses = {
  unsent_broadcasts: Type.Integer({
    description: `In how many drafts and scheduled broadcasts it stands, among the newest ${newest} of the team.`,
  }),
  templates: Type.Integer({
    description: `In how many templates it stands, in their newest version or in the one that is published, among the newest ${newest} of the team.`,
  }),
}

export const ImageSummary = Named('ImageSummary', Type.Object(fields, { description: 'An image, as lists show it.' }))
export const Image = Named('Image', Type.Object({ object: Kind('image'), ...fields }, { description: 'An image of the team.' }))
export const ImageWithUses = Named(
  'ImageWithUses',
  Type.Object(
    { object: Kind('image'), ...fields, ...sentBroadcasts, ...unsentUses },
    { description: 'An image of the team, and where it stands. Single emails and automations are not looked through.' },
  ),
)
export const ImageDeletion = Named(
  'ImageDeletion',
  Type.Object(
    {
      object: Kind('image'),
      id: fields.id,
      deleted: Type.Literal(true, { description: 'Always `true`.' }),
      ...sentBroadcasts,
    },
    { description: 'An image that is no longer there, and where it was sent.' },
  ),
)
export const ImageList = List('ImageList', 'images', ImageSummary)

export const IMAGES = Resource({
  tag: SECTIONS.images,
  noun: 'Image',
  parameter: 'image_id',
  item: ImageSummary,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4cd1',
    name: 'Logo',
    url: 'https://posthaste.example.com/media/mXk2v0Z9Qb3nT5yR7wLs1A.png',
    content_type: 'image/png',
    width: 320,
    height: 80,
    frames: 1,
    bytes: 4_812,
    taken_down_at: null,
    taken_down_reason: null,
    created_at: EXAMPLE_TIME,
  },
})
export const ImageParams = IdParams(IMAGES)
