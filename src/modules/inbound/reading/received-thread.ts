// The thread that takes received messages apart and judges them, so that nothing that a stranger sent can hold up the rest of the process. It reads
// them from where they are stored, and stores their files there.
import { buffer } from 'node:stream/consumers'
import { workerData } from 'node:worker_threads'
import { openBlobs } from '../../../io/blobs/open-blobs.ts'
import { answerQuestions, type Note, noted } from '../../../io/threads/thread-questions.ts'
import { Failure } from '../../../lib/failure.ts'
import type { Verdicts } from '../content/sender-verdicts.ts'
import { AUTHENTICATED_BYTES_MAX, authenticateMessage, chooseAuthenticationChecks } from '../content/verdicts.ts'
import { type ReadEmail, type ReceivedTask, readContent, type ThreadSettings } from './received-reader.ts'
import { createVerdictDns } from './verdict-dns.ts'

/** A message is not held up for longer by servers that do not answer. */
const VERDICTS_MS_MAX = 10_000

/** Many are read at once, and a usual message has less. */
const SMALL_BYTES_MAX = 64 * 1024

const TOO_LONG: Verdicts = { spf: 'unknown', dkim: 'unknown', dmarc: 'unknown', arc: 'unknown' }

const settings: ThreadSettings = workerData
const { blobs } = await openBlobs(settings, { isChecked: false })
const dns = createVerdictDns(settings)

answerQuestions<ReceivedTask, ReadEmail>(async (task, note) => {
  try {
    return await read(task, note)
  } catch (error) {
    if (error instanceof Failure && error.kind === 'notFound') return 'missing'
    throw error
  }
})

async function read({ blobKey, bytes, ...origin }: ReceivedTask, note: Note): Promise<ReadEmail> {
  // Opening a small one again would take as long as reading it.
  const whole = bytes <= SMALL_BYTES_MAX ? await buffer(await blobs.open(blobKey)) : null
  const pieces = async () => noted(whole ? [whole] : await blobs.open(blobKey), note)
  // What is read whole has no pieces that would say so.
  if (whole) note()
  const content = await readContent(blobs, blobKey, whole ?? (await pieces()))
  const scope = chooseAuthenticationChecks(whole ?? (await buffer(await blobs.open(blobKey, { start: 0, end: AUTHENTICATED_BYTES_MAX }))))
  if (scope === 'not at all') return { content, verdicts: TOO_LONG }
  const shownFrom = content.from || origin.mailFrom
  const verdicts = await authenticateMessage(
    await pieces(),
    { ...origin, shownFrom },
    {
      resolve: dns.during(VERDICTS_MS_MAX),
      mailHostname: settings.mailHostname,
      timeMsMax: VERDICTS_MS_MAX,
      skipsArc: scope === 'without ARC',
    },
  )
  return { content, verdicts }
}
