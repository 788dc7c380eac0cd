// Detects that an idle session has ended, and with it the lock that it held.
import type { Session } from './database-session.ts'

const ASKED_EVERY_MS = 5_000
const ANSWER_MAX_MS = 15_000

type Watching = { explain: (reason: string) => Error; askedEveryMs?: number; answerMaxMs?: number }

/** `lost` ends with what `explain` makes of the reason: the session was ended, its connection broke, or it no longer answers. */
export function watchSession(
  session: Pick<Session, 'on' | 'query' | 'end'>,
  { explain, askedEveryMs = ASKED_EVERY_MS, answerMaxMs = ANSWER_MAX_MS }: Watching,
): { lost: AbortSignal; end(): void } {
  const controller = new AbortController()
  let isAsking = false
  let isOver = false

  function lose(reason: string): void {
    if (isOver) return
    end()
    controller.abort(explain(reason))
    // Otherwise the next question to it would never be answered.
    void session.end().catch(() => {})
  }

  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    const late = setTimeout(() => lose(`no answer for ${answerMaxMs / 1_000} s`), answerMaxMs)
    await session.query('select 1').catch((error: Error) => lose(error.message))
    clearTimeout(late)
    isAsking = false
  }

  function end(): void {
    isOver = true
    clearInterval(asking)
  }

  const asking = setInterval(() => void ask(), askedEveryMs)
  session.on('error', (error) => lose(error.message))
  session.on('end', () => lose('the connection was closed'))
  return { lost: controller.signal, end }
}
