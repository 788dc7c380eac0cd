// Joins the rows of the audit log to the chains of their teams, every second.
import type { PlatformContext } from '../../http/platform.context.ts'
import { type PollLoop, startPollLoop } from '../../lib/poll-loop.ts'
import type { AuditContext } from './audit.context.ts'

const LOOK_EVERY_MS = 1_000

type Dependencies = Pick<PlatformContext, 'log'> & AuditContext

export const startChaining = (
  { repositories: { auditChains }, auditKeys, log }: Dependencies,
  { lookEveryMs = LOOK_EVERY_MS }: { lookEveryMs?: number } = {},
): PollLoop =>
  startPollLoop(async ({ pause }) => {
    const joined = await auditChains.joinAcrossTeams(auditKeys()).catch((error) => {
      log.warn({ err: error }, 'audit log not joined')
      return 0
    })
    if (joined === 0) await pause(lookEveryMs)
  })
