import { oneOf } from '../../db/columns.ts'
import type { Database, RecordTransaction } from '../../db/database.ts'
import { addJob, CLEAR_WEBHOOK } from '../../db/jobs/jobs.ts'
import { readPage } from '../../db/page.ts'
import { lockRow, lockTeams } from '../../db/transactions.ts'
import { useFormIfAny } from '../../db/used-forms.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Clock } from '../../lib/clock.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import { requireRoom } from '../limits/limits.repository.ts'
import { DISABLED, giveUpAll } from './sending/pending-messages.repository.ts'
import type { SealedSecret } from './webhook-secrets.ts'
import { isWebhookEventType, WEBHOOK_LIMIT, WEBHOOK_STATUSES, type WebhookEventType, type WebhookStatus } from './webhooks.schema.ts'

export type WebhookRow = {
  id: string
  /** Null: its events are only read from the feed. */
  endpoint: string | null
  events: WebhookEventType[]
  status: WebhookStatus
  isOrdered: boolean
  concurrency: number
  createdAt: Date
  lastSuccessAt: Date | null
  lastFailureAt: Date | null
  failingSince: Date | null
  disabledReason: string | null
}

/** `old` signs too until its time. */
export type WebhookSecrets = { current: SealedSecret; old: (SealedSecret & { until: Date }) | null }

export type NewWebhook = Pick<WebhookRow, 'id' | 'endpoint' | 'events' | 'isOrdered' | 'concurrency'> & { secret: SealedSecret }

/** Absent fields stay as they are. */
export type WebhookChange = Partial<Pick<WebhookRow, 'events' | 'status' | 'isOrdered' | 'concurrency'> & { endpoint: string }>

const select = {
  id: true,
  endpoint: true,
  events: true,
  status: true,
  isOrdered: true,
  concurrency: true,
  createdAt: true,
  lastSuccessAt: true,
  lastFailureAt: true,
  failingSince: true,
  disabledReason: true,
} as const

const secretColumns = { secret: true, secretVersion: true, oldSecret: true, oldSecretVersion: true, oldSecretUntil: true } as const

const toRow = (row: Prisma.WebhookGetPayload<{ select: typeof select }>): WebhookRow => ({
  ...row,
  events: row.events.filter(isWebhookEventType),
  status: oneOf(WEBHOOK_STATUSES, row.status),
})

export function webhookRepository({ tables, records }: Pick<Database, 'tables' | 'records'>, { clock }: { clock: Clock }) {
  return {
    async find(teamId: string, id: string): Promise<WebhookRow | null> {
      const row = await tables.webhook.findFirst({ where: { teamId, id }, select })
      return row && toRow(row)
    },

    count: (teamId: string): Promise<number> => tables.webhook.count({ where: { teamId } }),

    list(teamId: string, request: PageRequest): Promise<Page<WebhookRow>> {
      return readPage(request, async ({ where, ...rest }) =>
        (await tables.webhook.findMany({ where: { teamId, ...where }, select, ...rest })).map(toRow),
      )
    },

    /** `installationFull`: all teams together have `installationMax`. @throws Failure if the team has as many as it may have; FormUsed */
    create(
      teamId: string,
      { secret, ...webhook }: NewWebhook,
      installationMax: number,
      formId?: string,
    ): Promise<'created' | 'installationFull'> {
      return records(async ({ tables: inside, execute }) => {
        await lockTeams(execute)
        if ((await inside.webhook.count({ where: { teamId } })) >= WEBHOOK_LIMIT.max) throw WEBHOOK_LIMIT.failure()
        await requireRoom(execute, teamId, { name: 'webhooks', more: 1, count: () => inside.webhook.count({ where: { teamId } }) })
        if ((await inside.webhook.count()) >= installationMax) return 'installationFull'
        const now = clock.now()
        await useFormIfAny({ tables: inside }, { id: formId, teamId, usedAt: now })
        const { sealed, keyVersion: secretVersion } = secret
        const data = { teamId, ...webhook, status: 'enabled', secret: sealed, secretVersion, createdAt: now }
        await inside.webhook.create({ data, select: { id: true } })
        return 'created'
      })
    },

    /**
     * A webhook that is disabled gives up what waits. Null if the team has no such webhook. `busy`: it cannot be enabled while what waited when it
     * was disabled is still being given up.
     */
    updateWebhook(teamId: string, id: string, change: WebhookChange): Promise<{ id: string } | 'busy' | null> {
      return records(async ({ tables: inside, execute }) => {
        const locked = await lockRow(execute, 'webhooks', teamId, id)
        if (!locked) return null
        if (change.status === 'enabled' && !(await clearToEnable({ tables: inside, execute }, locked.id, clock.now()))) return 'busy'
        await inside.webhook.update({ where: { id: locked.id }, data: updateData(change) })
        if (change.status === 'disabled') await giveUpAll(execute, locked.id, DISABLED, clock.now())
        return locked
      })
    },

    /** Nothing more is sent to it, and a job removes what waits. Null if the team has no such webhook. */
    deleteWebhook(teamId: string, id: string): Promise<{ id: string } | null> {
      return records(async ({ tables: inside, execute }) => {
        const { count } = await inside.webhook.deleteMany({ where: { teamId, id } })
        if (count > 0) await addJob(execute, CLEAR_WEBHOOK, { webhookId: id })
        return count > 0 ? { id } : null
      })
    },

    async secretsOf(teamId: string, id: string): Promise<WebhookSecrets | null> {
      const row = await tables.webhook.findFirst({ where: { teamId, id }, select: secretColumns })
      return row && toSecrets(row)
    },

    /**
     * The present secret becomes the old one, and signs too until then. Null if the team has no such webhook; the time until which an older one
     * signs, if it still does.
     */
    replaceSecret(teamId: string, id: string, secret: SealedSecret, oldUntil: Date): Promise<'replaced' | { until: Date } | null> {
      return records(async ({ tables: inside, execute }: RecordTransaction) => {
        const locked = await lockRow(execute, 'webhooks', teamId, id)
        if (!locked) return null
        const before = await inside.webhook.findUniqueOrThrow({ where: { id: locked.id }, select: secretColumns })
        if (before.oldSecretUntil !== null && before.oldSecretUntil > clock.now()) return { until: before.oldSecretUntil }
        await inside.webhook.update({
          where: { id: locked.id },
          data: {
            ...{ secret: secret.sealed, secretVersion: secret.keyVersion },
            ...{ oldSecret: before.secret, oldSecretVersion: before.secretVersion, oldSecretUntil: oldUntil },
          },
        })
        return 'replaced'
      })
    },
  }
}

/**
 * Gives up what waits from before: a transaction that began while the webhook was enabled may have queued it since. False if that is too much for one
 * transaction; a job does the rest.
 */
async function clearToEnable({ tables, execute }: RecordTransaction, id: string, now: Date): Promise<boolean> {
  const { status } = await tables.webhook.findUniqueOrThrow({ where: { id }, select: { status: true } })
  if (status === 'enabled') return true
  await giveUpAll(execute, id, DISABLED, now)
  return (await tables.webhookDelivery.findFirst({ where: { webhookId: id }, select: { seq: true } })) === null
}

/** Named one by one, because a value from a request may have more fields than its type says. */
const updateData = ({ endpoint, events, status, isOrdered, concurrency }: WebhookChange): Prisma.WebhookUpdateInput => ({
  ...(endpoint !== undefined && { endpoint }),
  ...(events !== undefined && { events }),
  ...(isOrdered !== undefined && { isOrdered }),
  ...(concurrency !== undefined && { concurrency }),
  ...(status !== undefined && { status, disabledReason: null, failingSince: null }),
})

export function toSecrets(row: Prisma.WebhookGetPayload<{ select: typeof secretColumns }>): WebhookSecrets {
  const { secret, secretVersion, oldSecret, oldSecretVersion, oldSecretUntil } = row
  return {
    current: { sealed: secret, keyVersion: secretVersion },
    old:
      oldSecret !== null && oldSecretVersion !== null && oldSecretUntil !== null
        ? { sealed: oldSecret, keyVersion: oldSecretVersion, until: oldSecretUntil }
        : null,
  }
}
