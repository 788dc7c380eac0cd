import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRemoteFiles, type FetchFileOptions, literalUrlProblem, type RemoteFiles } from '../../../src/io/http/remote-files.ts'
import type { OutboundGuardOptions } from '../../../src/io/outbound-guard.ts'
import {
  cutShort,
  endless,
  file,
  type HttpSink,
  type HttpSinkRoutes,
  redirect,
  silence,
  stalled,
  startHttpSink,
  status,
} from '../../support/servers/http-sink.ts'

let sink: HttpSink
let files: RemoteFiles
let stored: Buffer | null

beforeEach(() => {
  stored = null
})

afterEach(async () => {
  await files.close()
  await sink.close()
})

async function start(routes: HttpSinkRoutes, guard: Partial<OutboundGuardOptions> = {}): Promise<void> {
  sink = await startHttpSink(routes)
  files = createRemoteFiles({ allowPrivateNetworks: true, ...guard })
}

const fetchFile = (path: string, options: Partial<FetchFileOptions> = {}) =>
  files.fetchFile(path.startsWith('http') ? path : sink.url + path, {
    bytesMax: 1_000_000,
    timeoutMs: 30_000,
    store: async (content) => {
      stored = await buffer(content)
    },
    ...options,
  })

describe('fetchFile', () => {
  it('hands over the content, with its type and name', async () => {
    await start({ '/files/report.pdf': file('content', { 'content-type': 'application/pdf; version=1.7' }) })
    expect(await fetchFile('/files/report.pdf')).toEqual({ ok: true, contentType: 'application/pdf', filename: 'report.pdf', bytes: 7 })
    expect(stored?.toString()).toBe('content')
  })

  it('fetches an empty file', async () => {
    await start({ '/empty': file('') })
    expect(await fetchFile('/empty')).toEqual({ ok: true, contentType: 'application/octet-stream', filename: 'empty', bytes: 0 })
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('decodes %s', async (encoding, encode) => {
    await start({ '/a': file(encode('content'), { 'content-encoding': encoding }) })
    expect(await fetchFile('/a')).toMatchObject({ ok: true, bytes: 7 })
    expect(stored?.toString()).toBe('content')
  })

  it.each([
    ['an unknown content-encoding', file('x', { 'content-encoding': 'compress' }), /content-encoding/],
    ['content that is not encoded as it says', file('no gzip at all', { 'content-encoding': 'gzip' }), /content-encoding/],
  ])('refuses %s', async (_, route, reason) => {
    await start({ '/a': route })
    expect(await fetchFile('/a')).toEqual({ ok: false, reason: expect.stringMatching(reason), retry: false })
  })

  it.each([
    [404, false],
    [403, false],
    [410, false],
    [304, false],
    [408, true],
    [429, true],
    [500, true],
    [503, true],
  ])('reports status %i', async (code, retry) => {
    await start({ '/a': status(code) })
    expect(await fetchFile('/a')).toEqual({ ok: false, reason: `The server answers with status ${code}.`, retry })
  })
})

describe('limits', () => {
  it('takes exactly as many bytes as allowed', async () => {
    await start({ '/a': file(Buffer.alloc(1000)) })
    expect(await fetchFile('/a', { bytesMax: 1000 })).toMatchObject({ ok: true, bytes: 1000 })
    expect(await fetchFile('/a', { bytesMax: 999 })).toEqual({ ok: false, reason: 'The file is larger than 999 bytes.', retry: false })
  })

  it('stops an endless answer at the limit, and ends the connection', async () => {
    await start({ '/a': endless })
    expect(await fetchFile('/a')).toEqual({ ok: false, reason: 'The file is larger than 1000000 bytes.', retry: false })
    await expect.poll(() => sink.openConnectionCount()).toBe(0)
  })

  it('stops a small answer that unpacks into a large one', async () => {
    await start({ '/a': file(gzipSync(Buffer.alloc(20_000_000)), { 'content-encoding': 'gzip' }) })
    expect(await fetchFile('/a')).toMatchObject({ ok: false, reason: 'The file is larger than 1000000 bytes.' })
  })

  it.each([
    ['never begins', silence],
    ['never ends', stalled],
  ])('gives up an answer that %s', async (_, route) => {
    await start({ '/a': route })
    expect(await fetchFile('/a', { timeoutMs: 200 })).toEqual({
      ok: false,
      reason: 'The file did not arrive within 0.2 seconds.',
      retry: true,
    })
    await expect.poll(() => sink.openConnectionCount()).toBe(0)
  })

  it('notices that less arrived than was announced', async () => {
    await start({ '/a': cutShort(1_000) })
    expect(await fetchFile('/a')).toMatchObject({ ok: false, retry: true })
  })

  it('reports a server that is not there', async () => {
    await start({})
    await sink.close()
    expect(await fetchFile('/a')).toEqual({ ok: false, reason: 'The file could not be fetched (ECONNREFUSED).', retry: true })
  })
})

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('follows %i, and names the file by where it ends', async (code) => {
    await start({ '/a': redirect('/b/two.txt', code), '/b/two.txt': file('two') })
    expect(await fetchFile('/a')).toMatchObject({ ok: true, filename: 'two.txt', bytes: 3 })
  })

  it('follows three, and no fourth', async () => {
    await start({ '/1': redirect('/2'), '/2': redirect('/3'), '/3': redirect('/4'), '/4': file('end'), '/0': redirect('/1') })
    expect(await fetchFile('/1')).toMatchObject({ ok: true })
    expect(await fetchFile('/0')).toEqual({ ok: false, reason: 'The server redirects more than 3 times.', retry: false })
    expect(sink.requests).not.toContain('GET /5')
  })

  it.each([
    ['another scheme', 'file:///etc/passwd', /`http` or `https`/],
    ['a URL with a password', 'http://user:secret@127.0.0.1/', /without user and password/],
  ])('refuses one to %s', async (_, location, reason) => {
    await start({ '/a': redirect(location) })
    expect(await fetchFile('/a')).toEqual({ ok: false, reason: expect.stringMatching(reason), retry: false })
  })
})

describe('the guard', () => {
  it('refuses a name that leads to a private address', async () => {
    await start({ '/a': file('secret') }, { allowPrivateNetworks: false, resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
    expect(await fetchFile(`http://public.example:${sink.port}/a`)).toEqual({
      ok: false,
      reason: 'The URL leads to an address that is not on the public internet.',
      retry: false,
    })
    expect(sink.requests).toEqual([])
  })

  it('checks every name it is redirected to', async () => {
    const asked: string[] = []
    const resolve = async (name: string) => {
      asked.push(name)
      return [{ address: '127.0.0.1', family: 4 }]
    }
    await start(
      { '/a': (request, response) => redirect(`http://second.example:${sink.port}/b`)(request, response), '/b': file('b') },
      { resolve },
    )
    expect(await fetchFile(`http://first.example:${sink.port}/a`)).toMatchObject({ ok: true })
    expect(asked).toEqual(['first.example', 'second.example'])
  })

  it.each(['http://127.0.0.1/', 'http://[::1]/', 'http://localhost/', 'http://169.254.169.254/latest/meta-data/'])(
    'opens no connection for %s',
    async (url) => {
      await start({}, { allowPrivateNetworks: false })
      expect(await fetchFile(url)).toEqual({ ok: false, reason: 'The URL must be a URL of a host on the public internet.', retry: false })
    },
  )
})

describe('storing', () => {
  it('fails with the error of the store, not with one of the transfer', async () => {
    await start({ '/a': endless })
    const store = async () => Promise.reject(new Error('the disk is full'))
    await expect(fetchFile('/a', { store })).rejects.toThrow('the disk is full')
    await expect.poll(() => sink.openConnectionCount()).toBe(0)
  })

  it('fails when the store fails after the last byte', async () => {
    await start({ '/a': file('content') })
    const store: FetchFileOptions['store'] = async (content) => {
      await buffer(content)
      throw new Error('no sync')
    }
    await expect(fetchFile('/a', { store })).rejects.toThrow('no sync')
  })
})

describe('literalUrlProblem', () => {
  it.each([
    ['nonsense', 'must be a valid URL'],
    ['ftp://example.com/a', 'must be an `http` or `https` URL'],
    ['file:///etc/passwd', 'must be an `http` or `https` URL'],
    ['data:text/plain,x', 'must be an `http` or `https` URL'],
    ['https://user:secret@example.com/a', 'must be a URL without user and password'],
    ['https://user@example.com/a', 'must be a URL without user and password'],
    ['http://localhost:3000/', 'must be a URL of a host on the public internet'],
    ['http://10.1.2.3/a', 'must be a URL of a host on the public internet'],
    ['http://3232235777/', 'must be a URL of a host on the public internet'],
    ['http://0x7f000001/', 'must be a URL of a host on the public internet'],
    ['http://[fd00::1]/', 'must be a URL of a host on the public internet'],
    [`https://example.com/${'a'.repeat(9_000)}`, 'must be a URL of at most 8192 characters'],
  ])('says what is wrong with %s', (url, problem) => {
    expect(literalUrlProblem(url)).toBe(problem)
  })

  it.each(['https://example.com/a.pdf', 'http://example.com:8080/a?b=c#d', 'https://8.8.8.8/', 'https://exämple.com/'])(
    'finds nothing wrong with %s',
    (url) => {
      expect(literalUrlProblem(url)).toBeNull()
    },
  )

  it('leaves private addresses alone where they are allowed', () => {
    expect(literalUrlProblem('http://127.0.0.1/a', { allowPrivateNetworks: true })).toBeNull()
  })
})
