// What of a team needs someone to look at it: a few rows of each kind, newest first; in SQL, because Prisma cannot say that they are found by index
// while PostgreSQL has no statistics. Partial indexes hold only these rows, so that one is found however much of the rest the team has.
import { type Database, type Statement, statement } from '../../../db/database.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'

export type TeamAttention = {
  domains: Page<{ id: string; name: string; status: string; receivingUnprovenUntil: Date | null }>
  webhooks: Page<{ id: string; endpoint: string | null; disabledReason: string | null; failingSince: Date | null }>
  broadcasts: Page<{ id: string; name: string; status: string; statusReason: string | null }>
  imports: Page<{ id: string; createdAt: Date; reason: string | null }>
  automations: Page<{ id: string; name: string; heldAt: Date }>
  disabledAutomations: Page<{ id: string; name: string; disabledReason: string }>
}

/** What the first days of a team bring. */
export type TeamBeginnings = { hasEmail: boolean; hasDomain: boolean; verifiedDomain: string | null; hasOwnKey: boolean }

/** The limit for each kind. The lists of the console have the others. */
const SHOWN_MAX = 5
const LATELY_MS = 7 * 24 * 60 * 60 * 1_000

export function attentionRepository({ tables, transaction }: Pick<Database, 'tables' | 'transaction'>) {
  return {
    ofTeam(teamId: string, now: Date): Promise<TeamAttention> {
      const lately = new Date(now.getTime() - LATELY_MS)
      return transaction(
        async (inside) => {
          const newest = async <Row extends object>(sql: Statement): Promise<Page<Row>> => firstOf(await inside<Row>(sql, [teamId]))
          // What is older than the rows that were read is not of these days either.
          const newestLately = async <Row extends object>(sql: Statement, timeOf: (row: Row) => Date): Promise<Page<Row>> =>
            firstOf((await inside<Row>(sql, [teamId])).filter((row) => timeOf(row) >= lately))
          return {
            domains: await newest(DOMAINS),
            webhooks: await newest(WEBHOOKS),
            broadcasts: await newest(BROADCASTS),
            imports: await newestLately<ImportRow>(IMPORTS, ({ createdAt }) => createdAt),
            disabledAutomations: await newest(DISABLED_AUTOMATIONS),
            automations: await newestLately<AutomationRow>(AUTOMATIONS, ({ heldAt }) => heldAt),
          }
        },
        { plans: 'by index' },
      )
    },

    async beginnings(teamId: string): Promise<TeamBeginnings> {
      const [email, domain, verified, team] = await Promise.all([
        tables.email.findFirst({ where: { teamId }, select: { id: true } }),
        tables.domain.findFirst({ where: { teamId }, select: { id: true } }),
        tables.domain.findFirst({ where: { teamId, canSend: true }, select: { name: true } }),
        tables.team.findUnique({ where: { id: teamId }, select: { createdAt: true } }),
      ])
      // The key that the installation begins with is made at the same moment as its team.
      const ownKey =
        team && (await tables.apiKey.findFirst({ where: { teamId, createdAt: { not: team.createdAt } }, select: { id: true } }))
      return { hasEmail: email !== null, hasDomain: domain !== null, verifiedDomain: verified?.name ?? null, hasOwnKey: ownKey !== null }
    },
  }
}

type ImportRow = TeamAttention['imports']['rows'][number]
type AutomationRow = TeamAttention['automations']['rows'][number]

const firstOf = <Row>(rows: Row[]): Page<Row> => ({ rows: rows.slice(0, SHOWN_MAX), hasMore: rows.length > SHOWN_MAX })

/**
 * A range instead of an equality, because only the index of the team has that order: along the primary key, all teams would be read for the few rows
 * of one.
 *
 * @param isWrong as the partial index says it
 */
const attentionTo = (
  table: string,
  { columns, isWrong, newest = 'id', name = table }: { columns: string; isWrong: string; newest?: string; name?: string },
): Statement =>
  statement(
    `${name} that need attention`,
    `select ${columns} from ${table} where team_id >= $1 and team_id <= $1 and ${isWrong} order by team_id, ${newest} desc limit ${SHOWN_MAX + 1}`,
  )

const DOMAINS = attentionTo('domains', {
  columns: 'id, name, status, receiving_unproven_until as "receivingUnprovenUntil"',
  // One that is looked for again was checked before, in vain: asking for it mends nothing.
  isWrong:
    "(status in ('failed', 'temporary_failure', 'partially_failed') or (status = 'pending' and checked_at is not null) or receiving_unproven_until is not null)",
})

const WEBHOOKS = attentionTo('webhooks', {
  columns: 'id, endpoint, disabled_reason as "disabledReason", failing_since as "failingSince"',
  isWrong: '(disabled_reason is not null or failing_since is not null)',
})

const BROADCASTS = attentionTo('broadcasts', {
  columns: 'id, name, status, status_reason as "statusReason"',
  isWrong: "(status = 'paused' or (status_reason is not null and status <> 'canceled'))",
})

const IMPORTS = attentionTo('contact_imports', { columns: 'id, reason, created_at as "createdAt"', isWrong: "status = 'failed'" })

const DISABLED_AUTOMATIONS = attentionTo('automations', {
  columns: 'id, name, disabled_reason as "disabledReason"',
  isWrong: 'disabled_reason is not null and deleted_at is null',
  name: 'disabled automations',
})

const AUTOMATIONS = attentionTo('automations', {
  columns: 'id, name, held_at as "heldAt"',
  isWrong: 'held_at is not null and deleted_at is null',
  newest: 'held_at',
})
