import { createSecureServer } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import {
  createWebhookRequests,
  type WebhookRequestOptions,
  type WebhookRequests,
} from '../../../../src/modules/webhooks/sending/webhook-requests.client.ts'
import { type Certificate, createCertificateAuthority, createSelfSigned } from '../../../support/builders/certificates.ts'
import { until } from '../../../support/clocks/until.ts'
import { freePort } from '../../../support/processes/processes.ts'
import {
  endless,
  file,
  type HttpSink,
  type HttpSinkRoutes,
  redirect,
  silence,
  stalled,
  startHttpSink,
  status,
} from '../../../support/servers/http-sink.ts'

let requests: WebhookRequests
const closing: (() => unknown)[] = []

afterEach(async () => {
  await requests.close()
  await Promise.all(closing.splice(0).map((close) => close()))
})

/** Short, for what is not answered. */
const TIMEOUT_MS = 300
/** Long enough for what is answered, also on a busy machine. */
const PATIENT_MS = 12_000
const NO_ANSWER = { kind: 'unanswered', error: 'The endpoint did not answer within 0.3 seconds.', isTimeout: true }
const CLOSED = 'The endpoint closed the connection before its answer was complete.'

/** Only what is left before its headers is given a short one: the rest is not to be late for it. */
const timeoutOf = (expected: unknown): number => (JSON.stringify(expected).includes(' within 0.3 seconds.') ? TIMEOUT_MS : PATIENT_MS)

function open(options: Partial<WebhookRequestOptions> = {}): void {
  requests = createWebhookRequests({ allowPrivateNetworks: true, timeoutMs: TIMEOUT_MS, ...options })
}

async function start(routes: HttpSinkRoutes, options: Partial<WebhookRequestOptions> = {}): Promise<HttpSink> {
  open({ timeoutMs: PATIENT_MS, ...options })
  const sink = await startHttpSink(routes)
  closing.push(sink.close)
  return sink
}

const send = (endpoint: string, more: { signal?: AbortSignal; webhookId?: string } = {}) =>
  requests.send({ webhookId: 'a', endpoint, headers: { 'svix-id': 'msg_1' }, body: '{}', ...more })

const answered = (code: number, text: string, more: { retryAfterMs?: number; error?: string; isTimeout?: boolean } = {}) => ({
  kind: 'answered',
  status: code,
  text,
  retryAfterMs: null,
  error: null,
  isTimeout: false,
  ...more,
})

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

/** A server that answers the first bytes of each connection as it is told. */
async function startRaw(respond: (socket: Socket) => void): Promise<string> {
  const port = await listen(createServer((socket) => socket.once('data', () => respond(socket))))
  return `http://127.0.0.1:${port}/hook`
}

describe('an answer', () => {
  it.each<[string, HttpSinkRoutes[string], unknown]>([
    ['a success', file('thanks'), answered(200, 'thanks')],
    ['an empty success', (_request, response) => void response.writeHead(204).end(), answered(204, '')],
    ['a refusal', status(500), answered(500, 'refused')],
    ['a redirect, which is not followed', redirect('/elsewhere'), answered(302, 'over there')],
    ['410', status(410), answered(410, 'refused')],
    [
      'a wait in seconds',
      (_request, response) => void response.writeHead(429, { 'retry-after': '90' }).end(),
      answered(429, '', { retryAfterMs: 90_000 }),
    ],
    [
      'a wait until a date',
      (_request, response) => void response.writeHead(503, { 'retry-after': 'Sun, 01 Mar 2026 00:01:00 GMT' }).end(),
      answered(503, '', { retryAfterMs: 60_000 }),
    ],
    ['a wait that is no time', (_request, response) => void response.writeHead(503, { 'retry-after': 'soon' }).end(), answered(503, '')],
    ['text that cannot be stored', file(Buffer.from('a\0b\xff', 'latin1')), answered(200, 'ab\ufffd')],
    ['its first 1,000 characters', file('😀'.repeat(1_500)), answered(200, '😀'.repeat(1_000))],
    ['no more of one without end', endless, answered(200, 'x'.repeat(1_000))],
  ])('is reported: %s', async (_name, route, expected) => {
    const sink = await start({ '/hook': route }, { now: () => new Date('2026-03-01T00:00:00Z') })
    expect(await send(`${sink.url}/hook`)).toEqual(expected)
    expect(sink.requests).toEqual(['POST /hook'])
  })

  it('that is compressed is kept as it comes, without being unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000))
    const sink = await start({ '/hook': file(bomb, { 'content-encoding': 'gzip' }) })
    expect(await send(`${sink.url}/hook`)).toMatchObject({ kind: 'answered', status: 200, text: expect.stringMatching(/^.{1,1000}$/s) })
  })

  it('lets later requests of the same webhook use the same connection', async () => {
    const ports = new Set<number | undefined>()
    const sink = await start({
      '/hook': (request, response) => {
        ports.add(request.socket.remotePort)
        response.end('ok')
      },
    })
    for (let count = 0; count < 10; count++) await send(`${sink.url}/hook`)
    // The connection is free a moment after its answer was read.
    expect(ports.size).toBeLessThanOrEqual(2)
    const before = ports.size
    await send(`${sink.url}/hook`, { webhookId: 'another' })
    expect(ports.size).toBe(before + 1)
  })
})

describe('an endpoint that misbehaves', () => {
  it.each<[string, HttpSinkRoutes[string], unknown]>([
    ['hangs before its headers', silence, NO_ANSWER],
    [
      'hangs after its headers',
      stalled,
      answered(200, '', { error: `The endpoint did not finish its answer within ${PATIENT_MS / 1_000} seconds.`, isTimeout: true }),
    ],
    [
      'drips',
      (_request, response) => {
        const dripping = setInterval(() => response.write('.'), 20)
        response.once('close', () => clearInterval(dripping))
      },
      answered(200, '', { error: `The endpoint did not finish its answer within ${PATIENT_MS / 1_000} seconds.`, isTimeout: true }),
    ],
    ['resets the connection', (request) => void request.socket.resetAndDestroy(), { kind: 'unanswered', error: CLOSED, isTimeout: false }],
    [
      'breaks off',
      (_request, response) => void response.writeHead(200, { 'content-length': 10 }).write('short', () => response.destroy()),
      answered(200, '', { error: CLOSED }),
    ],
    [
      'sends headers that are too long',
      (_request, response) => void response.writeHead(200, { a: 'x'.repeat(20_000) }).end(),
      { kind: 'unanswered', error: 'The headers of the answer are too long.', isTimeout: false },
    ],
  ])('is told apart and left: one that %s', async (_name, route, expected) => {
    const sink = await start({ '/hook': route }, { timeoutMs: timeoutOf(expected) })
    expect(await send(`${sink.url}/hook`)).toEqual(expected)
    await until(async () => expect(await sink.openConnectionCount()).toBe(0))
  })

  it.each<[string, (socket: Socket) => void, unknown]>([
    ['speaks another protocol', (socket) => socket.write('220 mail.example.org ESMTP\r\n'), 'The endpoint did not answer with HTTP.'],
    [
      'answers with a status that no answer has',
      (socket) => socket.write('HTTP/1.1 000 Odd\r\n\r\n'),
      'The endpoint did not answer with HTTP.',
    ],
    ['hangs within its headers', (socket) => socket.write('HTTP/1.1 200 OK\r\nA: '), NO_ANSWER.error],
    [
      'sends interim answers without end',
      (socket) => {
        const flood = () => {
          while (socket.writable && socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)));
        }
        socket.on('drain', flood)
        flood()
      },
      'The endpoint kept sending interim (1xx) responses.',
    ],
    [
      'sends headers without end',
      (socket) => {
        const flood = () => {
          while (socket.writable && socket.write('A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(100)));
        }
        socket.write('HTTP/1.1 200 OK\r\n')
        socket.on('drain', flood)
        flood()
      },
      'The headers of the answer are too long.',
    ],
  ])('is told apart and left: one that %s', async (_name, respond, error) => {
    open({ timeoutMs: timeoutOf(error) })
    expect(await send(await startRaw(respond))).toMatchObject({ kind: 'unanswered', error })
  })

  it('that refuses the connection is told apart', async () => {
    open({ timeoutMs: 30_000 })
    const port = await freePort()
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual({
      kind: 'unanswered',
      error: 'The endpoint refused the connection.',
      isTimeout: false,
    })
  })
})

describe('a request', () => {
  it('ends when it is stopped', async () => {
    const sink = await start({ '/hook': silence })
    const stopping = new AbortController()
    const sent = send(`${sink.url}/hook`, { signal: stopping.signal })
    await until(() => expect(sink.requests).toHaveLength(1))
    stopping.abort()
    expect(await sent).toEqual({ kind: 'stopped' })
  })

  const REFUSED = { kind: 'unanswered', error: 'The endpoint is not at an address on the public internet.', isTimeout: false }

  it.each(['https://127.0.0.1/', 'https://[::1]/', 'https://169.254.169.254/', 'https://localhost/'])(
    'is not sent to %s',
    async (endpoint) => {
      open({ allowPrivateNetworks: false })
      expect(await send(endpoint)).toEqual(REFUSED)
    },
  )

  it('is not sent to a name that became private, and not at all without TLS', async () => {
    let connections = 0
    const port = await listen(createServer(() => (connections += 1)))
    open({ allowPrivateNetworks: false, resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
    expect(await send(`https://hooks.example.com:${port}/`)).toEqual(REFUSED)
    expect(await send('http://hooks.example.com/')).toMatchObject({ error: 'The endpoint must be an `https` URL.' })
    expect(connections).toBe(0)
  })

  it('closes connections that are not in use once there are too many', async () => {
    const sink = await start({ '/hook': file('ok') }, { connectionsMax: 2 })
    for (const webhookId of ['a', 'b', 'c', 'd', 'e']) await send(`${sink.url}/hook`, { webhookId })
    await until(async () => expect(await sink.openConnectionCount()).toBeLessThanOrEqual(3))
  })
})

describe('over TLS', () => {
  const authority = createCertificateAuthority()
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]

  async function startTls(certificate: Certificate): Promise<string> {
    const server = createTlsServer(certificate, (_request, response) => void response.end('ok'))
    return `https://hooks.example.com:${await listen(server)}/`
  }

  it('an endpoint whose certificate is trusted gets it, over HTTP/2 where it speaks that', async () => {
    open({ resolve, ca: authority.cert, timeoutMs: 30_000 })
    const versions: string[] = []
    const server = createSecureServer({ ...authority.issue('hooks.example.com'), allowHTTP1: true }, (request, response) => {
      versions.push(request.httpVersion)
      response.end('ok')
    })
    const port = await listen(server)
    const all = await Promise.all(Array.from({ length: 20 }, () => send(`https://hooks.example.com:${port}/hook`)))
    expect(all).toEqual(all.map(() => answered(200, 'ok')))
    expect(new Set(versions)).toEqual(new Set(['2.0']))
    expect(await send(await startTls(authority.issue('hooks.example.com')))).toEqual(answered(200, 'ok'))
  })

  const NOT_TRUSTED = 'The certificate of the endpoint is not signed by a trusted authority.'

  it.each<[string, () => Certificate, string]>([
    ['was signed by an unknown authority', () => createCertificateAuthority().issue('hooks.example.com'), NOT_TRUSTED],
    ['was signed by itself', () => createSelfSigned('hooks.example.com'), NOT_TRUSTED],
    ['is for another host', () => authority.issue('other.example.com'), 'The certificate of the endpoint is for another host name.'],
    [
      'has expired',
      () => authority.issueBetween({ from: '20010101000000Z', until: '20020101000000Z' }, 'hooks.example.com'),
      'The certificate of the endpoint has expired.',
    ],
    [
      'is not valid yet',
      () => authority.issueBetween({ from: '90000101000000Z', until: '90010101000000Z' }, 'hooks.example.com'),
      'The certificate of the endpoint is not valid yet.',
    ],
  ])('an endpoint whose certificate %s gets nothing', async (_name, create, error) => {
    open({ resolve, timeoutMs: 30_000, ca: authority.cert })
    expect(await send(await startTls(create()))).toEqual({ kind: 'unanswered', error, isTimeout: false })
  })

  it('an endpoint that speaks no TLS gets nothing', async () => {
    open({ resolve, timeoutMs: 30_000 })
    const url = new URL(await startRaw((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
    expect(await send(`https://hooks.example.com:${url.port}/`)).toMatchObject({
      error: 'No TLS connection could be made to the endpoint.',
    })
  })
})
