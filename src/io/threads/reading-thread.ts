// Has messages read in a thread, many at once, each within a deadline. A thread that does not keep it is ended, and another begins.
import { Worker } from 'node:worker_threads'
import { Failure } from '../../lib/failure.ts'
import { type Answer, createWorkNotes, type Fault, type Question, readWork, type ThreadData } from './thread-questions.ts'

export type ReadingThread<Task, Result> = {
  /**
   * 'overdue': this message, or another that was read beside it, took too long.
   *
   * @throws Failure `unavailable` if there is no thread, or no room on the disk; errors for faults of our own.
   */
  read(task: Task): Promise<Result | 'overdue'>
  /** Ends the thread unless it reads something: the memory that it has grown to is free then. The next message begins another. */
  rest(): Promise<void>
  /** Ends the thread. What waits fails. */
  close(): Promise<void>
}

/**
 * A thread that ended before it was told to. `workedOn`: the blob of the message that it worked on, which may be why; null if it had none, or the
 * text has no blob.
 */
export type ThreadLoss = { reason: 'overdue' | 'died'; error: unknown; workedOn: string | null; messages: number }

/** `what`: which messages, in the plural. `settings`: what the thread is told when it begins. */
export type ReadingThreadOptions<Settings extends object> = {
  what: string
  file: URL
  settings: Settings
  /** The thread may work on one message for this time. A message that waits meanwhile has `LONGER` times as much. */
  deadlineMs: number
  onLoss?: ((loss: ThreadLoss) => void) | undefined
}

/** While the thread works on one message after the other, none of them is why another has to wait. */
export const LONGER = 2

/** A machine that is busy starts a thread in seconds. */
const START_MS_MAX = 30_000

type Waiting<Result> = {
  blobKey: string | null
  resolve(result: Result | 'overdue'): void
  reject(error: unknown): void
  timer: NodeJS.Timeout | null
}

/** A thread, and what waits for it. */
type Running<Result> = { worker: Worker; waiting: Map<number, Waiting<Result>>; workedOn: Int32Array; isReported: boolean }

export function createReadingThread<Task extends object, Result>({
  what,
  file,
  settings,
  deadlineMs,
  onLoss = () => {},
}: ReadingThreadOptions<object>): ReadingThread<Task, Result> {
  let thread: Promise<Running<Result>> | null = null
  let questions = 0
  let isClosed = false
  const ended = () => new Failure('unavailable', `The thread that reads ${what} has been ended`)

  function onMessage({ worker, waiting }: Running<Result>, message: unknown): void {
    if (!isAnswer<Result>(message)) return
    settle(waiting, message.id, ({ resolve, reject }) => ('fault' in message ? reject(toError(message)) : resolve(message.result)))
    if (waiting.size === 0) worker.unref()
  }

  async function started(): Promise<Running<Result>> {
    try {
      const workedOn = createWorkNotes()
      const running: Running<Result> = {
        worker: await startThread(file, { ...settings, workedOn }),
        waiting: new Map(),
        workedOn,
        isReported: false,
      }
      const current = thread
      let error: unknown = null
      running.worker.on('error', (reason) => {
        error = reason
      })
      running.worker.on('message', (message) => onMessage(running, message))
      running.worker.once('exit', () => {
        if (thread === current) thread = null
        report(running, { reason: 'died', error })
        release(running)
      })
      return running
    } catch (error) {
      thread = null
      const reason = error instanceof Error ? error.message : String(error)
      throw new Failure('unavailable', `The thread that reads ${what} did not start: ${reason}`, { cause: error })
    }
  }

  /** The thread may be in an endless loop, so all that it reads is lost with it. What waits is told when it has ended. */
  async function end(ending: Promise<Running<Result>>, running: Running<Result>): Promise<void> {
    if (thread === ending) thread = null
    report(running, { reason: 'overdue', error: null })
    await running.worker.terminate()
    release(running)
  }

  function wait(
    current: Promise<Running<Result>>,
    running: Running<Result>,
    { id, ms, leftMs }: { id: number; ms: number; leftMs: number },
  ): void {
    const one = running.waiting.get(id)
    if (one === undefined) return
    // After what has arrived meanwhile, because this thread may have been held up itself.
    const checkLater = () => setImmediate(() => checkDeadline(current, running, { id, leftMs: leftMs - ms }))
    one.timer = setTimeout(checkLater, ms)
  }

  /** Time is over if the thread has worked on the same message for all of it: on this one, or on one that keeps it from this one. */
  function checkDeadline(
    current: Promise<Running<Result>>,
    running: Running<Result>,
    { id, leftMs }: { id: number; leftMs: number },
  ): void {
    if (!running.waiting.has(id)) return
    const ms = Math.min(leftMs, deadlineMs - readWork(running.workedOn).sinceMs)
    if (ms > 0) wait(current, running, { id, ms, leftMs })
    else void end(current, running)
  }

  /** Once for each thread, unless it was told to end. */
  function report(running: Running<Result>, how: Pick<ThreadLoss, 'reason' | 'error'>): void {
    const { waiting, workedOn } = running
    if (running.isReported || isClosed) return
    running.isReported = true
    onLoss({ ...how, workedOn: waiting.get(readWork(workedOn).id)?.blobKey ?? null, messages: waiting.size })
  }

  function release({ waiting }: Running<Result>): void {
    for (const id of [...waiting.keys()]) settle(waiting, id, ({ resolve, reject }) => (isClosed ? reject(ended()) : resolve('overdue')))
  }

  return {
    async read(task) {
      if (isClosed) throw ended()
      thread ??= started()
      const current = thread
      const running = await current
      const { worker, waiting } = running
      worker.ref()
      return new Promise((resolve, reject) => {
        questions += 1
        const id = questions
        waiting.set(id, { blobKey: 'blobKey' in task ? String(task.blobKey) : null, resolve, reject, timer: null })
        wait(current, running, { id, ms: deadlineMs, leftMs: LONGER * deadlineMs })
        worker.postMessage({ id, task } satisfies Question<Task>)
      })
    },
    async rest() {
      const current = thread
      const running = await current?.catch(() => null)
      if (!running || thread !== current || running.waiting.size > 0) return
      thread = null
      // It was told to end.
      running.isReported = true
      await running.worker.terminate()
    },

    async close() {
      isClosed = true
      const running = await thread?.catch(() => null)
      await running?.worker.terminate()
    },
  }
}

function settle<Result>(waiting: Running<Result>['waiting'], id: number, how: (one: Waiting<Result>) => void): void {
  const one = waiting.get(id)
  if (one === undefined) return
  waiting.delete(id)
  if (one.timer !== null) clearTimeout(one.timer)
  how(one)
}

const toError = ({ fault, isUnavailable }: Fault): Error => (isUnavailable ? new Failure('unavailable', fault) : new Error(fault))

/**
 * What is read of a message is garbage soon. With what Node.js takes by itself, messages that come in quickly hold 80 MB more and are read a tenth
 * faster: memory is what small machines lack.
 */
const YOUNG_GENERATION_MB_MAX = 32

/** It does not keep the process alive. */
async function startThread(file: URL, settings: ThreadData<object>): Promise<Worker> {
  const worker = new Worker(file, { workerData: settings, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB_MAX } })
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

const isAnswer = <Result>(message: unknown): message is Answer<Result> => typeof message === 'object' && message !== null && 'id' in message
