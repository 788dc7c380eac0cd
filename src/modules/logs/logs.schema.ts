import { Type } from '@sinclair/typebox'
import { DateFilters, FilteredListQuery, SearchedList, TextFilter } from '../../http/list-filters.ts'
import { IdParams, Resource } from '../../http/resource.ts'
import { SECTIONS } from '../../http/sections.ts'
import { documented, Enum, EXAMPLE_TIME, Id, Kind, Named, Nullable, QueryId, Timestamp } from '../../lib/validation/common.schema.ts'

const summaryFields = {
  id: Id('Id of the log.'),
  created_at: Timestamp('When the response was sent.'),
  endpoint: Type.String({ description: 'Path of the request, without its query.', examples: ['/emails'] }),
  method: Type.String({ description: 'HTTP method.', examples: ['POST'] }),
  response_status: Type.Integer({ description: 'HTTP status code of the response.', examples: [200] }),
  user_agent: Nullable(Type.String({ description: 'The `User-Agent` header; null if there was none.' })),
  api_key: Nullable(
    Type.Object({
      id: Id('Id of the API key or of the grant.'),
      name: Nullable(
        Type.String({ description: 'Name of the key; null for grants, and for keys that are deleted.', examples: ['Production'] }),
      ),
    }),
    {
      description:
        'The API key of the request, or the grant of the program that made it; null for people, and for access tokens without the scope `api-keys:read`. An extension.',
    },
  ),
  person: Nullable(
    Type.Object({
      id: Id('Id of the person.'),
      email: Nullable(
        Type.String({ description: 'Email address; null if there is no such person anymore.', examples: ['ada@example.com'] }),
      ),
    }),
    {
      description:
        'The person whose session the request had; null for keys and programs, and for access tokens without the scope `members:read`. Their requests that only read are not logged. An extension.',
    },
  ),
}

/** Some generators omit what has no type, or make it optional. */
const anyValue = documented({
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
    { type: 'null' },
  ],
})
const loggedBody = (description: string) =>
  Type.Unsafe<unknown>({
    ...anyValue,
    description: `${description} Secrets are redacted. A body of more than 64 KiB is cut: the value is then a string with the beginning of the JSON text.`,
  })

export const LogSummary = Named('LogSummary', Type.Object(summaryFields, { description: 'A logged request, as lists show it.' }))
export const Log = Named(
  'Log',
  Type.Object(
    {
      object: Kind('log'),
      ...summaryFields,
      request_body: loggedBody('The request body; null if there was none or it was not JSON.'),
      response_body: loggedBody('The response body.'),
      request_body_truncated: Type.Boolean({ description: 'Whether `request_body` was cut.' }),
      response_body_truncated: Type.Boolean({ description: 'Whether `response_body` was cut.' }),
    },
    { description: 'A logged request, with its bodies.' },
  ),
)
/** The last one stands for mail that was submitted over SMTP. */
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'SMTP']

export const LogListQuery = FilteredListQuery({
  path: TextFilter('Return only requests whose path begins like this.', ['/emails'], { lengthMax: 1_024 }),
  method: Type.Optional(
    Enum(METHODS, { description: 'Return only requests with this method. `SMTP`: mail that was submitted over SMTP.' }),
  ),
  status: TextFilter('Return only requests with this status, such as `404`, or with all that begin alike, such as `4xx`.', ['4xx'], {
    pattern: '^[1-5](\\d\\d|xx)$',
    'x-rule': 'must be a status, such as `404`, or a kind of status, such as `4xx`',
  }),
  api_key_id: QueryId('Return only requests with this API key, or by this grant of a program.'),
  ...DateFilters('requests that were made'),
})

export const LogList = SearchedList('LogList', 'logged requests', LogSummary)
export const LOGS = Resource({
  tag: SECTIONS.logs,
  noun: 'Log',
  parameter: 'log_id',
  item: LogSummary,
  example: {
    id: '0193a5c2-9a10-7d2e-b3c4-5d6e7f809112',
    created_at: EXAMPLE_TIME,
    endpoint: '/emails',
    method: 'POST',
    response_status: 200,
    user_agent: 'resend-node:6.38.0',
    api_key: { id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10', name: 'Production' },
    person: null,
  },
})

export const LogParams = IdParams(LOGS)
