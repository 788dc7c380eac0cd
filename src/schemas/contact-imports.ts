import { type Static, Type } from '@sinclair/typebox'
import { COLUMN_NAME_LENGTH_MAX, IGNORED_COLUMN_NAME_LENGTH_MAX, IGNORED_COLUMNS_MAX } from '../lib/audience/contact-columns.ts'
import { UNSUBSCRIBED_WORDS } from '../lib/audience/unsubscribed-words.ts'
import { TEXT_ENCODINGS } from '../lib/csv/text-encoding.ts'
import { Enum, EXAMPLE_TIME, Given, Id, Kind, List, ListQuery, Named, Nullable, Ref, Reference, secret, Timestamp } from './common.ts'
import { PROPERTIES_MAX, PROPERTY_KEY_LENGTH_MAX } from './contact-properties.ts'
import { SegmentReference, TopicSubscription } from './contacts.ts'
import { IdParams, Resource } from './resource.ts'
import { TOPICS_MAX } from './topics.ts'

/** Every contact in the file is added to each of them. */
export const SEGMENTS_PER_IMPORT_MAX = 100
/** Refused rows of an import whose line numbers and reasons are kept. Later ones are only counted. */
export const REFUSALS_KEPT_MAX = 100_000
/** How long the reasons of refused rows are kept. */
export const IMPORT_REPORT_DAYS = 30

const IMPORT_STATUSES = ['queued', 'in_progress', 'completed', 'failed'] as const

const column = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: COLUMN_NAME_LENGTH_MAX, description, examples: [example] })

const ContactImportColumns = Named(
  'ContactImportColumns',
  Type.Object(
    {
      email: Given(column('Column that holds the addresses.', 'E-mail')),
      first_name: Given(column('Column that holds the first names.', 'Given name')),
      last_name: Given(column('Column that holds the last names.', 'Family name')),
      unsubscribed: Given(column(`Column that says who has unsubscribed from all bulk email: ${UNSUBSCRIBED_WORDS}.`, 'Opted out')),
      properties: Given(
        Type.Record(
          Type.String({ maxLength: PROPERTY_KEY_LENGTH_MAX }),
          Type.Object({
            column: column('Column that holds the values.', 'Company'),
            type: Given(
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
      column_map: Given(Ref(ContactImportColumns), { description: 'Which column holds which field of a contact.', examples: [{}] }),
      on_conflict: Given(
        Enum(['upsert', 'skip'], {
          description:
            'What happens to contacts that exist already. `upsert` (the default) merges the row into the contact. `skip` leaves the contact unchanged, except that opt-outs apply: `unsubscribed` in the file, and `opt_out` in `topics`.',
        }),
      ),
      segments: Given(
        Type.Array(SegmentReference, {
          maxItems: SEGMENTS_PER_IMPORT_MAX,
          description: `Segments to add the contacts to, at most ${SEGMENTS_PER_IMPORT_MAX}: objects with an \`id\`, or ids. One part for each, or one part with a list in JSON. If a segment, topic or property is deleted during the import, the rows after that are imported without it.`,
        }),
        { examples: [[]] },
      ),
      topics: Given(
        Type.Array(Ref(TopicSubscription), {
          maxItems: TOPICS_MAX,
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
  status: Enum([...IMPORT_STATUSES], { description: 'Status of the import.' }),
  created_at: Timestamp('When the file was accepted.'),
  completed_at: Nullable(Timestamp('When the import was completed or failed; null until then.')),
  counts: Ref(ContactImportCounts),
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
          description: `Link to a CSV file that lists the refused rows, with their line numbers and the reasons. It expires after an hour; retrieve the import again for a new link. A reason also says if the opt-out of the row was recorded nevertheless. The file holds the first ${REFUSALS_KEPT_MAX.toLocaleString('en')} refused rows; if there were more, the line of the last entry is \`…\` and its reason says how many. Null if no rows were refused, and from ${IMPORT_REPORT_DAYS} days after the end of the import.`,
        }),
      ),
    },
    { description: 'A contact import, with what went wrong.' },
  ),
)

export const CONTACT_IMPORTS = Resource({
  tag: { name: 'Contact imports', description: 'Create and update contacts from a CSV file.' },
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
