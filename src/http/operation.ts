// The form in which every operation is declared, beside its handler. Validation, types, the OpenAPI operation, the access check and the tests that
// walk all operations come from it.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { TextEncoding } from '../lib/csv/text-encoding.ts'
import { headerOfWarnings, type Warning } from '../lib/header-codes.ts'
import type { TakeRoom } from '../lib/limits/shared-room.ts'
import type { AnyResource } from './resource.ts'

/** The operations of a resource, and the slices of the context that they use. */
export type Routes<Context> = FastifyPluginAsyncTypebox<{ context: Context }>

/**
 * Who may call: only keys with full access, sending keys too, anyone, a person who is signed in, whatever their teams (`person`) or in the team that they
 * look at (`member`), or the operator of the installation alone, who has no team.
 */
export type Access = 'full' | 'sending' | 'public' | 'person' | 'member' | 'operator'

/** Whether only people who are signed in may call. */
export const isForPeople = (access: Access | undefined): boolean => access === 'person' || access === 'member'

/**
 * Whose calls stand in the audit log, once they have changed something: everyone's; those of people, the command line and the operator; no one's. What
 * changes configuration is `always`, one email, event or contact `people`, and what changes nothing `never`.
 */
export type Audit = 'always' | 'people' | 'never'

/**
 * A body with a file is multipart/form-data; its other parts are the other fields. The file is stored as it arrives, and its size takes its
 * place in the body and in the request log. `bytesMax` applies to the request if its length is announced, and otherwise to the file.
 */
export type Upload = { part: string; bytesMax: number }

/** `teamOf`: whose request it is, for the share of a team. */
export type PageUpload = Upload & { teamOf: (request: FastifyRequest) => string }

/** `name`: as the client gave it, of any length; null if it gave none. */
export type TakenFile = { blobKey: string; name: string | null; bytes: number; encoding: TextEncoding }

/** A file that has arrived. It is removed at the end of the request unless someone takes it, who must then remove it. */
export type UploadedFile = { take(): TakenFile }

/** The schema of a success for each of its statuses. */
type Replies = { 200?: TSchema; 201?: TSchema; 202?: TSchema }

type Facts = {
  /** `resource.verb`, as the official clients call it. */
  id: string
  /** Other paths of the same operation: not documented, with the same id and the same idempotency keys. */
  aliases?: string[]
  summary: string
  description: string
  access: Access
  audit: Audit
  /** It gives something out, and writes nothing: it stands in the audit log nevertheless. */
  givesOut?: true
  /** What an access token needs, unless it follows from the section and the method. */
  scope?:
    | 'broadcasts:send'
    | 'contacts:read'
    | 'contact-properties:read'
    | 'contacts:subscriptions'
    | 'contacts:write'
    | 'emails:read'
    | 'emails:resend'
    | 'events:read'
    | 'segments:read'
    | 'suppressions:delete'
    | 'webhooks:write'
  /** People call it, and programs that they allowed; an API key cannot. */
  byPeople?: true
  /** A person who is signed in has to confirm before that it is them: each time, or under a condition that the handler checks (`requireConfirmation`). */
  confirms?: true | `when ${string}`
  /**
   * The answer is a stream of server-sent events. A browser opens it without headers of its own, so the query may have `team_id` in place of the header
   * `Posthaste-Team`.
   */
  isStream?: true
  /** The answer is a file of this type, and a stream: it may be longer than memory. */
  file?: 'text/csv'
  /** It answers with counts and with names that are no one's: `numbers:read` suffices. */
  isCount?: true
  /** It leads to mail, for which an access token needs `broadcasts:send` too: each time, or under a condition that the handler checks (`requireSending`). */
  sends?: true | `when ${string}`
  /** Other sections whose records its reply shows: an access token needs the scope to read each. */
  shows?: readonly ('broadcasts' | 'contacts' | 'events' | 'templates')[]
  /** Other sections whose records it changes: it needs the scope to write each. */
  changes?: readonly string[]
  /**
   * The handler validates the entries of an array body one by one. The validator checks only that the body is an array of a permitted
   * length.
   */
  checksEntries?: boolean
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
  upload?: Upload
}

type Schemas = { params?: TSchema; query?: TSchema; headers?: TSchema; body?: TSchema }

/** What a route says of itself. `reply`: the schema for each status of a success; if there are two, the handler chooses. */
type Declaration<S extends Schemas, R extends Replies> = Facts &
  S & {
    reply: R
    /** An example of the request body and of the reply. A test checks that both match their schemas. */
    example: { body?: S['body'] extends TSchema ? Static<S['body']> : never; reply: ReplyOf<R> }
  }

type AnyDeclaration = Facts & Schemas & { reply: Replies; example: { body?: unknown; reply: unknown } }

type ReplyOf<R extends Replies> = { [Status in keyof R]: R[Status] extends TSchema ? Static<R[Status]> : never }[keyof R]

type Part<Name extends string, Schema> = Schema extends TSchema ? { [Each in Name]: Schema } : unknown

/** What Fastify's type provider reads. */
type RouteSchema<S extends Schemas, R extends Replies> = Part<'params', S['params']> &
  Part<'querystring', S['query']> &
  Part<'headers', S['headers']> &
  Part<'body', S['body']> & { response: R }

/** An operation as it is registered. */
export type Operation = Facts &
  Schemas & {
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
    path: string
    resource: AnyResource
    /** The statuses of a success, in rising order. */
    statuses: number[]
    reply: TSchema
    example: { body?: unknown; reply: unknown }
  }

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    operation?: Operation
    /** A file that a form of a page brings. Operations declare theirs themselves. */
    upload?: PageUpload
  }
  interface FastifyRequest {
    /** Who calls; null before the authentication, and on what is public. */
    holder: Caller | null
    /** Who is signed in, for the operations that need no team. */
    signedIn: SignedIn | null
    /** Who calls an operation. */
    readonly caller: Caller
    readonly teamId: string
    /** Who calls an operation for people who are signed in. */
    readonly person: SignedIn
    idempotencyKey: string | null
    /** Set where an upload is declared, once it has arrived. */
    upload: UploadedFile | undefined
    /** The file that an operation with an upload has got. It is the handler's from then on. */
    takeUpload(): TakenFile
  }
  interface FastifyReply {
    /** What was warned about so far; null: of nothing. */
    warnings: readonly Warning[] | null
    /** For operations that declare `warns`: adds to the header `x-warnings` of the answer. */
    readonly warn: (warnings: readonly Warning[]) => void
    /** Aborted once the client has gone, for operations that wait. */
    readonly gone: () => AbortSignal
    /** Called by operations that make more of a body than it has. */
    readonly takeRoom: TakeRoom
  }
  interface FastifyInstance {
    /** All that are registered. */
    operations: Operation[]
  }
}

/** Makes the options of routes: what stands at each is its declaration. They stand in the section of the resource. */
export const declareOperations =
  (resource: AnyResource) =>
  <const S extends Schemas, const R extends Replies>(declaration: Declaration<S, R>) => {
    const declared: AnyDeclaration = declaration
    const { params, query, headers, body, reply } = declared
    const parts = { ...(params && { params }), ...(query && { querystring: query }), ...(headers && { headers }), ...(body && { body }) }
    const [first = Type.Null()] = Object.values(reply)
    // The method and the path are those of the route.
    const about: Operation = { ...declared, method: 'GET', path: '', reply: first, statuses: Object.keys(reply).map(Number), resource }
    return { schema: { ...parts, response: reply } as RouteSchema<S, R>, config: { access: declared.access, operation: about } }
  }

/** Completes every route that is an operation, and lists it. Before anything that looks at routes is registered. */
export function operations(app: FastifyInstance): void {
  app.decorate('operations', [])
  app.decorateRequest('caller', { getter: callerOf })
  app.decorateRequest('teamId', {
    getter() {
      return callerOf.call(this).teamId
    },
  })
  app.decorateRequest('person', {
    getter() {
      if (!this.signedIn) throw new Error('An operation of people was reached by no one: the authentication plugin must refuse that')
      return this.signedIn
    },
  })
  app.decorateRequest('takeUpload', function takeUpload() {
    if (!this.upload) throw new Error('An operation takes a file, but declares no upload')
    return this.upload.take()
  })
  app.decorateReply('warnings', null)
  app.decorateReply('warn', { getter: warnOf })
  app.decorateReply('gone', {
    getter() {
      return () => goneOf(this)
    },
  })
  app.decorateReply('takeRoom', {
    getter() {
      return (bytes: number) => this.server.takeRoom(this, this.request.teamId, bytes)
    },
  })
  app.addHook('onRoute', function complete(route) {
    const { config, method, url } = route
    const declared = config?.operation
    if (!declared) return
    // Fastify adds a HEAD to every GET: the same operation, which is listed once.
    const isAlias = declared.aliases?.includes(url) ?? false
    if (method !== 'HEAD' && !isAlias) {
      Object.assign(declared, { method, path: url })
      this.operations.push(declared)
    }
    const { handler, schema } = route
    route.schema = { ...documented(declared, isAlias), ...referencing(schema, declared) }
    const status = declared.statuses.at(-1) ?? 200
    route.handler = function answer(request, reply) {
      reply.code(status)
      return handler.call(this, request, reply)
    }
    if (method !== 'HEAD' && !isAlias)
      for (const alias of declared.aliases ?? []) this.route({ method, url: alias, config, schema: schema ?? {}, handler })
  })
}

function callerOf(this: FastifyRequest): Caller {
  if (!this.holder) throw new Error('An operation was reached without a credential: the authentication plugin must refuse that')
  return this.holder
}

function warnOf(this: FastifyReply) {
  return (warnings: readonly Warning[]) => {
    this.warnings = [...(this.warnings ?? []), ...warnings]
    if (this.warnings.length > 0) this.header('x-warnings', headerOfWarnings(this.warnings))
  }
}

function goneOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  raw.once('close', () => controller.abort())
  if (raw.destroyed) controller.abort()
  return controller.signal
}

const documented = (declared: Operation, isAlias: boolean) => ({
  operationId: declared.id,
  summary: declared.summary,
  description: declared.description,
  tags: [declared.resource.tag.name],
  hide: isAlias,
  ...(declared.isDeprecated && { deprecated: true }),
  ...(declared.upload && { consumes: ['multipart/form-data'] }),
})

/** With named schemas as references, so that they become components. */
const referencing = (schema: RouteOptions['schema'], { body, checksEntries, reply, statuses, isStream, file }: Operation) => ({
  ...schema,
  ...(body && { body: checksEntries ? { ...body, items: {} } : bodySchema(body) }),
  response: Object.fromEntries(statuses.map((status) => [status, answerOf(isStream ? 'text/event-stream' : file, reply)])),
})

/** @param media undefined for JSON */
const answerOf = (media: string | undefined, reply: TSchema): object =>
  media === undefined ? bodySchema(reply) : { content: { [media]: { schema: bodySchema(reply) } } }

export const bodySchema = (schema: TSchema): object => (schema.$id ? { $ref: schema.$id } : schema)

export const PERMISSIONS = ['full_access', 'sending_access'] as const

export type Permission = (typeof PERMISSIONS)[number]

export type Caller = {
  teamId: string
  /** The id of the key, of the grant if the request has an access token, or of the person who is signed in. */
  apiKeyId: string
  permission: Permission
  /** The only domain that it may send from, which may have been deleted. Null: it is not restricted. */
  domainId: string | null
  /** Absent for a key: its permission says what it may do. */
  scopes?: readonly string[]
  /** The access of a program. `personId`: the person who allowed it; null: someone with a key did, in a version before people. */
  grant?: { id: string; personId: string | null }
  /** Who is signed in. */
  person?: { id: string; email: string; name: string; role: string; sessionId: string; confirmedAt: Date | null }
}

/** A person who is signed in. `team`: the one that they look at, if they have any. */
export type SignedIn = {
  id: string
  email: string
  name: string
  sessionId: string
  /** When the session began. */
  signedInAt: Date
  confirmedAt: Date | null
  /** Whether the groups of the identity provider, by which they signed in, make them an operator. */
  isOperatorByGroup: boolean
  team: { id: string; name: string; role: string } | null
}
