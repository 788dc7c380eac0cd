// The form in which every operation is declared. Validation, types, the OpenAPI operation, the access check and the tests that walk all
// operations come from it.
import type { Static, TSchema } from '@sinclair/typebox'
import type { FastifyBaseLogger, FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { TextEncoding } from '../lib/csv/text-encoding.ts'
import { headerOfWarnings, type Warning } from '../lib/header-codes.ts'
import type { TakeRoom } from '../lib/limits/shared-room.ts'
import type { OpenSpan } from '../lib/tracing.ts'
import type { KeyHolder } from '../repositories/team/api-keys.ts'
import type { Resource } from '../schemas/resources.ts'

/** Who may call: only keys with full access, sending keys too, or anyone. */
export type Access = 'full' | 'sending' | 'public'

type Parts = { params?: TSchema; query?: TSchema; headers?: TSchema; body?: TSchema; upload?: Upload }
type Part<P extends Parts, K extends Exclude<keyof Parts, 'upload'>> = P[K] extends TSchema ? Static<P[K]> : undefined

/**
 * A body with a file is multipart/form-data; its other parts are the other fields. The file is stored as it arrives, and its size takes its
 * place in the body and in the request log. `bytesMax` applies to the request if its length is announced, and otherwise to the file.
 */
export type Upload = { part: string; bytesMax: number }

/** `teamOf`: whose request it is, for the share of a team. */
export type PageUpload = Upload & { teamOf: (request: FastifyRequest) => string }

/** A file that has arrived. It is removed at the end of the request unless someone takes it, who must then remove it. */
export type UploadedFile = { take(): { blobKey: string; bytes: number; encoding: TextEncoding } }

/** One call of an operation: who calls, with what, and nothing of HTTP. */
export type Call<P extends Parts = Parts> = {
  holder: KeyHolder
  teamId: string
  params: Part<P, 'params'>
  query: Part<P, 'query'>
  headers: Part<P, 'headers'>
  body: Part<P, 'body'>
  upload: P['upload'] extends Upload ? UploadedFile : undefined
  /** Null if the client gave none, and for operations that do not accept one. */
  idempotencyKey: string | null
  /** For operations with `findsExisting`: says that nothing was created. */
  foundExisting(): void
  /** For operations that declare `warns`: adds to the header `x-warnings` of the answer. */
  warn(warnings: readonly Warning[]): void
  /** Aborted once the client has gone, for operations that wait. */
  gone(): AbortSignal
  /** Called by operations that make more of a body than it has. */
  takeRoom: TakeRoom
  /** That of the request; null while no traces are exported. */
  span: OpenSpan | null
  log: FastifyBaseLogger
}

export type Declaration<P extends Parts = Parts, R extends TSchema = TSchema> = P & {
  /** `resource.verb`, as the official clients call it. */
  id: string
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  /** Other paths of the same operation: not documented, with the same id and the same idempotency keys. */
  aliases?: string[]
  summary: string
  description: string
  access: Access
  /** What an access token needs, unless it follows from the section and the method. */
  scope?: 'contacts:write' | 'emails:send' | 'webhooks:write'
  /** It leads to mail, for which an access token needs `emails:send` too: each time, or under a condition that the handler checks (`requireSending`). */
  sends?: true | `when ${string}`
  /** Other sections whose records its reply shows: an access token needs the scope to read each. */
  shows?: readonly ('broadcasts' | 'contacts' | 'events' | 'templates')[]
  /** Status of a success; 200 unless stated. */
  status?: 200 | 201 | 202
  /** Answers 200 in place of 201 when what is asked for exists already. */
  findsExisting?: boolean
  reply: R
  /**
   * The handler validates the entries of an array body one by one. The validator checks only that the body is an array of a permitted
   * length.
   */
  checksEntries?: boolean
  /** An example of the request body and of the reply. A test checks that both match their schemas. */
  example: { body?: P['body'] extends TSchema ? Static<P['body']> : never; reply: Static<R> }
  /** Accepts the header Idempotency-Key. */
  isIdempotent?: boolean
  /** The answer may have the header `x-warnings`. */
  warns?: boolean
  /** Kept for clients that use it. New clients have a better operation. */
  isDeprecated?: boolean
  /** A record that does not exist counts as deleted: no 404. */
  allowsUnknown?: boolean
  /** The noun of a record that its body or its query names: 404 if there is none. */
  names?: string
  /** What it names is kept for a while: 410 after that. */
  expires?: boolean
  /** False for operations that would fill the log with itself. */
  isLogged?: boolean
  /** A method, so that operations of all shapes fit into one list. */
  handle(call: Call<P>): Promise<Static<R>>
}

/** Declares an operation; the types of `handle` follow from the schemas. */
export const operation = <P extends Parts, R extends TSchema>(declaration: Declaration<P, R>): Declaration =>
  declaration as unknown as Declaration

/** An operation as it is registered. */
export type Operation = Declaration & { resource: Resource }

export type Routes = (context: Context) => Operation[]

/** Declares the operations of a resource: they stand in its section of the document. */
export const routes =
  (resource: Resource, declare: (context: Context) => Declaration[]): Routes =>
  (context) =>
    declare(context).map((declaration) => ({ ...declaration, resource }))

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    operation?: Operation
    /** A file that a form of a page brings. Operations declare theirs themselves. */
    upload?: PageUpload
  }
  interface FastifyRequest {
    /** Set by the authentication plugin on every operation that is not public. */
    holder: KeyHolder | null
    idempotencyKey: string | null
    /** Set where an upload is declared, once it has arrived. */
    upload: UploadedFile | undefined
  }
}

/** Makes a Fastify plugin from a list of operations, one plugin for each resource. */
export const routePlugin = (operations: Routes, context: Context): FastifyPluginCallback =>
  Object.assign<FastifyPluginCallback, object>((app, _options, done) => {
    for (const declared of operations(context)) register(app, declared)
    done()
  }, WITHOUT_SCOPE)

/** A scope copies all named schemas. Fastify looks for the name of a plugin without one among all files that are loaded. */
const WITHOUT_SCOPE = { [Symbol.for('skip-override')]: true, [Symbol.for('fastify.display-name')]: 'operations' }

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
        tags: [declared.resource.tag.name],
        hide: url !== declared.path,
        ...(declared.isDeprecated && { deprecated: true }),
        ...(declared.upload && { consumes: ['multipart/form-data'] }),
        ...(declared.params && { params: declared.params }),
        ...(declared.query && { querystring: declared.query }),
        ...(declared.headers && { headers: declared.headers }),
        ...(declared.body && { body: declared.checksEntries ? { ...declared.body, items: {} } : bodySchema(declared.body) }),
        response: Object.fromEntries(successStatuses(declared).map((status) => [status, bodySchema(declared.reply)])),
      },
      async handler(request, reply) {
        reply.code(declared.status ?? 200)
        return declared.handle(callOf(request, reply))
      },
    })
  }
}

/** The status of a success, and another if the operation may find an existing record instead of creating one. */
export const successStatuses = ({ status = 200, findsExisting }: Operation): number[] => (findsExisting ? [FOUND, status] : [status])

const FOUND = 200

/** A named schema is referenced, so that it becomes a component. */
export const bodySchema = (schema: TSchema): object => (schema.$id ? { $ref: schema.$id } : schema)

/** The only place where validated parts get their static types. The validators of `schema` have checked them. */
function callOf(request: FastifyRequest, reply: FastifyReply): Call {
  const { holder } = request
  if (!holder) throw new Error('An operation was reached without a credential: the authentication plugin must refuse that')
  const { params, query, headers, body, upload, idempotencyKey, span, log } = request
  const foundExisting = () => void reply.code(FOUND)
  const given: Warning[] = []
  const warn = (warnings: readonly Warning[]) => {
    given.push(...warnings)
    if (given.length > 0) reply.header('x-warnings', headerOfWarnings(given))
  }
  const gone = () => goneWith(reply)
  const takeRoom: TakeRoom = (bytes) => request.server.takeRoom(reply, holder.teamId, bytes)
  return {
    holder,
    teamId: holder.teamId,
    params,
    query,
    headers,
    body,
    upload,
    idempotencyKey,
    foundExisting,
    warn,
    gone,
    takeRoom,
    span,
    log,
  } as unknown as Call
}

function goneWith({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  raw.once('close', () => controller.abort())
  if (raw.destroyed) controller.abort()
  return controller.signal
}
