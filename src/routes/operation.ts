// The one declaration form of every operation. From it come validation, types, the OpenAPI operation, the access check and the tests that walk all operations.
import type { Static, TSchema } from '@sinclair/typebox'
import type { FastifyBaseLogger, FastifyInstance, FastifyPluginCallback, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { TextEncoding } from '../lib/csv/text-encoding.ts'
import type { KeyHolder } from '../repositories/team/api-keys.ts'

/** Who may call: keys with full access, also keys that may only send, or anyone. */
export type Access = 'full' | 'sending' | 'public'

/** The tags of the OpenAPI document, in its order: sending first, and properties, topics and segments before the contacts whose examples need them. */
export const TAGS = {
  Emails: 'Send, schedule, track and cancel emails.',
  'Contact Properties': 'Fields that a team adds to its contacts.',
  Topics: 'Kinds of email that contacts can opt in to or out of.',
  Segments: 'Groups of contacts, added one by one or selected by a filter.',
  Contacts: 'The people to whom a team sends email.',
  'Contact Imports': 'Create and update contacts from a CSV file.',
  Audiences: 'The former name of segments, for clients that still use it.',
  'API Keys': 'The credentials of a team. A key is shown only once, when it is created.',
  Logs: 'The API requests that a team made.',
} as const

type Parts = { params?: TSchema; query?: TSchema; headers?: TSchema; body?: TSchema; upload?: Upload }
type Part<P extends Parts, K extends Exclude<keyof Parts, 'upload'>> = P[K] extends TSchema ? Static<P[K]> : undefined

/**
 * One part of the body is a file of text: the body is multipart/form-data, whose other parts are the other fields. The file is stored as it arrives;
 * in the body, and in the request log, its size stands for it. `bytesMax` holds for the request when its length is announced, else for the file.
 */
export type Upload = { part: string; bytesMax: number }

/** A file that has arrived. It is removed at the end of the request, unless it was taken: then the taker removes it. */
export type UploadedFile = { take(): { blobKey: string; bytes: number; encoding: TextEncoding } }

/** One call of an operation: who, what, and nothing of HTTP. */
export type Call<P extends Parts = Parts> = {
  holder: KeyHolder
  teamId: string
  params: Part<P, 'params'>
  query: Part<P, 'query'>
  headers: Part<P, 'headers'>
  body: Part<P, 'body'>
  upload: P['upload'] extends Upload ? UploadedFile : undefined
  /** Null when none was given, and for operations that take none. */
  idempotencyKey: string | null
  log: FastifyBaseLogger
}

export type Operation<P extends Parts = Parts, R extends TSchema = TSchema> = P & {
  /** `resource.verb`, as the official clients call it. */
  id: string
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  /** Other paths of the same operation: not documented, same id, same idempotency keys. */
  aliases?: string[]
  tag: keyof typeof TAGS
  summary: string
  description: string
  access: Access
  /** Status of a success; 200 unless stated. */
  status?: 200 | 201 | 202
  reply: R
  /** The entries of an array body are judged one by one by the handler; the validator sees only that it is an array of the right length. */
  checksEntries?: boolean
  /** An example of the request body and of the reply, both valid by their schemas (a test sees to it). */
  example: { body?: P['body'] extends TSchema ? Static<P['body']> : never; reply: Static<R> }
  /** Takes the header Idempotency-Key. */
  isIdempotent?: boolean
  /** Still there for clients that use it; others have a better one. */
  isDeprecated?: boolean
  /** A record that does not exist counts as deleted: no 404. */
  allowsUnknown?: boolean
  /** False for operations that would fill the log with itself. */
  isLogged?: boolean
  /** A method, so that operations of all shapes fit into one list. */
  handle(call: Call<P>): Promise<Static<R>>
}

/** Declares an operation; the types of `handle` follow from the schemas. */
export const operation = <P extends Parts, R extends TSchema>(declaration: Operation<P, R>): Operation =>
  declaration as unknown as Operation

export type Routes = (context: Context) => Operation[]

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    operation?: Operation
  }
  interface FastifyRequest {
    /** Set by the authentication plugin on every operation that is not public. */
    holder: KeyHolder | null
    idempotencyKey: string | null
    /** Of operations that declare one, once it has arrived. */
    upload: UploadedFile | undefined
  }
}

/** Makes a Fastify plugin of a list of operations: one per resource. */
export const routePlugin =
  (routes: Routes, context: Context): FastifyPluginCallback =>
  (app, _options, done) => {
    for (const declared of routes(context)) register(app, declared)
    done()
  }

function register(app: FastifyInstance, declared: Operation): void {
  for (const url of [declared.path, ...(declared.aliases ?? [])]) {
    app.route({
      method: declared.method,
      url,
      config: { access: declared.access, operation: declared },
      schema: {
        operationId: declared.id,
        summary: declared.summary,
        description: declared.description,
        tags: [declared.tag],
        hide: url !== declared.path,
        ...(declared.isDeprecated && { deprecated: true }),
        ...(declared.upload && { consumes: ['multipart/form-data'] }),
        ...(declared.params && { params: declared.params }),
        ...(declared.query && { querystring: declared.query }),
        ...(declared.headers && { headers: declared.headers }),
        ...(declared.body && { body: declared.checksEntries ? { ...declared.body, items: {} } : bodySchema(declared.body) }),
        response: { [declared.status ?? 200]: bodySchema(declared.reply) },
      },
      async handler(request, reply) {
        reply.code(declared.status ?? 200)
        return declared.handle(callOf(request))
      },
    })
  }
}

/** A named schema is referred to, so that it becomes a component. */
export const bodySchema = (schema: TSchema): object => (schema.$id ? { $ref: schema.$id } : schema)

/** The one place where validated parts get their static types: the validators of `schema` have seen them. */
function callOf(request: FastifyRequest): Call {
  const { holder } = request
  if (!holder) throw new Error('An operation was reached without a credential: the authentication plugin must refuse that')
  const { params, query, headers, body, upload, idempotencyKey, log } = request
  return { holder, teamId: holder.teamId, params, query, headers, body, upload, idempotencyKey, log } as unknown as Call
}
