import { type Static, Type } from '@sinclair/typebox'
import { IdParams, Resource } from '../../../http/resource.ts'
import { SECTIONS } from '../../../http/sections.ts'
import { TEXT_ENCODINGS } from '../../../lib/csv/text-encoding.ts'
import {
  distinct,
  Enum,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  ListQuery,
  Named,
  Nullable,
  OptionalNullable,
  Ref,
  Reference,
  secret,
  Timestamp,
} from '../../../lib/validation/common.schema.ts'
import { SegmentReference, TopicSubscription } from '../contacts/contacts.schema.ts'
import { PROPERTIES_MAX, PROPERTY_KEY_LENGTH_MAX } from '../properties/properties.schema.ts'
import { TOPICS_MAX } from '../topics/topics.schema.ts'
import { COLUMN_NAME_LENGTH_MAX, IGNORED_COLUMN_NAME_LENGTH_MAX, IGNORED_COLUMNS_MAX } from './contact-columns.ts'

// The words with which the column `unsubscribed` of a file says who wants no more mail: those that other services export.
const WANTS_NO_MAIL = ['true', 'yes', 'y', 't', '1', 'on', 'x', 'unsubscribed', 'opted_out', 'opt_out']
const STAYS = ['false', 'no', 'n', 'f', '0', 'off', 'subscribed', 'opted_in', 'opt_in']

const SAID = new Map([...WANTS_NO_MAIL.map((word) => [word, true] as const), ...STAYS.map((word) => [word, false] as const)])

/** Ignores case; a space or a hyphen counts as an underscore. Null means an empty cell. Undefined means a word that is not known. */
export function saysUnsubscribed(cell: string): boolean | null | undefined {
  const text = cell.trim().toLowerCase()
  return text === '' ? null : SAID.get(text.replaceAll(/[\s-]+/g, '_'))
}

/** The permitted words, as part of a sentence. */
export const UNSUBSCRIBED_WORDS = `${WANTS_NO_MAIL.slice(0, -1).join(', ')} or ${WANTS_NO_MAIL.at(-1)} for contacts who want no more mail, and ${STAYS.join(', ')} or empty for others`

/** Every contact in the file is added to each of them. */
export const SEGMENTS_PER_IMPORT_MAX = 100
/** Refused rows of an import whose line numbers and reasons are kept. Later ones are only counted. */
export const REFUSALS_KEPT_MAX = 100_000
/** Refused rows of an import of which the report shows what they said, so that someone can correct them. */
export const REFUSALS_WITH_CELLS_MAX = 1_000
export const CELLS_KEPT_MAX = 50
export const CELL_KEPT_LENGTH_MAX = 200
/** How long refused rows are kept. */
export const IMPORT_REPORT_DAYS = 30

export const FILE_NAME_LENGTH_MAX = 255

export const IMPORT_STATUSES = ['queued', 'in_progress', 'completed', 'failed', 'canceled'] as const
export const CONFLICT_RULES = ['upsert', 'skip'] as const
export type ConflictRule = (typeof CONFLICT_RULES)[number]

const column = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: COLUMN_NAME_LENGTH_MAX, description, examples: [example] })

const ContactImportColumns = Named(
  'ContactImportColumns',
  Type.Object(
    {
      email: OptionalNullable(column('Column that holds the addresses.', 'E-mail')),
      first_name: OptionalNullable(column('Column that holds the first names.', 'Given name')),
      last_name: OptionalNullable(column('Column that holds the last names.', 'Family name')),
      unsubscribed: OptionalNullable(
        column(`Column that says who has unsubscribed from all bulk email: ${UNSUBSCRIBED_WORDS}.`, 'Opted out'),
      ),
      properties: OptionalNullable(
        Type.Record(
          Type.String({ maxLength: PROPERTY_KEY_LENGTH_MAX }),
          Type.Object({
            column: column('Column that holds the values.', 'Company'),
            type: OptionalNullable(
              Enum(['string', 'number', 'boolean'], {
                description: 'Type of the values; `string` by default. A `boolean` is stored as the text `true` or `false`.',
              }),
            ),
          }),
          {
            maxProperties: PROPERTIES_MAX,
            description: 'The columns of contact properties, by the key of the property. A property that does not exist is created.',
          },
        ),
      ),
    },
    {
      description:
        'Which column holds which field of a contact. A field that is not given is read from the column with the name of the field, if there is one; null means that the field is not imported. Example: `{"email": "E-mail", "properties": {"company": {"column": "Company"}}}`.',
    },
  ),
)

// Swagger UI fills a form with the examples of its fields, so no example may ask for more than a plain file has, nor name a record.
export const ContactImportCreate = Named(
  'ContactImportCreate',
  Type.Object(
    {
      file: Type.String({
        format: 'binary',
        description:
          'The CSV file, with a header line, in UTF-8, windows-1252, or UTF-16 with a byte order mark. The delimiter is a comma, semicolon, tab or vertical bar; a first line such as `sep=;` may name it. A column that is not mapped to a field is imported if its name is the key of a contact property.',
      }),
      column_map: OptionalNullable(Ref(ContactImportColumns), {
        description: 'Which column holds which field of a contact.',
        examples: [{}],
      }),
      on_conflict: OptionalNullable(
        Enum([...CONFLICT_RULES], {
          description:
            'What happens to contacts that exist already. `upsert` (the default) merges the row into the contact. `skip` leaves the contact unchanged, except that opt-outs apply: `unsubscribed` in the file, and `opt_out` in `topics`.',
        }),
      ),
      segments: OptionalNullable(
        Type.Array(SegmentReference, {
          maxItems: SEGMENTS_PER_IMPORT_MAX,
          description: `Segments to add the contacts to, at most ${SEGMENTS_PER_IMPORT_MAX}: objects with an \`id\`, or ids. One part for each, or one part with a list in JSON. If a segment, topic or property is deleted during the import, the rows after that are imported without it.`,
        }),
        { examples: [[]] },
      ),
      topics: OptionalNullable(
        Type.Array(Ref(TopicSubscription), {
          maxItems: TOPICS_MAX,
          ...distinct('id', 'a topic'),
          description:
            'Topics that the contacts opt in to or out of: one part for each, or one part with a list in JSON. `opt_in` has no effect on contacts who opted out. `opt_out` applies to refused rows as well, as long as their address can be read.',
        }),
        { examples: [[]] },
      ),
    },
    { description: 'A file of contacts to import, and how to read it.' },
  ),
)

const count = (description: string) => Type.Integer({ minimum: 0, description })

const ContactImportCounts = Named(
  'ContactImportCounts',
  Type.Object(
    {
      total: count('Rows that were read, without the header. It is the sum of the other counts.'),
      created: count('Rows that created a contact.'),
      updated: count('Rows that were merged into a contact, which existed before or came from an earlier row.'),
      skipped: count('Rows whose contact existed already and was left unchanged, except for opt-outs.'),
      failed: count('Rows that were refused. They changed nothing, except for opt-outs.'),
    },
    { description: 'Counts of the rows that were read so far.' },
  ),
)

const fields = {
  object: Kind('contact_import'),
  id: Id('Id of the import.'),
  status: Enum([...IMPORT_STATUSES], {
    description: 'Status of the import. `canceled` is an extension: rows that were counted before stay imported.',
  }),
  created_at: Timestamp('When the file was accepted.'),
  completed_at: Nullable(Timestamp('When the import was completed, failed or was canceled; null until then.')),
  counts: Ref(ContactImportCounts),
  file_name: Nullable(
    Type.String({
      maxLength: FILE_NAME_LENGTH_MAX,
      description: `Name of the file, as the \`filename\` of its part: without folders and control characters, cut to ${FILE_NAME_LENGTH_MAX} characters; null if it came without one. An extension.`,
      examples: ['people.csv'],
    }),
  ),
}

export const ContactImportSummary = Named(
  'ContactImportSummary',
  Type.Object(fields, { description: 'A contact import, as lists show it.' }),
)

export const ContactImport = Named(
  'ContactImport',
  Type.Object(
    {
      ...fields,
      encoding: Enum([...TEXT_ENCODINGS], {
        description:
          'Encoding in which the file was read. In a file in UTF-8 or UTF-16, a row with bytes that are not valid is refused, and its reason says where they are.',
      }),
      ignored_columns: Type.Array(Type.String({ maxLength: IGNORED_COLUMN_NAME_LENGTH_MAX }), {
        maxItems: IGNORED_COLUMNS_MAX,
        description: `Names of the columns that were ignored, because they are not mapped to a field and are not the key of a property: the first ${IGNORED_COLUMNS_MAX}, each cut to ${IGNORED_COLUMN_NAME_LENGTH_MAX} characters.`,
      }),
      reason: Nullable(
        Type.String({
          description:
            'Why the import failed as a whole, and the line after which rows were not read. Opt-outs after that line were not recorded; rows before it stay imported. Null if the import did not fail.',
        }),
      ),
      report_url: Nullable(
        Type.String({
          ...secret,
          description: `Link to a CSV file that lists the refused rows, with their line numbers and the reasons; the first ${REFUSALS_WITH_CELLS_MAX.toLocaleString('en')} also with what they said, in the columns of the file: the first ${CELLS_KEPT_MAX}, each cut to ${CELL_KEPT_LENGTH_MAX} characters. It expires after an hour; retrieve the import again for a new link. A reason also says if the opt-out of the row was recorded nevertheless. The file holds the first ${REFUSALS_KEPT_MAX.toLocaleString('en')} refused rows; if there were more, the line of the last entry is \`…\` and its reason says how many. Null if no rows were refused, and from ${IMPORT_REPORT_DAYS} days after the end of the import.`,
        }),
      ),
    },
    { description: 'A contact import, with what went wrong.' },
  ),
)

export const CONTACT_IMPORTS = Resource({
  tag: SECTIONS.contactImports,
  noun: 'Contact import',
  parameter: 'contact_import_id',
  item: ContactImportSummary,
  example: {
    object: 'contact_import',
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c21',
    status: 'in_progress',
    created_at: EXAMPLE_TIME,
    completed_at: null,
    counts: { total: 60_000, created: 59_000, updated: 1_000, skipped: 0, failed: 0 },
    file_name: 'people.csv',
  },
})

export const ContactImportParams = IdParams(CONTACT_IMPORTS)
export const ContactImportListQuery = Type.Composite([
  ListQuery,
  Type.Object({ status: Type.Optional(Enum([...IMPORT_STATUSES], { description: 'Return only imports with this status.' })) }),
])
export const ContactImportList = List('ContactImportList', 'contact imports', ContactImportSummary)
export const ContactImportReference = Reference('ContactImportReference', 'contact_import')

export type ContactImportCreate = Static<typeof ContactImportCreate>
export type ImportStatus = (typeof IMPORT_STATUSES)[number]
