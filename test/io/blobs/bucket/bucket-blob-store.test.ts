import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openBucket } from '../../../../src/io/blobs/bucket/bucket-blob-store.ts'
import type { BucketLimits } from '../../../../src/io/blobs/bucket/bucket-client.ts'
import {
  ACCESS_KEY_ID,
  BUCKET,
  type Fault,
  type ObjectRequest,
  SECRET_ACCESS_KEY,
  sha256,
  startObjectStorage,
} from '../../../support/servers/object-storage.ts'
import { shared } from '../../../support/servers/service.ts'

const PREFIX = 'mail/'
const MIB = 1024 * 1024
let folder: string

afterAll(() => rm(folder, { recursive: true, force: true }))
const storage = shared(() => startObjectStorage())
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bucket-'))
})

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', ACCESS_KEY_ID)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET_ACCESS_KEY)
})
afterEach(() => {
  vi.unstubAllEnvs()
  storage.fault = () => null
  storage.now = () => new Date()
  storage.objects.clear()
  storage.uploads.clear()
  storage.requests.length = 0
})

const place = () => ({ name: BUCKET, prefix: PREFIX, region: 'us-east-1', endpoint: storage.endpoint })
const opened = (limits: Partial<BucketLimits> = {}, isChecked = false) => openBucket(place(), { folder, limits, isChecked })
const blobsWith = async (limits: Partial<BucketLimits> = {}) => (await opened(limits)).blobs
const objectOf = (key: string) => `${PREFIX}${key.slice(-2)}/${key}`
/** Different bytes in each part. */
const large = () => Buffer.concat([Buffer.alloc(8 * MIB, 'a'), Buffer.alloc(8 * MIB, 'b'), Buffer.from('end')])
/** Makes so many requests of a kind meet the fault. */
const faultOn = (isMet: (request: ObjectRequest) => boolean, fault: Fault, times = Number.POSITIVE_INFINITY) => {
  let left = times
  storage.fault = (request) => (isMet(request) && left-- > 0 ? fault : null)
}
const isGet = ({ method }: ObjectRequest) => method === 'GET'
const isPut = ({ method }: ObjectRequest) => method === 'PUT'

describe('a bucket', () => {
  it.each([
    ['a buffer', () => Buffer.from('content'), 'content'],
    ['a stream', () => Readable.from([Buffer.from('con'), Buffer.from('tent')]), 'content'],
    ['nothing', () => Buffer.alloc(0), ''],
  ])('gives back what was put as %s', async (_, content, expected) => {
    const blobs = await blobsWith()
    const key = randomUUID()

    expect(await blobs.put(key, content())).toEqual({ bytes: expected.length })

    expect(await blobs.size(key)).toBe(expected.length)
    expect(await text(await blobs.open(key))).toBe(expected)
    expect([...storage.objects.keys()]).toEqual([objectOf(key)])
    expect(storage.objects.get(objectOf(key))?.metadata).toEqual({ sha256: sha256(expected) })
  })

  it('stores a large content in parts, and a part of it again that was refused', async () => {
    const blobs = await blobsWith()
    const key = randomUUID()
    faultOn(({ query }) => query.get('partNumber') === '2', { code: 'SlowDown', status: 503 }, 1)

    expect(await blobs.put(key, Readable.from([large()]))).toEqual({ bytes: 16 * MIB + 3 })

    expect(sha256(await buffer(await blobs.open(key)))).toBe(sha256(large()))
    expect(storage.requests.filter((line) => line.startsWith('PUT'))).toHaveLength(4)
    expect(await readdir(join(folder, 'temporary'))).toEqual([])
  })

  it('leaves nothing of a large content that fails', async () => {
    const blobs = await blobsWith()
    faultOn(({ query }) => query.get('partNumber') === '2', { code: 'AccessDenied', status: 403 })

    await expect(blobs.put(randomUUID(), large())).rejects.toMatchObject({ kind: 'unavailable' })

    expect([storage.objects.size, storage.uploads.size]).toEqual([0, 0])
  })

  it('stores nothing of a stream that fails', async () => {
    const blobs = await blobsWith()
    const failing = Readable.from(
      (async function* () {
        yield Buffer.alloc(MIB)
        throw new Error('the client went away')
      })(),
    )

    await expect(blobs.put(randomUUID(), failing)).rejects.toThrow('the client went away')

    expect(storage.requests).toEqual([])
    expect(await readdir(join(folder, 'temporary'))).toEqual([])
  })

  it('gives back a range, and copies', async () => {
    const blobs = await blobsWith()
    const [key, copyKey] = [randomUUID(), randomUUID()]
    await blobs.put(key, Buffer.from('0123456789'))
    await blobs.copy(key, copyKey)
    await blobs.remove(key)

    expect(await text(await blobs.open(copyKey, { start: 2, end: 4 }))).toBe('234')
    expect(await text(await blobs.open(copyKey, { start: 7 }))).toBe('789')
    expect(await text(await blobs.open(copyKey))).toBe('0123456789')
    await expect(blobs.copy(randomUUID(), key)).rejects.toMatchObject({ kind: 'notFound' })
  })

  it('says of what is not there that it is not, and removes it without complaint', async () => {
    const blobs = await blobsWith()
    const key = randomUUID()

    await blobs.remove(key)

    await expect(blobs.open(key)).rejects.toMatchObject({ kind: 'notFound' })
    expect(await blobs.size(key)).toBeNull()
    await expect(blobs.put('../etc/passwd', Buffer.from('x'))).rejects.toThrow('UUID')
  })

  it('removes nothing while a backup copies', async () => {
    const { blobs, keepAll, isEmpty } = await opened()
    const key = randomUUID()
    expect(await isEmpty()).toBe(true)
    await blobs.put(key, Buffer.from('content'))
    const end = await keepAll()
    await blobs.remove(key)
    expect(await blobs.size(key)).toBe(7)
    await end()
    await blobs.remove(key)
    expect(await isEmpty()).toBe(true)
  })

  it('lists what is old, page by page, and nothing that is not its own', async () => {
    const blobs = await blobsWith()
    const keys = Array.from({ length: 5 }, () => randomUUID())
    for (const key of keys) await blobs.put(key, Buffer.from('content'))
    const [young = '', ...old] = keys
    const made = storage.now()
    for (const key of old) Object.assign(storage.objects.get(objectOf(key)) ?? {}, { modified: new Date(made.getTime() - 60_000) })
    const other = { content: Buffer.alloc(0), modified: new Date(0), metadata: {} }
    for (const name of [`${PREFIX}notes.txt`, `${PREFIX}00/${young}`, `elsewhere/${young}`]) storage.objects.set(name, other)

    const pages: string[][] = []
    for await (const page of blobs.keysBefore(new Date(made.getTime() - 30_000))) pages.push(page)

    expect(pages.flat().sort()).toEqual(old.sort())
    expect(pages.length).toBeGreaterThan(1)
  })

  it('ends uploads of large contents that a kill left, of every page, and no younger ones', async () => {
    const blobs = await blobsWith()
    const leave = (hoursAgo: number) => {
      const id = randomUUID()
      const begun = new Date(storage.now().getTime() - hoursAgo * 3_600_000)
      storage.uploads.set(id, { id, key: objectOf(id), begun, metadata: {}, parts: new Map() })
      return id
    }
    const young = leave(1)
    for (let count = 0; count < 3; count += 1) leave(3)

    expect(await blobs.removeOrphans()).toBe(3)
    expect([...storage.uploads.keys()]).toEqual([young])
  })
})

describe('a bucket whose clock is not that of this machine', () => {
  const HOUR_MS = 3_600_000
  const leaveUpload = () => {
    const id = randomUUID()
    storage.uploads.set(id, { id, key: objectOf(id), begun: storage.now(), metadata: {}, parts: new Map() })
  }

  it.each([-30, 30])('removes nothing while a backup copies, %s hours away', async (hours) => {
    storage.now = () => new Date(Date.now() + hours * HOUR_MS)
    const { blobs, keepAll } = await opened()
    const key = randomUUID()
    await blobs.put(key, Buffer.from('content'))
    const end = await keepAll()

    await blobs.remove(key)

    expect(await blobs.size(key)).toBe(7)
    await end()
  })

  it('counts the age of objects and uploads by it', async () => {
    storage.now = () => new Date(Date.now() - 30 * HOUR_MS)
    const blobs = await blobsWith()
    const key = randomUUID()
    await blobs.put(key, Buffer.from('content'))
    leaveUpload()
    const oldBy = async (ageMs: number) => (await Array.fromAsync(blobs.keysBefore(new Date(Date.now() - ageMs)))).flat()

    expect(await oldBy(HOUR_MS)).toEqual([])
    expect(await oldBy(-HOUR_MS)).toEqual([key])
    expect(await blobs.removeOrphans()).toBe(0)
  })
})

describe('a bucket whose server fails', () => {
  it('is believed when it refuses without a message', async () => {
    const blobs = await blobsWith()
    faultOn(isPut, { code: 'QuotaExceeded', status: 403, wordless: true })

    const error = await blobs.put(randomUUID(), Buffer.from('content')).catch((failed) => failed)

    expect(String(error.cause)).toBe('BucketError: QuotaExceeded (403)')
  })

  it.each([
    ['small', () => Buffer.from('content')],
    ['large', large],
  ])('is given up when it never answers a %s content, however many tries are left', async (_, content) => {
    const blobs = await blobsWith({ storageMsMax: 500, removalMsMax: 100 })
    faultOn(({ method }) => method !== 'POST', 'unanswered')

    const error = await blobs.put(randomUUID(), content()).catch((failed) => failed)

    expect(error).toMatchObject({ kind: 'unavailable', message: 'The service cannot store files at the moment. Try again later.' })
    expect(String(error.cause)).toBe('BucketError: Timeout: All tries together took too long.')
  })

  it('is no obstacle to those who only want to be rid of a file', async () => {
    const blobs = await blobsWith({ removalMsMax: 6_000 })
    const [key, refused] = [randomUUID(), randomUUID()]
    for (const each of [key, refused]) await blobs.put(each, Buffer.from('content'))
    faultOn(({ key: name }) => name === objectOf(refused), 'unanswered')

    await expect(blobs.remove(refused)).rejects.toMatchObject({ kind: 'unavailable' })
    await blobs.discard([refused, key])

    expect([...storage.objects.keys()]).toEqual([objectOf(refused)])
  })

  it('is asked again a few times after a 503, and then the failure says nothing of the request', async () => {
    const blobs = await blobsWith({ attemptsMax: 3 })
    const key = randomUUID()
    faultOn(isPut, { code: 'SlowDown', status: 503 }, 2)
    await blobs.put(key, Buffer.from('content'))
    faultOn(isGet, { code: 'ServiceUnavailable', status: 503 })
    storage.requests.length = 0

    const error = await blobs.open(key).catch((failed) => failed)

    expect(error).toMatchObject({ kind: 'unavailable', retryAfterSeconds: 10 })
    expect(String(error.cause)).toBe('BucketError: ServiceUnavailable (503): ServiceUnavailable said at length.')
    expect(Object.keys(error.cause)).toEqual(['name'])
    expect(storage.requests).toHaveLength(3)
  })

  it.each<[string, Fault]>([
    ['cut', 'cut'],
    ['silent', 'silent'],
  ])('is read to the end when the content is %s in the middle', async (_, fault) => {
    const key = randomUUID()
    const content = Buffer.alloc(MIB, 'abc')
    await (await blobsWith()).put(key, content)
    // On a busy machine a request may take longer than that too, and is made again.
    const blobs = await blobsWith({ silenceMsMax: 1_000, attemptsMax: 10 })
    faultOn(isGet, fault, 2)

    expect(sha256(await buffer(await blobs.open(key)))).toBe(sha256(content))

    expect(storage.requests.filter((line) => line.startsWith('GET')).length).toBeGreaterThanOrEqual(3)
  })

  it('is given up when every content is cut', async () => {
    const blobs = await blobsWith()
    const key = randomUUID()
    await blobs.put(key, Buffer.alloc(MIB))
    faultOn(isGet, 'cut')

    await expect(buffer(await blobs.open(key))).rejects.toMatchObject({ kind: 'unavailable' })

    expect(storage.requests.filter((line) => line.startsWith('GET'))).toHaveLength(11)
  })

  it('never joins the beginning of one content and the end of another', async () => {
    const blobs = await blobsWith()
    const key = randomUUID()
    await blobs.put(key, Buffer.alloc(MIB, 'a'))
    faultOn(isGet, 'cut', 1)
    const stream = await blobs.open(key)
    await blobs.put(key, Buffer.alloc(MIB, 'b'))

    await expect(buffer(stream)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('stores nothing that arrives changed', async () => {
    const blobs = await blobsWith()
    faultOn(isPut, 'corrupt')

    const error = await blobs.put(randomUUID(), Buffer.from('content')).catch((failed) => failed)

    expect(error).toMatchObject({ kind: 'unavailable' })
    expect(String(error.cause)).toContain('XAmzContentSHA256Mismatch')
    expect(storage.objects.size).toBe(0)
  })

  it('notices at reading that a content is not what was stored, in one part or in several', async () => {
    const blobs = await blobsWith()
    for (const content of [Buffer.from('content'), large()]) {
      const key = randomUUID()
      await blobs.put(key, content)
      faultOn(isGet, 'corrupt')
      await expect(buffer(await blobs.open(key))).rejects.toThrow(`The stored file ${key} is not what was stored: its SHA-256 differs.`)
      storage.fault = () => null
    }
  })
})

describe('the start with a bucket', () => {
  const start = (changes: Partial<ReturnType<typeof place>> = {}) =>
    openBucket({ ...place(), ...changes }, { folder, limits: { attemptsMax: 2, connectMsMax: 500 } }).then(
      () => 'started',
      (error) => String(error),
    )
  const where = () => `StartupProblem: Attachments cannot be stored in the bucket ${BUCKET} at ${storage.endpoint}:`

  it('tries out all that is needed later, and leaves nothing', async () => {
    expect(await start()).toBe('started')
    const probe = `${PREFIX}tried-out-at-start`
    expect(storage.requests).toEqual(['GET ', `PUT ${probe}`, `HEAD ${probe}`, `DELETE ${probe}`, 'GET '])
    expect(storage.objects.size).toBe(0)
  })

  it('says that there is no such bucket', async () => {
    expect(await start({ name: 'another' })).toContain('there is no such bucket. Create another, or name another one with STORAGE_URL.')
  })

  it('says that the credentials are refused, and shows none of them', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another-secret-of-forty-characters-length')
    const said = await start()
    expect(said).toContain(`${where()} its credentials are refused (SignatureDoesNotMatch).`)
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAOTHER')
    expect(await start()).toContain('its credentials are refused (InvalidAccessKeyId).')
    expect(said).not.toMatch(/another-secret|AKIA/)
  })

  it.each<[string, (request: ObjectRequest) => boolean]>([
    ['only read', isPut],
    ['only write', ({ method }) => method === 'HEAD'],
    ['not list unfinished uploads', ({ query }) => query.has('uploads')],
  ])('says that the credentials may %s', async (_, isRefused) => {
    faultOn(isRefused, { code: 'AccessDenied', status: 403 })
    expect(await start()).toContain('its credentials may not do all that is needed')
  })

  it('says that the clock is wrong, unless the client can allow for it', async () => {
    storage.now = () => new Date(Date.now() + 3_600_000)
    faultOn(() => true, { code: 'RequestTimeTooSkewed', status: 403 })
    expect(await start()).toContain('the clock of this machine is wrong.')
  })

  it('says that nothing answers', async () => {
    const gone = await startObjectStorage()
    await gone.close()
    expect(await start({ endpoint: gone.endpoint })).toContain(`${gone.endpoint} does not answer (ECONNREFUSED).`)
  })

  it('says whether it answers', async () => {
    const { answers } = await opened({ attemptsMax: 1 })
    expect(await answers()).toBe(true)
    storage.fault = () => ({ code: 'InternalError', status: 500 })
    expect(await answers()).toBe(false)
  })
})
