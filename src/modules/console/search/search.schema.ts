import { Type } from '@sinclair/typebox'
import { Kind, Named, Nullable, Timestamp } from '../../../lib/validation/common.schema.ts'
import { FOUND_TYPES } from './found-types.ts'
import { FOUND_PER_TYPE_MAX, NAMES_SEARCHED_MAX, SEARCHED_NEWEST_MAX } from './search-limits.ts'

/** The longest Message-ID that people copy, and longer than any address. */
export const WORDS_LENGTH_MAX = 500

export const SearchQuery = Type.Object({
  q: Type.String({
    maxLength: WORDS_LENGTH_MAX,
    // No text in the database has NUL.
    pattern: '^[^\\u0000]*$',
    description: 'What to look for: an id, a Message-ID, an address or its beginning, or a part of a name or a subject.',
    examples: ['ada@example.com'],
  }),
})

export const SearchResults = Named(
  'SearchResults',
  Type.Object(
    {
      object: Kind('list'),
      data: Type.Array(
        Type.Object({
          // Not an enum: a type of a newer version must not hide the others.
          type: Type.String({
            description: `What was found: ${FOUND_TYPES.map((type) => `\`${type}\``).join(', ')}.`,
            examples: ['contact'],
          }),
          id: Type.String({
            description: 'Id of the record, as its own operations name it.',
            examples: ['0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c57'],
          }),
          parent_id: Nullable(
            Type.String({
              description: 'Id of the record that it belongs to: the automation of a run, the webhook of an event. Otherwise null.',
            }),
          ),
          title: Type.String({ description: 'Its name, address, subject or path; empty if it has none.', examples: ['ada@example.com'] }),
          subtitle: Nullable(
            Type.String({
              description: 'What tells it from others: a name, an address or a status; null if there is nothing.',
              examples: ['Ada Lovelace'],
            }),
          ),
          created_at: Timestamp('When it was created.'),
        }),
        { description: `What was found, at most ${FOUND_PER_TYPE_MAX} of each type.` },
      ),
      is_complete: Type.Boolean({
        description: `Whether that is all. Of emails and received emails, the newest ${SEARCHED_NEWEST_MAX.toLocaleString('en')} are searched by subject and by a part of an address, of contacts as many by name, and the newest ${NAMES_SEARCHED_MAX.toLocaleString('en')} imports by the name of their file; all of them by an id, a Message-ID or a whole address, and contacts by the beginning of their address.`,
      }),
    },
    { description: 'The records that a search found.' },
  ),
)
