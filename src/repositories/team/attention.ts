// What of a team needs someone to look at it: a few rows of each kind, newest first; in SQL where a team may have them without end: of these only the
// newest are looked through, in a transaction that finds them by their index even if PostgreSQL has no statistics of them.
import { type Database, statement } from '../database.ts'

export type TeamAttention = {
  domains: { id: string; name: string; status: string }[]
  webhooks: { id: string; endpoint: string | null; disabledReason: string | null; failingSince: Date | null }[]
  broadcasts: { id: string; name: string; status: string; statusReason: string | null }[]
  imports: { id: string; createdAt: Date; reason: string | null }[]
  automations: { id: string; name: string; heldAt: Date }[]
}

/** What the first days of a team bring. */
export type TeamBeginnings = { hasEmail: boolean; hasDomain: boolean; verifiedDomain: string | null; hasOwnKey: boolean }

/** The limit for each kind. The lists of the console have the others. */
const SHOWN_MAX = 5
const LOOKED_THROUGH_MAX = 200
const WRONG_DOMAINS = ['failed', 'temporary_failure', 'partially_failed']
const LATELY_MS = 7 * 24 * 60 * 60 * 1_000

export function attentionRepository({ tables, transaction }: Pick<Database, 'tables' | 'transaction'>) {
  return {
    async ofTeam(teamId: string, now: Date): Promise<TeamAttention> {
      const newest = { orderBy: { id: 'desc' as const }, take: LOOKED_THROUGH_MAX }
      const lately = new Date(now.getTime() - LATELY_MS)
      const [domains, webhooks, [broadcasts, imports], automations] = await Promise.all([
        tables.domain.findMany({ where: { teamId }, select: { id: true, name: true, status: true }, ...newest }),
        tables.webhook.findMany({
          where: { teamId },
          select: { id: true, endpoint: true, disabledReason: true, failingSince: true },
          ...newest,
        }),
        transaction((inside) => Promise.all([inside<BroadcastRow>(BROADCASTS, [teamId]), inside<ImportRow>(IMPORTS, [teamId])] as const), {
          plans: 'by index',
        }),
        tables.automation.findMany({ where: { teamId }, select: { id: true, name: true, heldAt: true, deletedAt: true }, ...newest }),
      ])
      return {
        domains: first(domains.filter(({ status }) => WRONG_DOMAINS.includes(status))),
        webhooks: first(webhooks.filter(({ disabledReason, failingSince }) => disabledReason !== null || failingSince !== null)),
        broadcasts: first(
          broadcasts.filter(({ status, statusReason }) => status === 'paused' || (status !== 'canceled' && statusReason !== null)),
        ),
        imports: first(imports.filter(({ status, createdAt }) => status === 'failed' && createdAt >= lately)).map(
          ({ status, ...row }) => row,
        ),
        automations: first(
          automations.flatMap(({ id, name, heldAt, deletedAt }) =>
            deletedAt === null && heldAt !== null && heldAt >= lately ? [{ id, name, heldAt }] : [],
          ),
        ),
      }
    },

    async beginnings(teamId: string): Promise<TeamBeginnings> {
      const [email, domain, verified, keys] = await Promise.all([
        tables.email.findFirst({ where: { teamId }, select: { id: true } }),
        tables.domain.findFirst({ where: { teamId }, select: { id: true } }),
        tables.domain.findFirst({ where: { teamId, canSend: true }, select: { name: true } }),
        tables.apiKey.findMany({ where: { teamId }, select: { id: true }, take: 2 }),
      ])
      // The first key was made with the team.
      return { hasEmail: email !== null, hasDomain: domain !== null, verifiedDomain: verified?.name ?? null, hasOwnKey: keys.length > 1 }
    },
  }
}

type BroadcastRow = TeamAttention['broadcasts'][number]
type ImportRow = TeamAttention['imports'][number] & { status: string }

// A range instead of an equality, because only the index of the team has that order: along the primary key, all teams would be read for the few rows
// of one.
const BROADCASTS = statement(
  'broadcasts to look through',
  `select id, name, status, status_reason as "statusReason" from broadcasts where team_id >= $1 and team_id <= $1 order by team_id, id desc limit ${LOOKED_THROUGH_MAX}`,
)

const IMPORTS = statement(
  'imports to look through',
  `select id, status, reason, created_at as "createdAt" from contact_imports where team_id >= $1 and team_id <= $1 order by team_id, id desc limit ${LOOKED_THROUGH_MAX}`,
)

const first = <Row>(rows: Row[]): Row[] => rows.slice(0, SHOWN_MAX)
