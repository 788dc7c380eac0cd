// Logos on the page where a person decides about a program: fetched through the guard, and shown only if they are pictures.
import { afterEach, expect, it, vi } from 'vitest'
import { createRemoteFiles } from '../../../../src/io/http/remote-files.ts'
import { createClientLogos } from '../../../../src/modules/oauth/consent/consent.routes.ts'
import { until } from '../../../support/clocks/until.ts'
import { file, startHttpSink, status } from '../../../support/servers/http-sink.ts'
import { shared } from '../../../support/servers/service.ts'

const PICTURE = Buffer.from('89504e470d0a1a0a', 'hex')
const host = shared(() =>
  startHttpSink({
    '/logo.png': file(PICTURE, { 'content-type': 'image/png' }),
    '/logo.svg': file(Buffer.from('<svg onload="alert(1)"/>'), { 'content-type': 'image/svg+xml' }),
    '/large.png': file(Buffer.alloc(64 * 1024 + 1), { 'content-type': 'image/png' }),
    '/failing.png': status(503),
  }),
)
afterEach(() => {
  vi.restoreAllMocks()
})

const logosWith = (allowPrivateNetworks: boolean) =>
  createClientLogos({ remoteFiles: createRemoteFiles({ allowPrivateNetworks }) }, { timeoutMs: 60_000 })
const asked = (path: string) => host.requests.filter((request) => request.includes(path)).length

it('are data in the page, fetched once', async () => {
  const logoOf = logosWith(true)
  for (const _ of [1, 2]) expect(await logoOf(`${host.url}/logo.png`)).toBe(`data:image/png;base64,${PICTURE.toString('base64')}`)
  expect(asked('/logo.png')).toBe(1)
})

it.each(['/logo.svg', '/large.png', '/missing.png'])('are left out when they are no small picture: %s', async (path) => {
  expect(await logosWith(true)(`${host.url}${path}`)).toBeNull()
})

it('are asked for again a minute after their server failed, and not where it has none', async () => {
  const logoOf = logosWith(true)
  const ask = async () => [await logoOf(`${host.url}/failing.png`), await logoOf(`${host.url}/none.png`)]
  let nowMs = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  for (const _ of [1, 2]) expect(await ask()).toEqual([null, null])
  expect([asked('/failing.png'), asked('/none.png')]).toEqual([1, 1])

  nowMs += 60_001
  await until(async () => {
    expect(await ask()).toEqual([null, null])
    expect([asked('/failing.png'), asked('/none.png')]).toEqual([2, 1])
  })
})

it('are not fetched from a private address', async () => {
  const before = host.requests.length
  expect(await logosWith(false)(`${host.url}/logo.png`)).toBeNull()
  expect(host.requests).toHaveLength(before)
})
