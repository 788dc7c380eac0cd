import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type BlobStore, createFileBlobStore } from '../../../src/io/blobs/blob-store.ts'
import type { ThreadLoss } from '../../../src/io/threads/reading-thread.ts'
import { createId } from '../../../src/lib/ids.ts'
import { createSubmissionReader, type SubmissionReader } from '../../../src/modules/submission/submission-reader.ts'

const ILL_BEHAVED = new URL('../../support/processes/received-thread-process.ts', import.meta.url)
const PART = 'Content-Type: text/csv; name=a.csv\r\n\r\n1;2\r\n'
const MESSAGE = `From: a@example.com\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHello\r\n--b\r\n${PART}--b--\r\n`

let folder: string
let blobs: BlobStore
let reader: SubmissionReader
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthaste-submission-'))
  blobs = await createFileBlobStore(folder)
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(() => reader.close())

const open = (options: { deadlineMs?: number; file?: URL; onLoss?: (loss: ThreadLoss) => void } = {}) =>
  createSubmissionReader({ blobs, blobFolder: folder, bucket: null, ...options })

const keys = async () => {
  const all: string[] = []
  for await (const batch of blobs.keysBefore(new Date('2999-01-01'))) all.push(...batch)
  return all.sort()
}

it('reads the same of a small message here and of a large one in a thread, and stores its files', async () => {
  reader = open()
  const blobKey = createId()
  await blobs.put(blobKey, Buffer.from(MESSAGE))
  const contents = [
    await reader.read(Buffer.from(MESSAGE), { hasFingerprint: true }),
    await reader.read({ blobKey }, { hasFingerprint: true }),
  ]
  const texts = ['Hello', new TextEncoder().encode('Hello')]
  for (const [index, { files, ...content }] of contents.entries()) {
    expect(content).toEqual({
      html: null,
      text: texts[index],
      textBytes: 5,
      htmlPart: null,
      refusal: null,
      fingerprint: contents[0]?.fingerprint,
    })
    expect(files).toMatchObject([{ filename: 'a.csv', size: 3 }])
  }
  expect(await keys()).toEqual([blobKey, ...contents.flatMap(({ files }) => files.map((file) => file.blobKey))].sort())
})

it('keeps no files of a message that could not be read', async () => {
  const before = await keys()
  const failing: BlobStore = {
    ...blobs,
    putBeside: (key) => ({ ...blobs.putBeside(key), end: () => Promise.reject(new Error('The disk is gone')) }),
  }
  reader = createSubmissionReader({ blobs: failing, blobFolder: folder, bucket: null })
  await expect(reader.read(Buffer.from(MESSAGE), { hasFingerprint: false })).rejects.toThrow('The disk is gone')
  expect(await keys()).toEqual(before)
})

it('says that a message which holds up the thread is to be sent again later, and begins another thread', async () => {
  const losses: ThreadLoss[] = []
  reader = open({ file: ILL_BEHAVED, deadlineMs: 6_000, onLoss: (loss) => void losses.push(loss) })
  const message = 'The message could not be read in time. Please send it again later.'
  await expect(reader.read({ blobKey: 'never ends' }, { hasFingerprint: false })).rejects.toMatchObject({ kind: 'unavailable', message })
  expect(losses).toEqual([{ reason: 'overdue', error: null, workedOn: 'never ends', messages: 1 }])
  await expect(reader.read({ blobKey: 'fails' }, { hasFingerprint: false })).rejects.toThrow('failed')
})
