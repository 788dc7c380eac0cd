// Files for browsers, which send no header of ours when they download: a path that works once stands for a request of the person, and does at that moment
// what the operation does for them.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { asDownload } from '../../../http/headers.ts'
import { type Caller, declareOperations, type Operation, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { LinkParams } from '../../../http/resource.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { Failure, invalid, notFound } from '../../../lib/failure.ts'
import { createId } from '../../../lib/ids.ts'
import { EXAMPLE_TIME } from '../../../lib/validation/common.schema.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import { requiredScopes, requireScope } from '../../accounts/scopes.ts'
import { requireConfirmation } from '../../accounts/sessions/confirmation.ts'
import { createTokenOfSession } from '../../accounts/sessions/sessions.service.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import { CONSOLE } from '../console.schema.ts'
import { DOWNLOADABLE, findDownloadable } from './downloadable.ts'
import { Download, DownloadCreation } from './downloads.schema.ts'

type Context = PlatformContext & SecretsContext & AccountsContext

/** `id`: for being used once. */
type Asked = { id: string; teamId: string; sessionId: string; path: string }

type Got = Awaited<ReturnType<typeof injected>>

const operation = declareOperations(CONSOLE)

/** A browser asks for it at once. */
const DOWNLOAD_MS = 60_000
const STATUS_OF_FILE = 200
/** Links in answers lead to files, of which this is the only kind. */
const FILES = '/downloads/'

export const consoleDownloadRoutes: Routes<Context> = async (app, { context }) => {
  const { repositories, links, clock } = context

  app.post(
    '/downloads',
    operation({
      id: 'downloads.create',
      summary: 'Download a file',
      description:
        'Returns a path from which a browser downloads what an operation gives out. It works once, for a minute, without the session, and does then what the operation does for this person at that moment.',
      access: 'member',
      audit: 'never',
      isLogged: false,
      confirms: 'when the operation asks for it',
      body: DownloadCreation,
      reply: { 201: Download },
      example: {
        body: { path: '/audit-log?format=csv' },
        reply: { object: 'download', url: '/downloads/once/1.eyJwYXlsb2FkIjp7fX0.Zm9yIGV4YW1wbGU', expires_at: EXAMPLE_TIME },
      },
    }),
    async ({ caller, body }, reply) => {
      const { path } = body
      const asked = findDownloadable(app.operations, path)
      if (!asked) throw invalid(NO_FILE)
      requireAccess(caller, asked)
      const { teamId, person } = caller
      const expiresAt = new Date(clock.now().getTime() + DOWNLOAD_MS)
      const download: Asked = { id: createId(clock), teamId, sessionId: person?.sessionId ?? '', path }
      return reply.code(201).send({
        ...{ object: 'download' as const, url: `/downloads/once/${links.sign('session', { download }, expiresAt)}` },
        expires_at: toTimestamp(expiresAt),
      })
    },
  )

  // Without a HEAD, which would use it up.
  app.get(
    '/downloads/once/:token',
    { config: { access: 'public' }, exposeHeadRoute: false, schema: { hide: true, params: LinkParams } },
    async (request, reply) => {
      const { download } = links.open('session', request.params.token)
      if (!isAsked(download)) throw new Failure('invalidLink', USED)
      const { id, teamId, sessionId, path } = download
      if (!(await repositories.usedForms.useAcrossTeams({ id, teamId, usedAt: clock.now() }))) throw new Failure('invalidLink', USED)
      const token = await createTokenOfSession(context, { sessionId, teamId })
      const asked = findDownloadable(app.operations, path)
      if (token === null || asked === null) throw new Failure('invalidLink', SESSION_OVER)
      return sendFile(reply, await fileOf(request, asked, { path, token }))
    },
  )

  /** As the operation does, so that the person is told before the browser leaves the page. */
  function requireAccess(caller: Caller, asked: Operation): void {
    for (const scope of requiredScopes(asked)) requireScope(caller, scope)
    if (asked.confirms === true) requireConfirmation(caller, context)
  }

  async function fileOf(request: FastifyRequest, asked: Operation, { path, token }: { path: string; token: string }) {
    const got = await injected(app, request, { path, token })
    const about = DOWNLOADABLE[asked.id]
    if (!about || got.statusCode !== STATUS_OF_FILE) return { got, filename: null }
    if ('filename' in about) return { got, filename: about.filename }
    const answer = JSON.parse(await textOf(got)) as Record<string, unknown>
    if ('text' in about) return { got, filename: about.filenameOf(answer), text: String(answer[about.text]) }
    const link = URL.parse(String(about.link(answer)))
    if (!link?.pathname.startsWith(FILES)) throw notFound('File')
    return { got: await injected(app, request, { path: link.pathname, token: null }), filename: null }
  }
}

type FileFound = { got: Got; filename: string | null; text?: string }

/** What is no file is an error in JSON, which no browser takes for a page either. */
function sendFile(reply: FastifyReply, { got, filename, text }: FileFound): FastifyReply {
  const { 'content-type': type, 'content-disposition': disposition } = got.headers
  const named = filename === null ? disposition : asDownload(filename)
  return reply
    .code(got.statusCode)
    .headers({
      ...PRIVATE,
      'content-type': text === undefined ? (type ?? 'application/octet-stream') : 'text/plain; charset=utf-8',
      ...(got.statusCode === STATUS_OF_FILE && { 'content-disposition': named ?? asDownload('file') }),
    })
    .send(text ?? got.stream())
}

/** Through everything that a request goes through: who may do it, limits, the audit log. */
const injected = (app: FastifyInstance, { ip, headers }: FastifyRequest, { path, token }: { path: string; token: string | null }) =>
  app.inject({
    method: 'GET',
    url: path,
    remoteAddress: ip,
    headers: {
      host: headers.host ?? '',
      'user-agent': headers['user-agent'] ?? '',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    payloadAsStream: true,
  })

async function textOf(got: Got): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of got.stream()) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

const isAsked = (value: unknown): value is Asked => {
  const { id, teamId, sessionId, path } = (value ?? {}) as Partial<Asked>
  return [id, teamId, sessionId, path].every((part) => typeof part === 'string')
}

const NO_FILE = 'The `path` field names no file that can be downloaded.'
const USED = 'This link was used already. Ask for a new one.'
const SESSION_OVER = 'The session for which this link was made has ended. Sign in, and ask for a new one.'

const PRIVATE = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-store',
}
