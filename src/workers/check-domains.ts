// Asks the DNS about the domains that are due, a bounded number at a time, until it is stopped.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { judgeAnswer } from '../mail/domains/record-check.ts'
import type { DueDomain, RecordFinding } from '../repositories/domains/domain-checks.ts'

/** Each has about six records, and waits for the slowest of them. */
const CHECKED_AT_ONCE = 50
const LOOK_EVERY_MS = 1_000

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'log'>

export function startDomainChecks(
  context: Dependencies,
  { lookEveryMs = LOOK_EVERY_MS }: { lookEveryMs?: number } = {},
): { stop(): Promise<void> } {
  const { repositories, log } = context
  const stopping = new AbortController()
  const { signal } = stopping
  const running = new Set<Promise<void>>()

  function start(due: DueDomain): void {
    const check = checkDomain(context, due)
      .catch((error) => log.warn({ err: error, domainId: due.id }, 'domain not checked'))
      .finally(() => running.delete(check))
    running.add(check)
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      const room = CHECKED_AT_ONCE - running.size
      const due = await repositories.domainChecks.claimDueAcrossTeams(room).catch((error) => {
        log.warn({ err: error }, 'due domains not claimed')
        return []
      })
      for (const domain of due) start(domain)
      // With more domains due than there is room for, the next is claimed as soon as one is done.
      if (due.length === room) await Promise.race(running)
      else await sleep(lookEveryMs, undefined, { signal, ref: false }).catch(() => {})
    }
    await Promise.all(running)
  }

  const following = follow()
  return {
    async stop() {
      stopping.abort()
      await following
    },
  }
}

/** Asks for all records of a domain at once, and records what was found. */
export async function checkDomain({ repositories, gateways }: Dependencies, { teamId, id }: DueDomain): Promise<void> {
  const domain = await repositories.domains.find(teamId, id)
  if (!domain) return
  const findings = await Promise.all(
    domain.records.map(async (record): Promise<RecordFinding> => {
      const { verdict, found } = judgeAnswer(record, await gateways.domainDns.ask(record.host, record.type, teamId))
      return { ...record, verdict, found }
    }),
  )
  await repositories.domainChecks.record(teamId, id, findings)
}
