import { type Static, Type } from '@sinclair/typebox'
import { COLUMN_NAME_LENGTH_MAX, IGNORED_COLUMN_NAME_LENGTH_MAX, IGNORED_COLUMNS_MAX } from '../lib/contact-columns.ts'
import { UNSUBSCRIBED_WORDS } from '../lib/unsubscribed-words.ts'
import { Enum, Given, Id, IdParams, Kind, List, ListQuery, Named, Nullable, Ref, Reference, secret, Timestamp } from './common.ts'
import { PROPERTIES_MAX, PROPERTY_KEY_LENGTH_MAX } from './contact-properties.ts'
import { TopicSubscription } from './contacts.ts'
import { TOPICS_MAX } from './topics.ts'

/** Every contact of the file goes into each of them. */
export const SEGMENTS_PER_IMPORT_MAX = 100
/** Refused rows of an import whose lines and reasons are kept. More are counted. */
export const REFUSALS_KEPT_MAX = 100_000
/** How long it can be asked why rows were refused. */
export const IMPORT_REPORT_DAYS = 30

const IMPORT_STATUSES = ['queued', 'in_progress', 'completed', 'failed'] as const

const column = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: COLUMN_NAME_LENGTH_MAX, description, examples: [example] })

const ContactImportColumns = Named(
  'ContactImportColumns',
  Type.Object(
    {
      email: Given(column('Column of the addresses.', 'E-mail')),
      first_name: Given(column('Column of the first names.', 'Given name')),
      last_name: Given(column('Column of the last names.', 'Family name')),
      unsubscribed: Given(column(`Column that says who gets nothing that goes to many: ${UNSUBSCRIBED_WORDS}.`, 'Opted out')),
      properties: Given(
        Type.Record(
          Type.String({ maxLength: PROPERTY_KEY_LENGTH_MAX }),
          Type.Object({
            column: column('Column of the values.', 'Company'),
            type: Given(
              Enum(['string', 'number', 'boolean'], {
                description: 'What the values are: `string` unless given. `boolean` is kept as the text `true` or `false`.',
              }),
            ),
          }),
          {
            maxProperties: PROPERTIES_MAX,
            description: 'Columns by the key of their property. A property that does not exist is created.',
          },
        ),
      ),
    },
    {
      description:
        'Names of columns by the field that they are for. A field that is not named is read from the column of its own name, if there is one; null leaves it out. For example: `{"email": "E-mail", "properties": {"company": {"column": "Company"}}}`.',
    },
  ),
)

// Swagger UI fills a form with the examples of its fields: none may ask for more than a plain file has, nor name a record.
export const ContactImportCreate = Named(
  'ContactImportCreate',
  Type.Object({
    file: Type.String({
      format: 'binary',
      description:
        'The file: CSV with a header line, in UTF-8 or windows-1252, delimited by commas, semicolons, tabs or vertical bars, also with a first line such as `sep=;` that says so. Other columns than those of fields are read where a property has their name as its key.',
    }),
    column_map: Given(Ref(ContactImportColumns), { examples: [{}] }),
    on_conflict: Given(
      Enum(['upsert', 'skip'], {
        description:
          'What becomes of contacts that exist: `upsert`, unless given, merges the row into them; `skip` leaves them as they are, except that whoever is unsubscribed in the file, or `opt_out` in `topics`, is so afterwards.',
      }),
    ),
    segments: Given(
      Type.Array(Type.Union([Type.Object({ id: Id('Id of the segment.') }), Id('Id of the segment.')]), {
        maxItems: SEGMENTS_PER_IMPORT_MAX,
        description: `Segments to put the contacts into, at most ${SEGMENTS_PER_IMPORT_MAX}: objects with an \`id\`, or ids. What is deleted while the file is read, be it a segment, a topic or a property, is left out of the rows that follow.`,
      }),
      { examples: [[]] },
    ),
    topics: Given(
      Type.Array(Ref(TopicSubscription), {
        maxItems: TOPICS_MAX,
        description:
          'What the contacts want of topics. `opt_in` has no effect where a person opted out; `opt_out` is taken from refused rows too, wherever their address can be read.',
      }),
      { examples: [[]] },
    ),
  }),
)

const count = (description: string) => Type.Integer({ minimum: 0, description })

const ContactImportCounts = Named(
  'ContactImportCounts',
  Type.Object(
    {
      total: count('Rows that were read, without the header: the sum of the others.'),
      created: count('Rows that became a contact.'),
      updated: count('Rows that were merged into a contact, of the file or from before.'),
      skipped: count('Rows of contacts that existed and were left as they are, but for opting out.'),
      failed: count('Rows that were refused. They made no contact and changed nothing, but for opting out.'),
    },
    { description: 'What has become of the rows so far.' },
  ),
)

const fields = {
  object: Kind('contact_import'),
  id: Id('Id of the import.'),
  status: Enum([...IMPORT_STATUSES], { description: 'How far it is.' }),
  created_at: Timestamp('When the file was taken.'),
  completed_at: Nullable(Timestamp('When it was completed or failed; null before.')),
  counts: Ref(ContactImportCounts),
}

export const ContactImportSummary = Named('ContactImportSummary', Type.Object(fields))

export const ContactImport = Named(
  'ContactImport',
  Type.Object({
    ...fields,
    ignored_columns: Type.Array(Type.String({ maxLength: IGNORED_COLUMN_NAME_LENGTH_MAX }), {
      maxItems: IGNORED_COLUMNS_MAX,
      description: `Names of columns that were not read, because they are for no field and no property has their name: the first ${IGNORED_COLUMNS_MAX}, and of each the first ${IGNORED_COLUMN_NAME_LENGTH_MAX} characters.`,
    }),
    reason: Nullable(
      Type.String({
        description:
          'Why it failed as a whole, and behind which line rows were not read, and opt-outs in them not taken; what was read before stays. Null otherwise.',
      }),
    ),
    report_url: Nullable(
      Type.String({
        ...secret,
        description: `Where the lines and reasons of refused rows can be downloaded as CSV, for an hour; ask again for a new link. A reason also says when the opt-out of the row was taken all the same. The first ${REFUSALS_KEPT_MAX.toLocaleString('en')} are kept; when there were more, the line of the last row is \`…\` and its reason says how many. Null when none were refused, and ${IMPORT_REPORT_DAYS} days after the end.`,
      }),
    ),
  }),
)

export const ContactImportParams = IdParams('contact_import_id', 'Id of the contact import.')
export const ContactImportListQuery = Type.Composite([
  ListQuery,
  Type.Object({ status: Type.Optional(Enum([...IMPORT_STATUSES], { description: 'Only imports that are this far.' })) }),
])
export const ContactImportList = List('ContactImportList', ContactImportSummary)
export const ContactImportReference = Reference('ContactImportReference', 'contact_import')

export type ContactImportCreate = Static<typeof ContactImportCreate>
export type ImportStatus = (typeof IMPORT_STATUSES)[number]
