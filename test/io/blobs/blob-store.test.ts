import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, open, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createFileBlobStore } from '../../../src/io/blobs/blob-store.ts'
import { StartupProblem } from '../../../src/lib/startup-problem.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blobs-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

/** Every file below the folder, by its name. */
const filesIn = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map(({ name }) => name)

describe('createFileBlobStore', () => {
  it.each([
    ['a buffer', () => Buffer.from('content')],
    ['a stream', () => Readable.from([Buffer.from('con'), Buffer.from('tent')])],
  ])('gives back what was put as %s', async (_, content) => {
    const store = await createFileBlobStore(folder)
    const key = randomUUID()
    expect(await store.put(key, content())).toEqual({ bytes: 7 })
    expect(await store.size(key)).toBe(7)
    expect(await text(await store.open(key))).toBe('content')
    expect(await filesIn()).toEqual([key])
  })

  it('keeps an empty blob', async () => {
    const store = await createFileBlobStore(folder)
    const key = randomUUID()
    expect(await store.put(key, Buffer.alloc(0))).toEqual({ bytes: 0 })
    expect(await text(await store.open(key))).toBe('')
  })

  it('syncs each of several blobs, and their folder once', async () => {
    const store = await createFileBlobStore(folder)
    const key = randomUUID()
    await store.put(key, Buffer.from('message'))
    const file = await open(join(folder, key.slice(-2), key))
    const sync = vi.spyOn(Object.getPrototypeOf(file), 'sync')
    await file.close()

    const beside = store.putBeside(key)
    const stored = await Promise.all(['a', 'b', 'c'].map((content) => beside.put(Buffer.from(content))))
    expect(sync).toHaveBeenCalledTimes(3)
    await beside.end()
    expect(sync).toHaveBeenCalledTimes(4)
    await store.putBeside(key).end()

    expect(sync).toHaveBeenCalledTimes(4)
    sync.mockRestore()
    expect(new Set(stored.map((one) => one.key.slice(-2)))).toEqual(new Set([key.slice(-2)]))
    expect(await Promise.all(stored.map(async (one) => text(await store.open(one.key))))).toEqual(['a', 'b', 'c'])
  })

  it('finds everything again after a restart', async () => {
    const key = randomUUID()
    await (await createFileBlobStore(folder)).put(key, Buffer.from('content'))
    expect(await text(await (await createFileBlobStore(folder)).open(key))).toBe('content')
  })

  it('replaces what the key held', async () => {
    const store = await createFileBlobStore(folder)
    const key = randomUUID()
    await store.put(key, Buffer.from('first'))
    await store.put(key, Buffer.from('second'))
    expect(await text(await store.open(key))).toBe('second')
  })

  it('makes the folders above its own', async () => {
    const store = await createFileBlobStore(join(folder, 'a', 'b', 'c'))
    const key = randomUUID()
    await store.put(key, Buffer.from('content'))
    expect(await text(await store.open(key))).toBe('content')
  })

  it.runIf(process.platform === 'linux')('is refused at once, in one line, where the system lets no one make a folder', async () => {
    await expect(createFileBlobStore('/proc/posthaste/blobs')).rejects.toThrow(
      new StartupProblem(
        'Attachments cannot be stored in /proc/posthaste/blobs (ENOENT): make it a folder that this user may write, or choose another one with STORAGE_URL.',
      ),
    )
  })

  it('is refused in one line where a file stands in the way', async () => {
    await writeFile(join(folder, 'file'), '')
    await expect(createFileBlobStore(join(folder, 'file'))).rejects.toThrow(
      new StartupProblem(
        `Attachments cannot be stored in ${join(folder, 'file')} (ENOTDIR): make it a folder that this user may write, or choose another one with STORAGE_URL.`,
      ),
    )
  })

  it('removes, and does not mind when there is nothing', async () => {
    const store = await createFileBlobStore(folder)
    const key = randomUUID()
    await store.put(key, Buffer.from('content'))
    await store.remove(key)
    await store.remove(key)
    expect(await store.size(key)).toBeNull()
    await expect(store.open(key)).rejects.toMatchObject({ kind: 'notFound' })
    expect(await filesIn()).toEqual([])
  })

  it.each(['../../etc/passwd', '', 'x', `${randomUUID()}/..`, randomUUID().toUpperCase(), `../${randomUUID()}`])(
    'refuses the key %j',
    async (key) => {
      const store = await createFileBlobStore(folder)
      await expect(store.put(key, Buffer.from('x'))).rejects.toThrow('UUID')
      await expect(store.open(key)).rejects.toThrow('UUID')
      await expect(store.remove(key)).rejects.toThrow('UUID')
    },
  )

  it('leaves nothing when the stream fails, and keeps what was there', async () => {
    const store = await createFileBlobStore(folder)
    const key = randomUUID()
    await store.put(key, Buffer.from('first'))
    const failing = Readable.from(
      (async function* () {
        yield Buffer.from('half')
        throw new Error('the client went away')
      })(),
    )
    await expect(store.put(key, failing)).rejects.toThrow('the client went away')
    expect(await filesIn()).toEqual([key])
    expect(await text(await store.open(key))).toBe('first')
  })

  it('answers unavailable on a full disk, and leaves nothing', async () => {
    // A process whose files may not grow beyond a few kilobytes fails in the same way as one with a full disk.
    const module = fileURLToPath(new URL('../../../src/io/blobs/blob-store.ts', import.meta.url))
    const script = `
      const { createFileBlobStore } = await import(${JSON.stringify(module)})
      const store = await createFileBlobStore(${JSON.stringify(folder)})
      const error = await store.put('${randomUUID()}', Buffer.alloc(1_000_000)).catch((error) => error)
      process.stdout.write(JSON.stringify({ kind: error.kind, message: error.message, retryAfterSeconds: error.retryAfterSeconds }))`
    const { stdout } = await promisify(execFile)('bash', [
      '-c',
      'ulimit -f 8 && exec "$0" --input-type=module -e "$1"',
      process.execPath,
      script,
    ])
    expect(JSON.parse(stdout)).toEqual({
      kind: 'unavailable',
      message: 'The service has no room to store files at the moment. Try again later.',
      retryAfterSeconds: 60,
    })
    expect(await filesIn()).toEqual([])
  })

  it('removes what a crash left two hours ago, and nothing younger: when it is opened, and when it is asked', async () => {
    let now = new Date('2026-01-03T12:00:00Z')
    const leave = async (name: string, changedAt: string) => {
      await writeFile(join(folder, 'temporary', name), 'half')
      await utimes(join(folder, 'temporary', name), now, new Date(changedAt))
    }
    await createFileBlobStore(folder)
    await leave('old', '2026-01-03T09:59:59Z')
    await leave('young', '2026-01-03T10:00:01Z')
    const store = await createFileBlobStore(folder, { now: () => now, monotonicMs: () => 0 })
    expect(await filesIn()).toEqual(['young'])

    now = new Date('2026-01-03T12:00:02Z')
    await leave('youngest', '2026-01-03T12:00:00Z')
    expect(await store.removeOrphans()).toBe(1)
    expect(await filesIn()).toEqual(['youngest'])
  })

  it('shows a blob whole or not at all while it is replaced', async () => {
    const store = await createFileBlobStore(folder)
    const key = randomUUID()
    const contents = ['a'.repeat(200_000), 'b'.repeat(200_000)]
    await store.put(key, Buffer.from(contents[0] ?? ''))
    const writing = Promise.all(Array.from({ length: 20 }, (_, index) => store.put(key, Buffer.from(contents[index % 2] ?? ''))))
    for (let reads = 0; reads < 20; reads++) expect(contents).toContain(await text(await store.open(key)))
    await writing
  })
})
