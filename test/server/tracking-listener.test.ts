// The listener for tracked links of a real service, with certificates of an authority of the test.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../src/lib/ids.ts'
import { createTrackingListener, TRACKING_LIMITS } from '../../src/server/tracking-listener.ts'
import { type CertificateAuthority, createCertificateAuthority } from '../support/builders/certificates.ts'
import { until } from '../support/clocks/until.ts'
import { startTestService, type TestService } from '../support/servers/service.ts'

let authority: CertificateAuthority
let service: TestService
let folder: string
let port: number

beforeAll(async () => {
  authority = createCertificateAuthority()
  folder = await mkdtemp(join(tmpdir(), 'posthaste-test-tracking-'))
  const { cert, key } = authority.issue('links.example.com')
  writeFileSync(join(folder, 'cert.pem'), cert)
  writeFileSync(join(folder, 'key.pem'), key)
  service = await startTestService({
    environment: { TRACKING_TLS_CERT: join(folder, 'cert.pem'), TRACKING_TLS_KEY: join(folder, 'key.pem'), TRACKING_TLS_PORT: '8443' },
  })
  port = (await service.service.tracking?.listen({ host: '127.0.0.1', port: 0 })) ?? 0
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true })
  authority.close()
})

const ask = (path: string, at = port, localAddress = '127.0.0.1'): Promise<[number | undefined, string | undefined]> =>
  new Promise((resolve, reject) => {
    request(
      {
        host: '127.0.0.1',
        localAddress,
        port: at,
        path,
        headers: { host: `links.example.com:${at}` },
        servername: 'links.example.com',
        ca: authority.cert,
      },
      (answer) => {
        answer.resume()
        resolve([answer.statusCode, answer.headers.location])
      },
    )
      .once('error', reject)
      .end()
  })

it('leads on over TLS, and has nothing else', async () => {
  const ids = { emailId: createId(), recipientId: createId(), domainId: null }
  const token = service.service.context.trackingTokens.create(
    { kind: 'click', ...ids, target: 'https://shop.example.com/' },
    'links.example.com',
  )
  expect(await ask(`/t/c/${token}`)).toEqual([302, 'https://shop.example.com/'])
  expect(await ask('/t/c/changed')).toEqual([403, undefined])
  for (const path of ['/', '/emails', '/console', '/docs', '/health/ready', '/t', '/t/c/../../emails', '/T/c/x'])
    expect([path, await ask(path)]).toEqual([path, [path === '/t/c/../../emails' ? 403 : 404, undefined]])
})

it('is where tracked links lead then', async () => {
  const { context } = service.service
  await service.database.execute(
    `insert into domains (id, team_id, name, root, region, tls, return_path, tracking_host, open_tracking, click_tracking, sending, receiving, owns_name, created_at)
     values ($1, $2, 'example.com', 'example.com', 'us-east-1', 'opportunistic', 'send', 'links.example.com', true, false, true, false, true, now())`,
    [createId(), service.teamId],
  )
  expect((await context.senderIdentityOf(service.teamId, 'example.com')).tracking?.baseUrl).toBe('https://links.example.com:8443')
})

describe('a listener with few connections', () => {
  const listenWith = async (limits: typeof TRACKING_LIMITS) => {
    const { cert, key } = authority.issue('links.example.com')
    const listener = createTrackingListener(
      (_request, response) => response.writeHead(204).end(),
      {
        current: () => ({ cert, key }),
        follow: () => {},
        stop: async () => {},
      },
      limits,
    )
    return { listener, at: await listener.listen({ host: '127.0.0.1', port: 0 }) }
  }

  it('closes those beyond, and answers again when there is room', async () => {
    const { listener, at } = await listenWith({ ...TRACKING_LIMITS, connectionsMax: 1 })
    const silent = connect({ port: at, host: '127.0.0.1' })
    await once(silent, 'connect')
    await expect(ask('/t/c/x', at)).rejects.toThrow()

    silent.destroy()
    await until(async () => expect(await ask('/t/c/x', at)).toEqual([204, undefined]))
    await listener.close()
  })

  it('has some for each address, and others are answered meanwhile', async () => {
    const { listener, at } = await listenWith({ ...TRACKING_LIMITS, connectionsPerPeerMax: 2 })
    const silent = [1, 2].map(() => connect({ port: at, host: '127.0.0.1', localAddress: '127.0.0.7' }))
    for (const socket of silent) await once(socket, 'connect')
    await expect(ask('/t/c/x', at, '127.0.0.7')).rejects.toThrow()
    expect(await ask('/t/c/x', at, '127.0.0.8')).toEqual([204, undefined])

    silent[0]?.destroy()
    await until(async () => expect(await ask('/t/c/x', at, '127.0.0.7')).toEqual([204, undefined]))
    for (const socket of silent) socket.destroy()
    await listener.close()
  })

  it('closes one that never begins with TLS', async () => {
    const { listener, at } = await listenWith({ ...TRACKING_LIMITS, handshakeMsMax: 20 })
    const silent = connect({ port: at, host: '127.0.0.1' }).on('error', () => {})
    await once(silent, 'close')
    await listener.close()
  })
})
