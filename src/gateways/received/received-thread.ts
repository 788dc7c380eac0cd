// The thread that takes received messages apart and judges them, so that nothing that a stranger sent can hold up the rest of the process. It reads
// them from the disk, and stores their files there.
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { parentPort, workerData } from 'node:worker_threads'
import { Failure } from '../../lib/failure.ts'
import { JUDGED_BYTES_MAX, judgeable } from '../../mail/received/judged-head.ts'
import { readReceivedMessage } from '../../mail/received/received-content.ts'
import { judge, type Verdicts } from '../../mail/received/verdicts.ts'
import { createFileBlobStore } from '../files/blob-store.ts'
import type { Answer, Fault, Question, ReadEmail, ReceivedTask, ThreadData } from './received-tasks.ts'
import { createVerdictDns } from './verdict-dns.ts'

/** A message is not held up for longer by servers that do not answer. */
const VERDICTS_MS_MAX = 10_000

const TOO_LONG: Verdicts = { spf: 'unknown', dkim: 'unknown', dmarc: 'unknown', arc: 'unknown' }

const settings: ThreadData = workerData
const blobs = await createFileBlobStore(settings.blobFolder)
const dns = createVerdictDns(settings)

parentPort?.on('message', ({ id, task }: Question) => {
  void answerTo(id, task).then((answer) => parentPort?.postMessage({ id, ...answer } satisfies Answer))
})
parentPort?.postMessage('ready')

async function answerTo(id: number, task: ReceivedTask): Promise<{ result: ReadEmail } | Fault> {
  try {
    return { result: await read(id, task) }
  } catch (error) {
    if (error instanceof Failure && error.kind === 'notFound') return { result: 'missing' }
    const isUnavailable = error instanceof Failure && error.kind === 'unavailable'
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error), isUnavailable }
  }
}

/** The message, with a note for those who find this thread dead: what works on a piece does so as soon as it has it. */
const named = (id: number, message: Readable): Readable =>
  Readable.from(
    (async function* () {
      for await (const piece of message) {
        Atomics.store(settings.workedOn, 0, id)
        yield piece
      }
      Atomics.store(settings.workedOn, 0, id)
    })(),
    { objectMode: false },
  )

async function read(id: number, { blobKey, ...origin }: ReceivedTask): Promise<ReadEmail> {
  const files = blobs.putBeside(blobKey)
  const content = await readReceivedMessage(named(id, await blobs.open(blobKey)), async (file) => {
    const { key, bytes } = await files.put(file)
    return { blobKey: key, bytes }
  })
  await files.end()
  const beginning = await buffer(await blobs.open(blobKey, { start: 0, end: JUDGED_BYTES_MAX }))
  const judged = judgeable(beginning)
  if (judged === 'not at all') return { content, verdicts: TOO_LONG }
  const shownFrom = content.from || origin.mailFrom
  const verdicts = await judge(
    named(id, await blobs.open(blobKey)),
    { ...origin, shownFrom },
    {
      resolve: dns.during(VERDICTS_MS_MAX),
      mailHostname: settings.mailHostname,
      timeMsMax: VERDICTS_MS_MAX,
      skipsArc: judged === 'without ARC',
    },
  )
  return { content, verdicts }
}
