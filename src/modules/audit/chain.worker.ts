// Joins the rows of the audit log to the chains of their teams, every second.
import type { PlatformContext } from '../../http/platform.context.ts'
import { MINUTE_MS } from '../../lib/clock.ts'
import { type PollLoop, startPollLoop } from '../../lib/poll-loop.ts'
import type { AuditContext } from './audit.context.ts'
import { type Joining, joinWaiting } from './chain.service.ts'

const LOOK_EVERY_MS = 1_000
/** What fails is tried again each time, and said this often. */
const SAID_EVERY_MS = MINUTE_MS
/** Teams that one line names. */
const TEAMS_NAMED_MAX = 10

type Dependencies = Pick<PlatformContext, 'log' | 'clock'> & AuditContext

export function startChaining(
  { repositories, auditKeys, log, clock }: Dependencies,
  { lookEveryMs = LOOK_EVERY_MS }: { lookEveryMs?: number } = {},
): PollLoop {
  let saidAtMs = Number.NEGATIVE_INFINITY

  /** @param about `err`, and the teams if it is of some only */
  function sayNowAndThen(about: object): void {
    if (clock.monotonicMs() - saidAtMs < SAID_EVERY_MS) return
    saidAtMs = clock.monotonicMs()
    log.warn(about, 'audit log not joined')
  }

  return startPollLoop(async ({ pause }) => {
    const { joined, failed } = await joinWaiting({ repositories, auditKeys }).catch((error): Joining => {
      sayNowAndThen({ err: error })
      return { joined: 0, failed: [] }
    })
    if (failed.length > 0)
      sayNowAndThen({
        err: failed[0]?.error,
        teamIds: failed.slice(0, TEAMS_NAMED_MAX).map(({ teamId }) => teamId),
        teams: failed.length,
      })
    if (joined === 0) await pause(lookEveryMs)
  })
}
