// Asks the DNS about the domains that are due.
import type { Context } from '../context.ts'
import { judgeAnswer } from '../mail/domains/record-check.ts'
import type { DueDomain, RecordFinding } from '../repositories/domains/domain-checks.ts'
import { startDueChecks } from './due-checks.ts'

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
      const { verdict, found } = judgeAnswer(record, await gateways.domainDns.ask(record.host, record.type, teamId))
      return { ...record, verdict, found }
    }),
  )
  await repositories.domainChecks.record(teamId, id, findings)
}
