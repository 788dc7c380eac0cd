import { Type } from '@sinclair/typebox'
import { Id, Kind, Named } from '../../../lib/validation/common.schema.ts'

/** How something uses a record. */
export const USES = {
  names: 'a segment, a broadcast that is not sent yet, a template or an automation names the contact property',
  starts: 'the event starts the automation',
  continues: 'the automation waits for the event',
} as const

export const RecordUseList = Named(
  'RecordUseList',
  Type.Object(
    {
      object: Kind('list'),
      data: Type.Array(
        Type.Object({
          // Not enums: a word of a newer version must not hide the others.
          use: Type.String({
            description: `How it uses the record: ${Object.entries(USES)
              .map(([name, words]) => `\`${name}\`, ${words}`)
              .join('; ')}.`,
            examples: ['starts'],
          }),
          type: Type.String({ description: 'What it is: `segment`, `broadcast`, `template` or `automation`.', examples: ['automation'] }),
          id: Id('Its id.'),
          name: Type.String({ description: 'Its name.', examples: ['Thank for an order'] }),
        }),
        { description: 'What the role of the person may read, the newest of each type first.' },
      ),
    },
    { description: 'What uses a record.' },
  ),
)
