// Takes messages apart in a thread of its own, one at a time, each within a deadline. A thread that does not keep it is ended, and another begins.
import { Worker } from 'node:worker_threads'
import { Failure } from '../../lib/failure.ts'
import { threadFile } from '../../lib/source-files.ts'
import type { Report } from './reports/delivery-status.ts'
import type { SignedReport } from './reports/report-signature.ts'

export type Task = { kind: 'read'; bytes: Uint8Array } | { kind: 'verify'; report: SignedReport }

/** `fault`: what our own code failed with. */
export type Answer = { result: Report | boolean } | { fault: string }

export type ReportReader = {
  /**
   * 'overdue': nothing was found out within the deadline. The bytes belong to the reader afterwards.
   *
   * @throws Failure `unavailable` if there is no thread, and for faults of our own.
   */
  read(bytes: Uint8Array): Promise<Report | 'overdue'>
  /** True if a signature covers the report. What the library fails on is not signed. */
  isSigned(report: SignedReport): Promise<boolean | 'overdue'>
  /** Ends the thread. What waits fails. */
  close(): Promise<void>
}

/**
 * The most hostile report that is known takes a second of a processor, and ten signatures of one of 4 MB take three and a half. Where others use the
 * processor too, it takes longer: such a message is tried again.
 */
const DEADLINE_MS = 5_000

/** A machine that is busy starts a thread in seconds. */
const START_MS_MAX = 30_000

/** `patience`: how many times as long as usual a message may take: 1, except in tests, because many share a machine. */
type ReportReaderOptions = { patience?: number; deadlineMs?: number; file?: URL }

export function createReportReader({
  patience = 1,
  deadlineMs = DEADLINE_MS * patience,
  file = threadFile('report-thread', import.meta),
}: ReportReaderOptions = {}): ReportReader {
  let thread: Promise<Worker> | null = null
  let last: Promise<unknown> = Promise.resolve()
  let isClosed = false

  /** One after the other, so that the deadline of a task is its own. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = last.then(work, work)
    last = turn.catch(() => {})
    return turn
  }

  async function ask(task: Task): Promise<Report | boolean | 'overdue'> {
    if (isClosed) throw ended()
    thread ??= started()
    const worker = await thread
    worker.ref()
    const answer = await askWorker(worker, task, deadlineMs)
    worker.unref()
    if (answer === 'overdue' || 'end' in answer) {
      thread = null
      await worker.terminate()
    }
    if (typeof answer === 'string') return answer
    if ('end' in answer) throw isClosed ? ended(answer.end) : answer.end
    if ('fault' in answer) throw new Error(answer.fault)
    return answer.result
  }

  async function started(): Promise<Worker> {
    try {
      const worker = await startThread(file)
      worker.once('exit', () => {
        thread = null
      })
      return worker
    } catch (error) {
      thread = null
      const reason = error instanceof Error ? error.message : String(error)
      throw new Failure('unavailable', `The thread that reads reports did not start: ${reason}`, { cause: error })
    }
  }

  return {
    async read(bytes) {
      const result = await inTurn(() => ask({ kind: 'read', bytes }))
      if (typeof result === 'boolean') throw new TypeError('The thread answered another question')
      return result
    },
    async isSigned(report) {
      const result = await inTurn(() => ask({ kind: 'verify', report }))
      if (typeof result === 'object') throw new TypeError('The thread answered another question')
      return result
    },
    async close() {
      isClosed = true
      const worker = await thread?.catch(() => null)
      await worker?.terminate()
    },
  }
}

const ended = (cause?: unknown) => new Failure('unavailable', 'The thread that reads reports has been ended', { cause })

/** It does not keep the process alive. */
async function startThread(file: URL): Promise<Worker> {
  // Without a limit of its heap: Node.js ends the whole process when some allocations of a thread exceed it. Reading is bounded by itself.
  const worker = new Worker(file)
  // What waits for the thread is told. Without this, an error would end the process.
  worker.on('error', () => {})
  const first = await nextMessage(worker, START_MS_MAX)
  if (first !== 'overdue' && 'message' in first && first.message === 'ready') {
    worker.unref()
    return worker
  }
  await worker.terminate()
  throw first !== 'overdue' && 'end' in first ? first.end : new Error('it said nothing in time')
}

type Next = { message: unknown } | { end: Error } | 'overdue'

async function askWorker(worker: Worker, task: Task, deadlineMs: number): Promise<Answer | { end: Error } | 'overdue'> {
  const answer = nextMessage(worker, deadlineMs)
  worker.postMessage(task)
  const next = await answer
  if (next === 'overdue' || 'end' in next) return next
  return isAnswer(next.message) ? next.message : { end: new TypeError('The thread that reads reports gave no answer') }
}

const isAnswer = (message: unknown): message is Answer =>
  typeof message === 'object' && message !== null && ('result' in message || 'fault' in message)

/** What the thread says next, or how it ended. */
function nextMessage(worker: Worker, deadlineMs: number): Promise<Next> {
  return new Promise((resolve) => {
    // After what has arrived meanwhile, because this thread may have been held up itself.
    const timer = setTimeout(() => setImmediate(end, 'overdue'), deadlineMs)
    const onMessage = (message: unknown) => end({ message })
    const onError = (error: unknown) => end({ end: error instanceof Error ? error : new Error(String(error)) })
    const onExit = (code: number) => end({ end: new Error(`The thread that reads reports ended with code ${code}`) })
    worker.once('message', onMessage).once('error', onError).once('exit', onExit)

    function end(next: Next): void {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      resolve(next)
    }
  })
}
