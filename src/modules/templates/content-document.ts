// What an editor of blocks wrote. It made the HTML and the text of a template or broadcast of that. The service keeps it for the editor and never reads
// it: who opens it must treat it as written by a stranger.
import { Type } from '@sinclair/typebox'
import { invalid } from '../../lib/failure.ts'
import { Id, Named, Nullable, OptionalNullable } from '../../lib/validation/common.schema.ts'

/** Characters of its JSON. */
export const CONTENT_DOCUMENT_LENGTH_MAX = 1_000_000

export const ContentDocument = Named(
  'ContentDocument',
  Type.Object(
    { version: Type.Integer({ minimum: 1, maximum: 1_000, description: 'Version of its form, which the editor chooses.', examples: [1] }) },
    {
      additionalProperties: true,
      description: `What an editor of blocks wrote, from which it made \`html\` and \`text\`: any JSON object with a \`version\`, at most ${CONTENT_DOCUMENT_LENGTH_MAX.toLocaleString('en')} characters. It is stored as it is and never interpreted: what is sent is \`html\` and \`text\`.`,
    },
  ),
)
export type ContentDocument = { version: number }

export const DOCUMENT_GIVEN =
  'What the editor wrote, from which `html` and `text` were made: give all three. A change of `html` alone clears it.'

/** What a change does to the document: one that changes the HTML alone clears it, because it no longer tells what is sent. */
export function changedDocument(
  stored: string | null,
  { html, content_document: given }: { html?: string | null | undefined; content_document?: ContentDocument | null | undefined },
): string | null {
  if (given !== undefined) return toStoredDocument(given)
  return html === undefined ? stored : null
}

/** The document as JSON. @throws Failure if it is too long */
export function toStoredDocument(given: ContentDocument | null | undefined): string | null {
  if (given == null) return null
  const json = JSON.stringify(given)
  if (json.length > CONTENT_DOCUMENT_LENGTH_MAX)
    throw invalid(
      `The \`content_document\` field has ${json.length.toLocaleString('en')} characters as JSON. At most ${CONTENT_DOCUMENT_LENGTH_MAX.toLocaleString('en')} are allowed: put images beside it by POST /images, or write a shorter one.`,
    )
  return json
}

export const fromStoredDocument = (stored: string | null): ContentDocument | null => (stored === null ? null : JSON.parse(stored))

/** Longer than any version. */
export const EXPECTED_VERSION_LENGTH_MAX = 64

/** What a client says that it has read, so that it does not replace what someone else has written meanwhile. */
export const expectedVersion = (field: string) =>
  OptionalNullable(Type.String({ maxLength: EXPECTED_VERSION_LENGTH_MAX }), {
    description: `The \`${field}\` that was read before this change was written. If another change has come since, this one is refused with a 409 that says whose it was. Null: any, and the answer has \`version\` too. If it is left out, the last one to write wins.`,
  })

/** Where a version comes from. */
export const authorship = {
  author: Nullable(
    Type.String({
      description:
        'Who made the version: the address of a person, or the name that a key or program had then. Null if that is not known, and for programs that may not read the members of the team.',
      examples: ['ada@example.com'],
    }),
  ),
  restored_from: Nullable(Id('Id of the older version that was restored; null if this one was written.')),
}
export const EXAMPLE_AUTHORSHIP = { author: 'ada@example.com', restored_from: null }

/** What the next change can expect. */
export const SavedVersion = Type.Optional(
  Type.String({ description: 'What the next change can give as `expected_version`. Only if this one gave it, or null.' }),
)
