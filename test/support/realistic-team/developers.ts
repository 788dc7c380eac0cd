// Keys, webhooks and a program with access: what the developers of the shop see.
import { at } from './past.ts'
import { act, ago, DAYS, type Team } from './team.ts'

const BY = 'Tomasz Wiśniewski'
/** The client that every installation has. */
const CLIENT_ID = '7136aa0b-625c-4c9c-8820-e9784c8eb141'

export async function nameKeys(team: Team): Promise<void> {
  const { service, ids } = team
  const time = ago(team, { days: DAYS - 1 })
  const keys = await service.database.execute<{ id: string; permission: string }>(
    'select id, permission from api_keys where team_id = $1',
    [service.teamId],
  )
  for (const { id, permission } of keys) {
    const [key, name] = permission === 'full_access' ? ['key shop', 'Shop backend'] : ['key warehouse', 'Warehouse scanners']
    ids[key] = id
    await act(team, ['PATCH', `/api-keys/${id}`], { time, by: BY, body: { name } })
  }
  await act(team, ['POST', '/api-keys'], {
    time: ago(team, { days: 50 }),
    by: BY,
    body: { name: 'Staging (Tomasz)', permission: 'full_access' },
  })
  await act(team, ['POST', '/api-keys'], {
    ...{ time: ago(team, { days: 20 }), by: BY },
    body: { name: 'Invoices from the accounting office in Dresden', permission: 'sending_access', domain_id: ids.domain },
  })
}

const ENDPOINTS = {
  crm: 'https://crm.larkspur.example/hooks/posthaste',
  reports: 'https://hooks.reporting.example/v2/ingest/7f3a2c91/larkspur',
} as const

/** Before the mail, so that it is told of it. */
export async function addWebhooks(team: Team): Promise<void> {
  const add = (body: object) => act(team, ['POST', '/webhooks'], { time: ago(team, { days: 70 }), by: BY, body })
  team.ids['webhook crm'] = await add({
    endpoint: ENDPOINTS.crm,
    events: ['email.bounced', 'email.complained', 'contact.updated', 'contact.deleted'],
  })
  team.ids['webhook failing'] = await add({
    endpoint: ENDPOINTS.reports,
    events: ['email.delivery_delayed', 'email.suppressed', 'email.failed'],
  })
  team.ids['webhook feed'] = await add({ endpoint: null, events: ['domain.updated', 'automation.disabled', 'quota.warning'] })
}

/** Fewer than those after which the service disables it. */
const FAILS_SINCE_DAYS = 4
const BROKEN = '{"error":"upstream connect error or disconnect/reset before headers"}'

/** As its requests have left the webhooks: one endpoint answers, the other one no longer does. */
export async function settleWebhooks(team: Team): Promise<void> {
  const { service, ids, now } = team
  const since = ago(team, { days: FAILS_SINCE_DAYS })
  const failing = 'm.webhook_id = $1 and m.created_at >= $2'
  await service.database.execute(
    `insert into webhook_attempts (webhook_id, message_id, id, team_id, started_at, outcome, http_status, response, duration_ms)
     select m.webhook_id, m.id, uuidv7_at(m.created_at, 3), m.team_id, m.created_at, 'success', 200, 'ok', 40 + abs(hashint8(extract(epoch from m.created_at)::bigint) % 400)
     from webhook_messages m where not (${failing})`,
    [ids['webhook failing'], since],
  )
  await service.database.execute(
    `insert into webhook_attempts (webhook_id, message_id, id, team_id, started_at, outcome, http_status, response, error, duration_ms)
     select m.webhook_id, m.id, uuidv7_at(m.created_at + a.after, a.number), m.team_id, m.created_at + a.after, 'failure', 503, $4, 'The endpoint answered with status 503.', 30000 - a.number * 17
     from webhook_messages m, (values (1, interval '0'), (2, interval '5 seconds'), (3, interval '5 minutes'), (4, interval '35 minutes'), (5, interval '3 hours'), (6, interval '8 hours'), (7, interval '18 hours'), (8, interval '28 hours')) a(number, after)
     where ${failing} and m.created_at + a.after < $3`,
    [ids['webhook failing'], since, now, BROKEN],
  )
  await service.database.execute(
    `insert into webhook_failures (webhook_id, message_id, reason, failed_at)
     select m.webhook_id, m.id, 'The endpoint did not accept it in 8 attempts.', m.created_at + interval '28 hours'
     from webhook_messages m where ${failing} and m.created_at < $3::timestamptz - interval '28 hours'`,
    [ids['webhook failing'], since, now],
  )
  await service.database.execute(
    `delete from webhook_deliveries d where not exists (
       select from webhook_messages m where m.id = d.message_id and m.webhook_id = d.webhook_id and ${failing} and m.created_at >= $3::timestamptz - interval '28 hours')`,
    [ids['webhook failing'], since, now],
  )
  // The next attempt of what is left comes after the pictures.
  await service.database.execute(`update webhook_deliveries set failures = 6, due_at = $1::timestamptz + interval '5 hours'`, [now])
  await service.database.execute(
    `update webhooks w set last_success_at = (select max(started_at) from webhook_attempts a where a.webhook_id = w.id and outcome = 'success'),
       last_failure_at = (select max(started_at) from webhook_attempts a where a.webhook_id = w.id and outcome = 'failure'),
       failing_since = (select min(started_at) from webhook_attempts a where a.webhook_id = w.id and outcome = 'failure')`,
  )
}

export async function allowProgram(team: Team, ownerId: string): Promise<void> {
  const { service } = team
  await at(ago(team, { days: 25 }), async () => {
    await service.service.context.repositories.oauthGrants.create(
      service.teamId,
      { personId: ownerId, clientId: CLIENT_ID, scopes: ['emails:send', 'emails:read'], resource: null },
      100,
    )
  })
}

/** What a program got wrong: the log shows it. */
export async function makeMistakes({ service, now }: Team): Promise<void> {
  const tries: [hours: number, method: string, path: string, body?: object][] = [
    [30, 'POST', '/emails', { from: 'shop@gmail.com', to: 'freya@outlook.com', subject: 'Hello', text: 'Hello' }],
    [26, 'POST', '/emails', { from: 'orders@larkspur.example', to: 'not an address', subject: 'Hello', text: 'Hello' }],
    [9, 'GET', '/emails/0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10'],
    [8, 'POST', '/contacts', { email: 'ada' }],
    [2, 'GET', '/domains'],
    [1, 'GET', '/contacts?limit=100'],
  ]
  for (const [hours, method, path, body] of tries)
    await at(new Date(now.getTime() - hours * 3_600_000), () =>
      service.call(method, path, { ...(body && { body }), headers: { 'user-agent': 'resend-python:2.10.0' } }),
    )
  await service.service.context.repositories.requestLogs.flush()
}
