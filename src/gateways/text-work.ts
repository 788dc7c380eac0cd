// Works on long texts in threads: each team has one of its texts in a thread at a time, and the teams take turns.
import { Failure, invalid } from '../lib/failure.ts'
import { createTurns, type TurnsOptions } from '../lib/limits/turns.ts'
import { holdsLongText, MAIN_THREAD_BYTES_MAX } from '../lib/main-thread.ts'
import { threadFile } from '../lib/source-files.ts'
import type { ReadContent } from '../mail/rendering/read-contents.ts'
import { FILLED_BYTES_MAX } from '../mail/rendering/rendering.ts'
import type { FilledTemplate } from '../mail/templates/filled-template.ts'
import { createReadingThread, type ThreadLoss } from './reading-thread.ts'
import { fillReadTemplate, type SourceOfText, type TemplateFilling, type TextAnswer, type TextTask, type TextTasks } from './text-tasks.ts'

export type TextWork = {
  /**
   * @param isOfRequest the text is one that the client just gave: it is refused if working on it takes too long
   * @throws Failure `unavailable` if it took too long, there is no thread, or too many texts wait; errors for faults of our own.
   */
  do<Task extends TextTask>(teamId: string, task: Task, options?: { isOfRequest?: boolean }): Promise<TextTasks[Task['kind']]['result']>
  /**
   * Fills in a template: a short one at once.
   *
   * @param template `content`: null for a long one
   * @returns `too long`, and throws, as `fillTemplate` does
   */
  fillTemplate(
    teamId: string,
    template: SourceOfText & { content: ReadContent | null },
    filling: TemplateFilling,
    options?: { isOfRequest?: boolean },
  ): Promise<FilledTemplate | 'too long'>
  /** Ends the threads. What waits fails. */
  close(): Promise<void>
}

/** The largest text takes a second of a processor. */
export const TEXT_WORK_MS_MAX = 10_000

/** With two, the texts of one team leave room for those of the others. */
const THREADS = 2

const SECONDS_TO_WAIT = 5
const WAITING_MAX = { perKey: 1_000, inAll: 10_000 }
/** The emails of all teams are bounded where they are claimed and accepted. */
const WAIT_MS_MAX = 60_000

type Options = { deadlineMs?: number; file?: URL; onLoss?: (loss: ThreadLoss) => void }

export function createTextWork({
  deadlineMs = TEXT_WORK_MS_MAX,
  file = threadFile('text-thread', import.meta),
  onLoss,
}: Options = {}): TextWork {
  const threads = Array.from({ length: THREADS }, () =>
    createReadingThread<TextTask, TextAnswer>({ what: 'long texts', file, settings: {}, deadlineMs, onLoss }),
  )
  const waiting: Pick<TurnsOptions, 'waitingMax' | 'waitMsMax' | 'refusal'> = {
    waitingMax: WAITING_MAX,
    waitMsMax: WAIT_MS_MAX,
    refusal: () =>
      new Failure('unavailable', 'Too many long texts are being worked on. Please try again later.', {
        retryAfterSeconds: SECONDS_TO_WAIT,
      }),
  }
  // With one text of each team in the second line, the team that came first is next.
  const ofTeams = createTurns({ ...waiting, atOnceMax: { perKey: 1, inAll: Number.POSITIVE_INFINITY } })
  const ofThreads = createTurns({ ...waiting, atOnceMax: { perKey: 1, inAll: THREADS } })
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
      const answer = await ofTeams.take(teamId, () => ofThreads.take(teamId, () => inThread(task)))
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
      ofTeams.close()
      ofThreads.close()
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

const TOO_SLOW = `Working on this text takes more than ${TEXT_WORK_MS_MAX / 1_000} seconds. Give simpler HTML, or fewer placeholders.`
