import { type Static, Type } from '@sinclair/typebox'
import { BROADCAST_WARNINGS } from './broadcasts.ts'
import { Given, Id, Kind, Named, Nullable } from './common.ts'

/** Each gets an email of its own. */
export const TEST_ADDRESSES_MAX = 10

const contact = Type.String({
  description: 'Id or address of the contact whose values are filled in. By default, placeholders get their fallbacks.',
})

export const BroadcastPreviewQuery = Type.Object({ contact: Type.Optional(contact) })

export const BroadcastPreviewed = Named(
  'BroadcastPreviewed',
  Type.Object(
    {
      object: Kind('broadcast_preview'),
      subject: Type.String({ description: 'Subject line.' }),
      preview_text: Nullable(Type.String({ description: 'What mail programs show beside the subject; null if unset.' })),
      html: Nullable(Type.String({ description: 'HTML body; null if there is none.' })),
      text: Nullable(Type.String({ description: 'Plain text body; null if none was given.' })),
      warnings: Type.Array(Type.String(), { description: BROADCAST_WARNINGS }),
    },
    { description: 'A broadcast as a contact would get it.' },
  ),
)

export const BroadcastTest = Named(
  'BroadcastTest',
  Type.Object(
    {
      to: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: TEST_ADDRESSES_MAX })], {
        description: `Recipients of the test. One address, or an array of at most ${TEST_ADDRESSES_MAX}.`,
        examples: [['colleague@example.com']],
      }),
      contact: Given(contact),
    },
    { description: 'The recipients of a test of a broadcast.' },
  ),
)

export const BroadcastTested = Named(
  'BroadcastTested',
  Type.Object(
    {
      object: Kind('broadcast'),
      id: Id('Id of the broadcast.'),
      emails: Type.Array(Type.Object({ id: Id('Id of the email.') }), {
        description: 'The emails that were accepted, in the order of the addresses. They are not counted for the broadcast.',
      }),
    },
    { description: 'The emails of a test.' },
  ),
)

export type BroadcastTest = Static<typeof BroadcastTest>
