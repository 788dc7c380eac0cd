// A thread that does to its process what the blob of a message is called.
import { parentPort, workerData } from 'node:worker_threads'
import { noteWork, type Question, type ThreadData } from '../../../src/io/threads/thread-questions.ts'

const data: ThreadData<unknown> = workerData
/** No processor time, which others need meanwhile. */
const BUSY_MS = 5_600

parentPort?.on('message', ({ id, task: { blobKey } }: Question<{ blobKey: string }>) => {
  noteWork(data.workedOn, id)
  if (blobKey === 'never ends') for (;;);
  if (blobKey.startsWith('busy')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS)
  if (blobKey === 'dies') process.exit(3)
  if (blobKey === 'throws') throw new Error('thrown')
  const fault = { id, fault: 'failed', isUnavailable: blobKey === 'is not stored' }
  parentPort?.postMessage(blobKey === 'fails' || blobKey === 'is not stored' ? fault : { id, result: 'missing' })
})
parentPort?.postMessage('ready')
