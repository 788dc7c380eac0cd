// Works on long texts in threads: each team has one of its texts in a thread at a time, and the teams take turns.

import { createReadingThread, type ThreadLoss } from '../../io/threads/reading-thread.ts'
import { Failure, invalid } from '../../lib/failure.ts'
import { createFairSemaphore, type FairSemaphoreOptions } from '../../lib/limits/fair-semaphore.ts'
import { holdsLongText, MAIN_THREAD_BYTES_MAX } from '../../lib/main-thread.ts'
import { threadFile } from '../../lib/source-files.ts'
import { FILLED_BYTES_MAX } from '../../mail/rendering/rendering.ts'
import type { TextTask, TextTasks, TextWork } from '../../mail/text-tasks.ts'
import type { TemplateTexts } from '../../modules/templates/template-texts.ts'
import { fillReadTemplate, type TextAnswer } from './text-tasks.ts'

/** The largest text takes a second of a processor. */
export const TEXT_WORK_MS_MAX = 10_000

/** With two, the texts of one team leave room for those of the others. */
const THREADS = 2

const SECONDS_TO_WAIT = 5
const WAITING_MAX = { perKey: 1_000, inAll: 10_000 }
/** The emails of all teams are bounded where they are claimed and accepted. */
const WAIT_MS_MAX = 60_000

export type ClosableTextWork = TextWork &
  TemplateTexts & {
    /** Ends the threads. What waits fails. */
    close(): Promise<void>
  }

type Options = { deadlineMs?: number; file?: URL; onLoss?: (loss: ThreadLoss) => void }

export function createTextWork({
  deadlineMs = TEXT_WORK_MS_MAX,
  file = threadFile('text-thread', import.meta),
  onLoss,
}: Options = {}): ClosableTextWork {
  const threads = Array.from({ length: THREADS }, () =>
    createReadingThread<TextTask, TextAnswer>({ what: 'long texts', file, settings: {}, deadlineMs, onLoss }),
  )
  const waiting: Pick<FairSemaphoreOptions, 'waitingMax' | 'waitMsMax' | 'refusal'> = {
    waitingMax: WAITING_MAX,
    waitMsMax: WAIT_MS_MAX,
    refusal: () =>
      new Failure('unavailable', 'Too many long texts are being processed. Please try again later.', {
        retryAfterSeconds: SECONDS_TO_WAIT,
      }),
  }
  // With one text of each team in the second line, the team that came first is next.
  const teamSemaphore = createFairSemaphore({ ...waiting, atOnceMax: { perKey: 1, inAll: Number.POSITIVE_INFINITY } })
  const threadSemaphore = createFairSemaphore({ ...waiting, atOnceMax: { perKey: 1, inAll: THREADS } })
  /** The one that worked last is first, so that the other starts only when both are needed. */
  const free = [...threads]

  async function inThread(task: TextTask): Promise<TextAnswer | 'overdue'> {
    const thread = free.pop()
    if (!thread) throw new Error('More texts are worked on than there are threads')
    try {
      return await thread.read(task)
    } finally {
      free.push(thread)
    }
  }

  const work: Pick<TextWork, 'do'> = {
    async do<Task extends TextTask>(teamId: string, task: Task, { isOfRequest = false } = {}) {
      const answer = await teamSemaphore.run(teamId, () => threadSemaphore.run(teamId, () => inThread(task)))
      if (answer === 'overdue') throw isOfRequest ? invalid(TOO_SLOW) : new Failure('unavailable', TOO_SLOW)
      if ('refused' in answer) throw invalid(answer.refused)
      return answer.done as TextTasks[Task['kind']]['result']
    },
  }

  return {
    ...work,
    async fillTemplate(teamId, { content, ...template }, filling, options) {
      const bytesMax = Math.min(filling.bytesMax ?? FILLED_BYTES_MAX, FILLED_BYTES_MAX)
      if (content && !holdsLongText(filling.values)) {
        const filled = fillReadTemplate(content, { ...filling, bytesMax: Math.min(bytesMax, MAIN_THREAD_BYTES_MAX) })
        if (filled !== 'too long' || bytesMax <= MAIN_THREAD_BYTES_MAX) return filled
      }
      return work.do(teamId, { kind: 'template', ...template, filling }, options)
    },
    async close() {
      teamSemaphore.close()
      threadSemaphore.close()
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

const TOO_SLOW = `Processing this text takes more than ${TEXT_WORK_MS_MAX / 1_000} seconds. Give simpler HTML, or fewer placeholders.`
