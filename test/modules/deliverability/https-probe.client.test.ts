// Needs openssl.
import { createServer, type Server } from 'node:https'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openHttps } from '../../../src/modules/deliverability/probes.client.ts'
import { type Certificate, type CertificateAuthority, createCertificateAuthority } from '../../support/builders/certificates.ts'

const HOST = 'api.example.test'
const GUARD = { allowPrivateNetworks: false }

let authority: CertificateAuthority
let good: Certificate
let other: Certificate
beforeAll(() => {
  authority = createCertificateAuthority()
  good = authority.issue(HOST)
  other = authority.issue('www.example.test')
})
afterAll(() => authority.close())

let server: Server | null = null
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = null
})

async function start(certificate: Certificate, answer: Parameters<typeof createServer>[1]): Promise<number> {
  server = createServer(certificate, answer)
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  return (server.address() as AddressInfo).port
}

const open = (port: number, options: Partial<Parameters<typeof openHttps>[1]> = {}, addresses = ['127.0.0.1']) =>
  openHttps({ host: HOST, port, addresses, isOurs: true }, { timeoutMs: 30_000, ca: authority.cert, guard: GUARD, ...options })

/** They are valid for two days from now on. */
const VALID_TO = expect.any(Date)

describe('a web server', () => {
  it('is asked for its head alone, by its name, and tells the end of its certificate and the time', async () => {
    const requests: unknown[] = []
    const port = await start(good, (request, response) => {
      requests.push([request.method, request.url, request.headers.host])
      response.writeHead(404, { date: 'Wed, 04 Mar 2026 05:06:07 GMT' }).end()
    })
    const answer = await open(port)
    expect(answer).toEqual({ kind: 'answered', fault: null, validTo: VALID_TO, date: new Date('2026-03-04T05:06:07Z') })
    expect(requests).toEqual([['HEAD', '/', HOST]])
    const hoursLeft = answer.kind === 'answered' && answer.validTo !== null ? (answer.validTo.getTime() - Date.now()) / 3_600_000 : 0
    expect(Math.round(hoursLeft)).toBe(48)
  })

  it.each<[string, () => Certificate, () => Partial<Parameters<typeof openHttps>[1]>, string]>([
    ['for other names', () => other, () => ({}), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['of an authority that is not known', () => good, () => ({ ca: other.cert }), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ])('with a certificate %s is read nevertheless', async (_, certificate, options, fault) => {
    const port = await start(certificate(), (_request, response) => response.end())
    expect(await open(port, options())).toEqual({ kind: 'answered', fault, validTo: VALID_TO, date: VALID_TO })
  })

  it('that never answers has shown its certificate', async () => {
    const port = await start(good, () => {})
    expect(await open(port, { timeoutMs: 6_000 })).toEqual({ kind: 'answered', fault: null, validTo: VALID_TO, date: null })
  })

  it('that answers what is no date tells none', async () => {
    const port = await start(good, (_request, response) => response.writeHead(200, { date: 'soon' }).end())
    expect(await open(port)).toMatchObject({ kind: 'answered', date: null })
  })

  it('is reached at its second address', async () => {
    const port = await start(good, (_request, response) => response.end())
    expect(await open(port, {}, ['127.0.0.2', '127.0.0.1'])).toMatchObject({ kind: 'answered', fault: null })
  })
})

describe('no web server', () => {
  it('is at a port where none listens', async () => {
    const port = await start(good, () => {})
    server?.close()
    expect(await open(port)).toEqual({ kind: 'unreached', reason: 'ECONNREFUSED' })
  })

  it('is what does not speak TLS, or not in time', async () => {
    const silent = createTcpServer((socket) => socket.on('error', () => {}))
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
    const { port } = silent.address() as AddressInfo
    // It is there.
    await new Promise<void>((done) =>
      connect(port, '127.0.0.1', done).on('connect', function (this: { destroy(): void }) {
        this.destroy()
      }),
    )
    expect(await open(port, { timeoutMs: 300 })).toEqual({ kind: 'unreached', reason: 'no answer within 0.3 seconds' })
    silent.close()
  })

  it('is looked for at private addresses, unless it is ours or the network is', async () => {
    const port = await start(good, (_request, response) => response.end())
    const options = { timeoutMs: 30_000, ca: authority.cert, guard: GUARD }
    const foreign = { host: HOST, port, addresses: ['127.0.0.1'], isOurs: false }
    expect(await openHttps(foreign, options)).toEqual({ kind: 'unreached', reason: 'it has no public address' })
    expect(await openHttps(foreign, { ...options, guard: { allowPrivateNetworks: true } })).toMatchObject({ kind: 'answered' })
  })
})
