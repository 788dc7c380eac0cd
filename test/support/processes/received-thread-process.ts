// A thread that does to its process what the blob of a message is called.
import { parentPort } from 'node:worker_threads'
import type { Question } from '../../../src/gateways/received/received-tasks.ts'

parentPort?.on('message', ({ id, task: { blobKey } }: Question) => {
  if (blobKey === 'never ends') for (;;);
  if (blobKey === 'dies') process.exit(3)
  const fault = { id, fault: 'failed', isUnavailable: blobKey === 'is not stored' }
  parentPort?.postMessage(blobKey === 'fails' || blobKey === 'is not stored' ? fault : { id, result: 'missing' })
})
parentPort?.postMessage('ready')
