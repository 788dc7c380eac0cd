import { Type } from '@sinclair/typebox'
import { Id, IdParams, Kind, List, Named, Nullable, Timestamp } from './common.ts'

const summaryFields = {
  id: Id('Id of the log.'),
  created_at: Timestamp('When the request was answered.'),
  endpoint: Type.String({ description: 'Path of the request, without its query.', examples: ['/emails'] }),
  method: Type.String({ description: 'HTTP method.', examples: ['POST'] }),
  response_status: Type.Integer({ description: 'HTTP status of the answer.', examples: [200] }),
  user_agent: Nullable(Type.String({ description: 'The User-Agent header; null when there was none.' })),
}

const loggedBody = (description: string) =>
  Type.Unsafe<unknown>({ description: `${description} Secrets are redacted. A body over 64 KiB is a string that holds its beginning.` })

export const LogSummary = Named('LogSummary', Type.Object(summaryFields))
export const Log = Named(
  'Log',
  Type.Object({
    object: Kind('log'),
    ...summaryFields,
    request_body: loggedBody('The body of the request; null when there was none or it was not JSON.'),
    response_body: loggedBody('The body of the answer.'),
    request_body_truncated: Type.Boolean({ description: 'Whether `request_body` had to be cut.' }),
    response_body_truncated: Type.Boolean({ description: 'Whether `response_body` had to be cut.' }),
  }),
)
export const LogList = List('LogList', LogSummary)
export const LogParams = IdParams('log_id', 'Id of the log.')
