// Does what is due, a bounded number at a time, until it is stopped. Some of the places are for teams that have few checks running, because a team
// with thousands of domains whose DNS never answers would have all of them for hours.

import type { PlatformContext } from '../../../http/platform.context.ts'
import { createKeyCounts } from '../../../lib/limits/counts.ts'
import { startPollLoop } from '../../../lib/poll-loop.ts'
import type { DomainsContext } from '../domains.context.ts'
import { compareRecordAnswer } from '../records/record-check.ts'
import type { DueDomain, RecordFinding } from './domain-checks.repository.ts'

type Context = PlatformContext & DomainsContext

export type DueChecks<Due extends { teamId: string }> = {
  /** Takes at most so many that are due and not of these teams, so that no other worker has them. */
  take(limit: number, exceptTeamIds: string[]): Promise<Due[]>
  check(due: Due): Promise<void>
  onFailure(error: unknown, due: Due | null): void
  checkedAtOnce: number
  lookEveryMs?: number
}

const LOOK_EVERY_MS = 1_000

/** Taking one at a time costs as many statements as taking many. */
const GATHER_MS = 10

/** The share of places for teams that have fewer than others. At least one. */
const RESERVED_SHARE = 0.2

export function startDueChecks<Due extends { teamId: string }>({
  take,
  check,
  onFailure,
  checkedAtOnce,
  lookEveryMs = LOOK_EVERY_MS,
}: DueChecks<Due>): {
  stop(): Promise<void>
} {
  const running = createKeyCounts()
  const reserved = Math.max(1, Math.floor(checkedAtOnce * RESERVED_SHARE))
  const shared = { places: checkedAtOnce - reserved, checks: new Set<Promise<void>>() }
  const kept = { places: reserved, checks: new Set<Promise<void>>() }

  async function run(due: Due): Promise<void> {
    running.add(due.teamId)
    await check(due).catch((error) => onFailure(error, due))
    running.takeAway(due.teamId)
  }

  /** Anyone's turn. */
  const ofAll = (room: number) => ({ limit: room, except: [] })

  /** Needed once the others are taken. The more teams there are, the less each may have, so that there is always a place for another one. */
  function ofFew(room: number) {
    if (shared.checks.size < shared.places) return { limit: 0, except: [] }
    const share = Math.max(1, Math.floor(reserved / (running.all.size + 1)))
    return { limit: Math.min(room, share), except: [...running.all].flatMap(([teamId, count]) => (count >= share ? [teamId] : [])) }
  }

  async function takeSome(limit: number, except: string[]): Promise<Due[]> {
    if (limit === 0) return []
    return take(limit, except).catch((error): Due[] => {
      onFailure(error, null)
      return []
    })
  }

  const follow = ({ places, checks }: typeof shared, wish: (room: number) => { limit: number; except: string[] }) =>
    startPollLoop(async ({ pause }) => {
      const { limit, except } = wish(places - checks.size)
      const taken = await takeSome(limit, except)
      for (const due of taken) {
        const checking = run(due).finally(() => checks.delete(checking))
        checks.add(checking)
      }
      // With more of them due than there is room for, the next are taken shortly after one is done, together with what is done by then.
      if (checks.size === places) await Promise.race(checks).then(() => pause(GATHER_MS))
      else if (taken.length < limit || limit === 0) await pause(lookEveryMs)
    })

  const loops = [follow(shared, ofAll), follow(kept, ofFew)]
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
      await Promise.all([...shared.checks, ...kept.checks])
    },
  }
}

// Asks the DNS about the domains that are due.

/** Each has about six records, and waits for the slowest of them. */
const CHECKED_AT_ONCE = 50

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'log'>

export function startDomainChecks(context: Dependencies, options: { lookEveryMs?: number } = {}): { stop(): Promise<void> } {
  const { repositories, log } = context
  return startDueChecks({
    take: (limit, exceptTeamIds) => repositories.domainChecks.takeDueAcrossTeams(limit, exceptTeamIds),
    check: (due) => checkDomain(context, due),
    onFailure(error, due) {
      if (due) log.warn({ err: error, domainId: due.id }, 'domain not checked')
      else log.warn({ err: error }, 'due domains not taken')
    },
    checkedAtOnce: CHECKED_AT_ONCE,
    ...options,
  })
}

/** Asks for all records of a domain at once, and records what was found. */
async function checkDomain({ repositories, gateways }: Dependencies, { teamId, id, records }: DueDomain): Promise<void> {
  const findings = await Promise.all(
    records.map(async (record): Promise<RecordFinding> => {
      const { verdict, found } = compareRecordAnswer(record, await gateways.domainDns.ask(record.host, record.type, teamId))
      return { ...record, verdict, found }
    }),
  )
  await repositories.domainChecks.record(teamId, id, findings)
}
