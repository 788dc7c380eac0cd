// The thread that takes received messages apart and judges them, so that nothing that a stranger sent can hold up the rest of the process. It reads
// them from the disk, and stores their files there.
import { buffer } from 'node:stream/consumers'
import { parentPort, workerData } from 'node:worker_threads'
import { Failure } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import { isTooMuchToJudge, JUDGED_BYTES_MAX } from '../../mail/received/judged-head.ts'
import { readReceivedMessage } from '../../mail/received/received-content.ts'
import { judge, type Verdicts } from '../../mail/received/verdicts.ts'
import { createFileBlobStore } from '../files/blob-store.ts'
import type { Answer, Fault, Question, ReadEmail, ReceivedTask, ThreadSettings } from './received-tasks.ts'
import { createVerdictDns } from './verdict-dns.ts'

/** A message is not held up for longer by servers that do not answer. */
const VERDICTS_MS_MAX = 10_000

const TOO_LONG: Verdicts = { spf: 'unknown', dkim: 'unknown', dmarc: 'unknown', arc: 'unknown' }

const settings: ThreadSettings = workerData
const blobs = await createFileBlobStore(settings.blobFolder)
const dns = createVerdictDns(settings)

parentPort?.on('message', ({ id, task }: Question) => {
  void answerTo(task).then((answer) => parentPort?.postMessage({ id, ...answer } satisfies Answer))
})
parentPort?.postMessage('ready')

async function answerTo(task: ReceivedTask): Promise<{ result: ReadEmail } | Fault> {
  try {
    return { result: await read(task) }
  } catch (error) {
    if (error instanceof Failure && error.kind === 'notFound') return { result: 'missing' }
    const isUnavailable = error instanceof Failure && error.kind === 'unavailable'
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error), isUnavailable }
  }
}

async function read({ blobKey, ...origin }: ReceivedTask): Promise<ReadEmail> {
  const content = await readReceivedMessage(await blobs.open(blobKey), async (file) => {
    const key = createId()
    return { blobKey: key, ...(await blobs.put(key, file)) }
  })
  const beginning = await buffer(await blobs.open(blobKey, { start: 0, end: JUDGED_BYTES_MAX }))
  if (isTooMuchToJudge(beginning)) return { content, verdicts: TOO_LONG }
  const shownFrom = content.from || origin.mailFrom
  const verdicts = await judge(
    await blobs.open(blobKey),
    { ...origin, shownFrom },
    {
      resolve: dns.during(VERDICTS_MS_MAX),
      mailHostname: settings.mailHostname,
      timeMsMax: VERDICTS_MS_MAX,
    },
  )
  return { content, verdicts }
}
