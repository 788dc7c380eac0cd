// What a thread that reads messages is asked, what it answers, and how it does so.
import { Readable } from 'node:stream'
import { parentPort, workerData } from 'node:worker_threads'
import { Failure } from '../../lib/failure.ts'

export type Question<Task> = { id: number; task: Task }

/** What our own code, or the disk, failed with. `isUnavailable`: through no fault of the message. */
export type Fault = { fault: string; isUnavailable: boolean }

export type Answer<Result> = { id: number } & ({ result: Result } | Fault)

/** `workedOn`: what `noteWork` writes, which can be read even if the thread never ends. */
export type ThreadData<Settings> = Settings & { workedOn: Int32Array }

/** The id of the question that the thread works on, and since when. */
const [ID, SINCE] = [0, 1]

export const createWorkNotes = (): Int32Array => new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))

export function noteWork(workedOn: Int32Array, id: number): void {
  if (Atomics.load(workedOn, ID) === id) return
  Atomics.store(workedOn, SINCE, processMs())
  Atomics.store(workedOn, ID, id)
}

/** `sinceMs`: for how long the thread has worked on nothing else. */
export const readWork = (workedOn: Int32Array): { id: number; sinceMs: number } => ({
  id: Atomics.load(workedOn, ID),
  sinceMs: (processMs() - Atomics.load(workedOn, SINCE)) | 0,
})

/** The threads of a process share it, unlike `performance.now()`. It wraps, as differences of it do. */
const processMs = (): number => Number(process.hrtime.bigint() / 1_000_000n) | 0

/** Called when the thread begins to work on a piece of a message. */
export type Note = () => void

/** Answers each question, many at once. The thread is ready when this is called. */
export function answerQuestions<Task, Result>(work: (task: Task, note: Note) => Promise<Result>): void {
  const { workedOn }: ThreadData<unknown> = workerData
  parentPort?.on('message', ({ id, task }: Question<Task>) => {
    const note = () => noteWork(workedOn, id)
    void answerTo(() => work(task, note)).then((answer) => parentPort?.postMessage({ id, ...answer } satisfies Answer<Result>))
  })
  parentPort?.postMessage('ready')
}

/** The message, with a note for those who find the thread dead: what works on a piece does so as soon as it has it. */
export const noted = (message: Readable | Buffer[], note: Note): Readable =>
  Readable.from(
    (async function* () {
      for await (const piece of message) {
        note()
        yield piece
      }
      note()
    })(),
    { objectMode: false },
  )

async function answerTo<Result>(work: () => Promise<Result>): Promise<{ result: Result } | Fault> {
  try {
    return { result: await work() }
  } catch (error) {
    // The sender of the message may be told what kept us from reading it.
    if (error instanceof Failure && error.kind === 'unavailable') return { fault: error.message, isUnavailable: true }
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error), isUnavailable: false }
  }
}
