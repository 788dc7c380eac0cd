// The vocabulary of all schemas: named components, nullable and optional fields, ids, times, lists.
import { type SchemaOptions, type Static, type TSchema, Type } from '@sinclair/typebox'

/** Lists that always page, and lists that return everything, up to a bound, unless asked to page. */
export const PAGE_SIZES = { always: 20, optional: 1_000 } as const

const named = new Map<string, TSchema>()

/** Gives a schema a name: it becomes a component of the OpenAPI document and can be referred to with Ref. */
export function Named<T extends TSchema>(name: string, schema: T): T {
  if (named.has(name)) throw new Error(`Two schemas are called ${name}`)
  const withName: T = { ...schema, $id: name }
  named.set(name, withName)
  return withName
}

/** Every named schema that has been loaded. */
export const namedSchemas = (): TSchema[] => [...named.values()]

export const namedSchema = (name: string): TSchema | undefined => named.get(name)

/** A reference to a named schema: `$ref` on the wire, the full type in code. */
export function Ref<T extends TSchema>(schema: T) {
  if (!schema.$id) throw new Error('Only a named schema can be referred to')
  return Type.Unsafe<Static<T>>({ $ref: schema.$id })
}

/**
 * A choice of named schemas, as the document shows it.
 *
 * @param kind the field that says which one it is
 * @param isTree whether a variant holds the choice again. Generators of validators cannot look a kind up in such a choice, and do not try with `anyOf`.
 */
export const Choice = (
  description: string,
  variants: readonly TSchema[],
  { kind, isTree = false }: { kind?: string; isTree?: boolean } = {},
) => ({
  description,
  [isTree ? 'anyOf' : 'oneOf']: variants.map((variant) => Ref(variant)),
  ...(kind !== undefined && {
    discriminator: {
      propertyName: kind,
      mapping: Object.fromEntries(
        variants.flatMap((variant) => valuesOf(variant, kind).map((value) => [value, `#/components/schemas/${variant.$id}`])),
      ),
    },
  }),
})

function valuesOf(variant: TSchema, kind: string): string[] {
  if (Array.isArray(variant.oneOf)) return [...new Set(variant.oneOf.flatMap((one: TSchema) => valuesOf(named.get(one.$ref) ?? one, kind)))]
  const { const: only, enum: several } = variant.properties?.[kind] ?? {}
  return only === undefined ? several : [only]
}

/** Descriptions stand beside `anyOf`, because generators that read the document look for them there and not in a branch. */
export function Nullable<T extends TSchema>(schema: T, options: SchemaOptions = {}) {
  if (schema.anyOf) return Type.Unsafe<Static<T> | null>({ ...schema, anyOf: [...schema.anyOf, Type.Null()], ...options })
  const { description, examples, deprecated, ...rest } = schema
  const beside = { ...(description && { description }), ...(examples && { examples }), ...(deprecated && { deprecated }) }
  return Type.Unsafe<Static<T> | null>({ anyOf: [rest, Type.Null()], ...beside, ...options })
}

/** A field of a create: absent and null both mean "not given". */
export const OptionalNullable = <T extends TSchema>(schema: T, options?: SchemaOptions) => Type.Optional(Nullable(schema, options))

/**
 * A field of an update that cannot be empty: absent means "stays as it is", null is refused.
 * @param advice what to do instead, if it is more than leaving it out
 */
export const OptionalNotNull = <T extends TSchema>(schema: T, advice?: string) => Type.Optional({ ...schema, 'x-kept': advice ?? true })

export const Enum = <const T extends string[]>(
  values: T,
  options: { description?: string; examples?: string[]; default?: T[number] } = {},
) => Type.Unsafe<T[number]>({ type: 'string', enum: values, ...options })

type NameOptions = {
  lengthMax: number
  description: string
  examples: string[]
  pattern?: string
  /** A pattern that it may not match. Many tools read no pattern that looks ahead, so the document has a sentence in its place. */
  'x-refused'?: string
  'x-rule'?: string
}

/** The name of a record. A blank name would leave a line or a switch without a label. */
export const Name = (options: NameOptions) => {
  const { lengthMax, ...shown } = options
  return Type.String({ minLength: 1, maxLength: lengthMax, ...visible, ...shown })
}

/** Marks a string that has at least one visible character, unless it is empty. */
export const visible = { 'x-visible': true } as const

/** Marks an object that has exactly one of these fields. Null means "not given". */
export const oneGiven = (...names: string[]) => ({ 'x-one-of': names })

/**
 * Marks an array of objects, no two of which have the same value in this field.
 * @param noun what an error calls the value, unless it shows it
 */
export const distinct = (key: string, noun?: string): { 'x-distinct': Distinct } => ({ 'x-distinct': { key, noun } })
export type Distinct = { key: string; noun: string | undefined }

/** What only the document says of a schema: neither the validator nor the serializer of each request checks it or fills it in. */
export const documented = <Words extends object>(words: Words) => ({ 'x-documented': words }) as const

/** Marks a string that must never be logged. */
export const secret = { 'x-secret': true } as const

/** Marks a URL whose query must not be logged: anyone who has a signed one can fetch the file. */
export const secretQuery = { 'x-secret-query': true } as const

export const EXAMPLE_ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10'
export const EXAMPLE_TIME = '2026-11-20 09:30:00.123000+00'

export const Id = (description: string) => Type.String({ format: 'uuid', description, examples: [EXAMPLE_ID] })
export const Timestamp = (description: string) =>
  Type.String({
    description: `${description} Format: \`YYYY-MM-DD HH:MM:SS.ffffff+00\`.`,
    examples: [EXAMPLE_TIME],
    ...documented({ pattern: TIMESTAMP_PATTERN }),
  })
const TIMESTAMP_PATTERN = '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}\\.\\d{6}\\+00$'

/** A time of an answer in ISO 8601. A time that a client gives may be in English too, so it has no format. */
export const IsoTime = (description: string, example: string) =>
  Type.String({ description, examples: [example], ...documented({ format: 'date-time' }) })

/** A time in an event. Records have another format. */
export const EventTime = (description: string) => IsoTime(`${description} ISO 8601 in UTC, with milliseconds.`, '2026-11-20T09:30:00.123Z')

/** The kind of a record, always the same word. */
export const Kind = <const T extends string>(kind: T) => Type.Literal(kind, { description: `Always \`${kind}\`.` })

/** A query parameter that is an id. It has no example: Swagger UI would send the example, and no record has that id. */
export const QueryId = (description: string) => Type.Optional(Type.String({ format: 'uuid', description }))

export const PAGE_LIMIT_MAX = 100
const limitSentence = `How many records to return, from 1 to ${PAGE_LIMIT_MAX}.`

/** The query of a list that always pages (spec, Pagination). */
export const ListQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      description: limitSentence,
      ...documented({ default: PAGE_SIZES.always }),
    }),
  ),
  after: QueryId('Return the records after the one with this id: older ones.'),
  before: QueryId('Return the records before the one with this id: newer ones. It cannot be combined with `after`.'),
})

/** The query of a list that returns everything unless it is asked to page. */
export const WholeListQuery = Type.Object({
  ...ListQuery.properties,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      description: `${limitSentence} By default, all of them, up to ${PAGE_SIZES.optional.toLocaleString('en')}; with \`after\` or \`before\`, ${PAGE_SIZES.always}.`,
    }),
  ),
})

/** The query of the deletion of what others may use. */
export const DeletionQuery = Type.Object({
  unless_used: Type.Optional(
    Type.Boolean({
      description:
        'If true and the record is in use, it is not deleted: the response is a 409 that names what uses it. Otherwise, what needs the record is disabled or canceled, and named in the header `x-warnings`.',
    }),
  ),
})

/** The envelope of every list (spec, Conventions 6). `what` says what it lists, such as `emails`. */
export const List = <T extends TSchema>(name: string, what: string, item: T) =>
  Named(name, Type.Object(listFields(what, item), { description: listSentence(what) }))

export const listFields = <T extends TSchema>(what: string, item: T) => ({
  object: Kind('list'),
  has_more: Type.Boolean({ description: 'Whether there are more records beyond this page.' }),
  data: Type.Array(item.$id ? Ref(item) : item, { description: `The ${what}, newest first.` }),
})

export const listSentence = (what: string): string => `A page of the list of ${what}.`

/** The answer to an update or an action: the record that it is about. */
export const Reference = <const K extends string>(name: string, kind: K) =>
  Named(
    name,
    Type.Object({ object: Kind(kind), id: Id(`Id of the ${kindNoun(kind)}.`) }, { description: `Identifies the ${kindNoun(kind)}.` }),
  )

/** The answer to a deletion. */
export const Deletion = <const K extends string>(name: string, kind: K) =>
  Named(
    name,
    Type.Object(
      {
        object: Kind(kind),
        id: Id(`Id of the deleted ${kindNoun(kind)}.`),
        deleted: Type.Boolean({ description: 'Always `true`.' }),
      },
      { description: `Confirms that the ${kindNoun(kind)} was deleted.` },
    ),
  )

const kindNoun = (kind: string): string => kind.replaceAll('_', ' ').replace(/^api\b/, 'API')

/** The kinds of error, as programs tell them apart. */
export const ERROR_NAMES = [
  'application_error',
  'confirmation_required',
  'daily_quota_exceeded',
  'gone',
  'invalid_access',
  'invalid_access_token',
  'invalid_api_key',
  'invalid_idempotency_key',
  'invalid_idempotent_request',
  'invalid_link',
  'invalid_permission',
  'method_not_allowed',
  'missing_api_key',
  'monthly_quota_exceeded',
  'not_found',
  'rate_limit_exceeded',
  'restricted_api_key',
  'service_unavailable',
  'validation_error',
]

export const ErrorReply = Named(
  'Error',
  Type.Object(
    {
      statusCode: Type.Integer({ description: 'The HTTP status code of the response.' }),
      name: Enum(ERROR_NAMES, { description: 'The kind of error, for programs.', examples: ['validation_error'] }),
      message: Type.String({ description: 'What went wrong and what to do about it, for people.' }),
    },
    { description: 'An error. Every error response has this shape.' },
  ),
)

export type ListQuery = Static<typeof ListQuery>

export const RECIPIENTS_PER_FIELD_MAX = 50

export const Addresses = (description: string) =>
  Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: RECIPIENTS_PER_FIELD_MAX })], {
    description: `${description} One address, or an array of at most ${RECIPIENTS_PER_FIELD_MAX}.`,
    examples: [['ada@example.com']],
  })

export type Page<Row> = { rows: Row[]; hasMore: boolean }

/** A page of a search, which reads a bounded number of records. `searchedTo`: the last of them, if the search ended there and found too few. */
export type SearchPage<Row> = Page<Row> & { searchedTo: string | null }
