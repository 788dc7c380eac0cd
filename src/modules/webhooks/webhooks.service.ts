// What can be done with the webhooks of a team. Each fails with `notFound` if the team has no such webhook.
import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import { invalid, notFound } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import { requireAuditReader } from '../accounts/audit-readers.ts'
import { shownSecret } from './webhook-secrets.ts'
import type { WebhooksContext } from './webhooks.context.ts'
import { CONCURRENCY_DEFAULT, OLD_SECRET_HOURS, WEBHOOKS, type WebhookCreate, type WebhookUpdate } from './webhooks.schema.ts'

type Context = PlatformContext & WebhooksContext

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'webhookSecrets' | 'clock' | 'config'>
export type ChangedWebhook = { teamId: string; id: string }

/** @throws Failure `validation` for a field, or if there are too many; FormUsed. */
export async function createWebhook(
  { repositories, gateways, webhookSecrets, clock, config }: Dependencies,
  teamId: string,
  { endpoint, events, ordered, concurrency }: Static<typeof WebhookCreate>,
  formId?: string,
): Promise<{ id: string; signingSecret: string }> {
  if (endpoint !== null) await checkEndpoint(gateways, endpoint, teamId)
  const id = createId(clock)
  const { shown, sealed } = webhookSecrets.create(id)
  const created = await repositories.webhooks.create(
    teamId,
    {
      id,
      endpoint,
      events: [...new Set(events)],
      isOrdered: ordered ?? false,
      concurrency: concurrency ?? CONCURRENCY_DEFAULT,
      secret: sealed,
    },
    config.webhooksMax,
    formId,
  )
  if (created === 'installationFull')
    throw invalid(`This installation can have at most ${config.webhooksMax} webhooks. Ask its operator for more.`)
  return { id, signingSecret: shown }
}

/** @throws Failure `validation` for a field. */
export async function updateWebhook(
  { repositories, gateways }: Pick<Dependencies, 'repositories' | 'gateways'>,
  { teamId, id }: ChangedWebhook,
  { endpoint, events, status, ordered, concurrency }: Static<typeof WebhookUpdate>,
): Promise<{ id: string }> {
  if (endpoint !== undefined) await checkEndpoint(gateways, endpoint, teamId)
  const change = {
    ...(endpoint !== undefined && { endpoint }),
    ...(events !== undefined && { events: [...new Set(events)] }),
    ...(status !== undefined && { status }),
    ...(ordered !== undefined && { isOrdered: ordered }),
    ...(concurrency !== undefined && { concurrency }),
  }
  const updated = await repositories.webhooks.updateWebhook(teamId, id, change)
  if (updated === null) throw notFound(WEBHOOKS.noun)
  if (updated === 'busy')
    throw invalid('The events that waited when this webhook was disabled are still being marked as failed. Please try again in a minute.')
  return updated
}

export async function deleteWebhook(
  { repositories }: Pick<Dependencies, 'repositories'>,
  { teamId, id }: ChangedWebhook,
): Promise<{ id: string }> {
  const removed = await repositories.webhooks.deleteWebhook(teamId, id)
  if (!removed) throw notFound(WEBHOOKS.noun)
  return removed
}

/**
 * A webhook with `audit.recorded` carries the audit log out: who creates it, gives it that event or leads it elsewhere may read that log.
 * @throws Failure `invalidPermission`
 */
export async function requireReaderOfEvents(
  context: Pick<Dependencies, 'repositories'> & Pick<AccountsContext, 'repositories'>,
  caller: Caller,
  { events, endpoint }: { events?: readonly string[]; endpoint?: string | null },
  id?: string,
): Promise<void> {
  const isChanged = events !== undefined || endpoint !== undefined
  const current = id !== undefined && isChanged ? ((await context.repositories.webhooks.find(caller.teamId, id))?.events ?? []) : []
  if ([...(events ?? []), ...current].includes('audit.recorded')) await requireAuditReader(context, caller)
}

/** As its owner sees it; `oldUntil`: until when the one before signs too. */
export async function findSigningSecret(
  { repositories, webhookSecrets, clock }: Pick<Dependencies, 'repositories' | 'webhookSecrets' | 'clock'>,
  { teamId, id }: ChangedWebhook,
): Promise<{ signingSecret: string; oldUntil: Date | null }> {
  const secrets = await repositories.webhooks.secretsOf(teamId, id)
  if (!secrets) throw notFound(WEBHOOKS.noun)
  const secret = webhookSecrets.open(id, secrets.current)
  if (!secret) throw new Error(`The secret of webhook ${id} cannot be opened`)
  const { old } = secrets
  return { signingSecret: shownSecret(secret), oldUntil: old && old.until > clock.now() ? old.until : null }
}

/** Returns the new one. @throws Failure `validation` while an older one still signs: a program that uses it would take nothing any longer. */
export async function rotateSigningSecret(
  { repositories, webhookSecrets, clock }: Pick<Dependencies, 'repositories' | 'webhookSecrets' | 'clock'>,
  { teamId, id }: ChangedWebhook,
): Promise<string> {
  const { shown, sealed } = webhookSecrets.create(id)
  const until = new Date(clock.now().getTime() + OLD_SECRET_HOURS * HOUR_MS)
  const replaced = await repositories.webhooks.replaceSecret(teamId, id, sealed, until)
  if (replaced === null) throw notFound(WEBHOOKS.noun)
  if (replaced === 'replaced') return shown
  throw invalid(
    `The secret of this webhook was rotated less than ${OLD_SECRET_HOURS} hours ago, and the secret before it signs until ${replaced.until.toISOString()}. Rotate it again after that, or create a new webhook.`,
  )
}

async function checkEndpoint({ webhookEndpoints }: Context['gateways'], endpoint: string, teamId: string): Promise<void> {
  const problem = await webhookEndpoints.checkEndpoint(endpoint, teamId)
  if (problem !== null) throw invalid(`The \`endpoint\` field ${problem}.`)
}
