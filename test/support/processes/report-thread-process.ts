// A thread that does to its process what the content of a message tells it.
import { parentPort } from 'node:worker_threads'

parentPort?.on('message', (task: { bytes?: Uint8Array; report?: { bytes: Uint8Array } }) => {
  const text = Buffer.from(task.bytes ?? task.report?.bytes ?? []).toString()
  if (text === 'never ends') for (;;);
  if (text === 'dies') process.exit(3)
  if (text === 'throws') throw new Error('thrown')
  parentPort?.postMessage(text === 'fails' ? { fault: 'failed' } : { result: { kind: 'other', subject: text } })
})
parentPort?.postMessage('ready')
