// Reads received messages in a thread of its own, many at once, each within a deadline. A thread that does not keep it is ended, and another begins.
import { Worker } from 'node:worker_threads'
import { Failure } from '../../lib/failure.ts'
import type { Answer, Question, ReadEmail, ReceivedTask, ThreadSettings } from './received-tasks.ts'

export type ReceivedReader = {
  /**
   * 'overdue': this message, or another that was read beside it, took too long.
   *
   * @throws Failure `unavailable` if there is no thread, and for faults of our own.
   */
  read(task: ReceivedTask): Promise<ReadEmail | 'overdue'>
  /** Ends the thread. What waits fails. */
  close(): Promise<void>
}

/** The largest message takes four seconds of a processor, and the DNS up to ten. */
const DEADLINE_MS = 25_000

/** A machine that is busy starts a thread in seconds. */
const START_MS_MAX = 30_000

type Waiting = { resolve(result: ReadEmail | 'overdue'): void; reject(error: unknown): void; timer: NodeJS.Timeout }

export function createReceivedReader(
  settings: ThreadSettings,
  { deadlineMs = DEADLINE_MS, file = new URL('./received-thread.ts', import.meta.url) } = {},
): ReceivedReader {
  const waiting = new Map<number, Waiting>()
  let thread: Promise<Worker> | null = null
  let questions = 0
  let isClosed = false

  function settle(id: number, how: (one: Waiting) => void): void {
    const one = waiting.get(id)
    if (one === undefined) return
    waiting.delete(id)
    clearTimeout(one.timer)
    how(one)
  }

  function settleAll(how: (one: Waiting) => void): void {
    for (const id of [...waiting.keys()]) settle(id, how)
  }

  function onMessage(worker: Worker, message: unknown): void {
    if (!isAnswer(message)) return
    settle(message.id, ({ resolve, reject }) => ('fault' in message ? reject(new Error(message.fault)) : resolve(message.result)))
    if (waiting.size === 0) worker.unref()
  }

  /** The thread may be in an endless loop, so all that it reads is lost with it. */
  async function end(): Promise<void> {
    const ending = thread
    thread = null
    settleAll(({ resolve }) => resolve('overdue'))
    await (await ending?.catch(() => null))?.terminate()
  }

  async function started(): Promise<Worker> {
    try {
      const worker = await startThread(file, settings)
      worker.on('message', (message) => onMessage(worker, message))
      worker.once('exit', () => {
        thread = null
        settleAll(({ resolve, reject }) => (isClosed ? reject(ended()) : resolve('overdue')))
      })
      return worker
    } catch (error) {
      thread = null
      const reason = error instanceof Error ? error.message : String(error)
      throw new Failure('unavailable', `The thread that reads received messages did not start: ${reason}`, { cause: error })
    }
  }

  return {
    async read(task) {
      if (isClosed) throw ended()
      thread ??= started()
      const worker = await thread
      worker.ref()
      return new Promise((resolve, reject) => {
        questions += 1
        // After what has arrived meanwhile, because this thread may have been held up itself.
        const timer = setTimeout(() => setImmediate(() => waiting.has(id) && void end()), deadlineMs)
        const id = questions
        waiting.set(id, { resolve, reject, timer })
        worker.postMessage({ id, task } satisfies Question)
      })
    },
    async close() {
      isClosed = true
      const worker = await thread?.catch(() => null)
      await worker?.terminate()
    },
  }
}

const ended = () => new Failure('unavailable', 'The thread that reads received messages has been ended')

/** It does not keep the process alive. */
async function startThread(file: URL, settings: ThreadSettings): Promise<Worker> {
  const worker = new Worker(file, { workerData: settings })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // What waits for the thread is told when it exits. Without a listener, an error would end the process.
  worker.on('error', reject)
  worker.once('message', () => resolve())
  const timer = setTimeout(() => reject(new Error('it said nothing in time')), START_MS_MAX)
  try {
    await promise
    worker.unref()
    return worker
  } catch (error) {
    await worker.terminate()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

const isAnswer = (message: unknown): message is Answer => typeof message === 'object' && message !== null && 'id' in message
