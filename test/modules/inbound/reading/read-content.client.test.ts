import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BlobStore, createFileBlobStore } from '../../../../src/io/blobs/blob-store.ts'
import { createId } from '../../../../src/lib/ids.ts'
import { readContent } from '../../../../src/modules/inbound/reading/received-reader.ts'

const FILE = '--b\r\nContent-Type: image/png\r\n\r\nx\r\n'
const MESSAGE = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${FILE}${FILE}--b--\r\n`

let folder: string
let blobs: BlobStore
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthaste-content-'))
  blobs = await createFileBlobStore(folder)
})
afterAll(() => rm(folder, { recursive: true }))

const keys = async () => (await Array.fromAsync(blobs.keysBefore(new Date('2999-01-01')))).flat().toSorted()
const read = async (store: BlobStore, message: Readable | Buffer = Buffer.from(MESSAGE)) => {
  const blobKey = createId()
  await blobs.put(blobKey, Buffer.from(MESSAGE))
  return { blobKey, reading: readContent(store, blobKey, message) }
}

describe('the files of a received message', () => {
  it.each([
    ['whole', Buffer.from(MESSAGE)],
    ['in pieces', Readable.from([Buffer.from(MESSAGE.slice(0, 50)), Buffer.from(MESSAGE.slice(50))], { objectMode: false })],
  ])('are stored beside it, if it is read %s', async (_how, message) => {
    const before = await keys()
    const { blobKey, reading } = await read(blobs, message)
    const { files } = await reading
    expect(files).toHaveLength(2)
    expect(await keys()).toEqual([...before, blobKey, ...files.map((file) => file.blobKey)].toSorted())
  })

  it('do not stay stored if the message cannot be read to its end', async () => {
    const before = await keys()
    async function* broken() {
      yield Buffer.from(MESSAGE)
      throw new Error('The disk is broken')
    }
    const { blobKey, reading } = await read(blobs, Readable.from(broken(), { objectMode: false }))
    await expect(reading).rejects.toThrow('The disk is broken')
    expect(await keys()).toEqual([...before, blobKey].toSorted())
  })

  it('do not stay stored if their folder cannot be synced', async () => {
    const before = await keys()
    const putBeside: BlobStore['putBeside'] = (key) => ({ ...blobs.putBeside(key), end: () => Promise.reject(new Error('Not synced')) })
    const { blobKey, reading } = await read({ ...blobs, putBeside })
    await expect(reading).rejects.toThrow('Not synced')
    expect(await keys()).toEqual([...before, blobKey].toSorted())
  })
})
