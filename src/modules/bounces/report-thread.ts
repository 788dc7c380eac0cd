// The thread that takes the content of messages apart, so that nothing that a stranger sent can hold up the rest of the process.
import { parentPort } from 'node:worker_threads'
import type { Answer, Task } from './report-reader.ts'
import { readReport } from './reports/report.ts'
import { isSignedReport } from './reports/report-signature.ts'

parentPort?.on('message', (task: Task) => {
  void answerTo(task).then((answer) => parentPort?.postMessage(answer))
})
parentPort?.postMessage('ready')

async function answerTo(task: Task): Promise<Answer> {
  try {
    return { result: task.kind === 'read' ? await readReport(toPieces(task.bytes)) : await isSignedReport(task.report).catch(() => false) }
  } catch (error) {
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

/** Reading may end before the end of the message. */
async function* toPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}

const PIECE_BYTES = 64 * 1024
