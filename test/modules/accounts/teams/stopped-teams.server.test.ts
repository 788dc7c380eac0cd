import { describe, expect, it } from 'vitest'
import { TABLES_BY_PARENT } from '../../../../src/modules/accounts/teams/team-removal.repository.ts'
import { removeTeams } from '../../../../src/modules/accounts/teams/team-removal.worker.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const KEY = 'the-operator-key-of-these-tests-which-is-long'
const clock = createShiftingClock()
const service = shared(() => startTestService({ clock, environment: { OPERATOR_KEY: KEY, DELIVERY: 'capture' } }))
const worker = shared(() => startTestService({ clock, beside: service, environment: { ROLES: 'worker', DELIVERY: 'capture' } }))

const call = (method: string, path: string, body?: object) => service.call(method, path, { token: KEY, ...(body && { body }) })

async function createTeam(): Promise<{ id: string; token: string }> {
  const { id } = (await call('POST', '/teams', { name: 'Acme' })).body as { id: string }
  return { id, token: await service.createKey(id) }
}

const MAIL = { from: 'a@example.com', to: 'b@example.org', subject: 'Hello', text: 'Hello' }

async function send(token: string): Promise<string> {
  const { status, body } = await service.call('POST', '/emails', { token, body: MAIL })
  expect(status).toBe(200)
  return (body as { id: string }).id
}

async function lastEvent(id: string, token: string): Promise<unknown> {
  return ((await service.call('GET', `/emails/${id}`, { token })).body as { last_event: string }).last_event
}

const isDelivered = (id: string, token: string) => until(async () => expect(await lastEvent(id, token)).toBe('delivered'))

/** An email that is scheduled, so that no worker has it before the team is stopped. */
async function schedule(token: string): Promise<string> {
  const body = { ...MAIL, scheduled_at: new Date(clock.now().getTime() + 3_600_000).toISOString() }
  return ((await service.call('POST', '/emails', { token, body })).body as { id: string }).id
}

describe('mail of a team', () => {
  it.each([
    ['suspended', 'resume', (id: string) => call('POST', `/teams/${id}/suspend`, { reason: 'Unpaid.' })],
    ['deleted', 'restore', (id: string) => call('DELETE', `/teams/${id}`)],
  ])('that is %s stays queued until the team is back: %s', async (_state, back, stop) => {
    expect(worker.service.worker).not.toBeNull()
    const { id, token } = await createTeam()
    const waiting = await schedule(token)
    expect((await stop(id)).status).toBe(200)
    clock.shift(3_600_001)

    // What another team sends after it became due is delivered.
    await isDelivered(await send(service.token), service.token)
    await until(async () =>
      expect(await service.database.execute(`select is_ready from deliveries where team_id = $1 and due_at = 'infinity'`, [id])).toEqual([
        { is_ready: false },
      ]),
    )

    await call('POST', `/teams/${id}/${back}`)
    await isDelivered(waiting, token)
  })
})

describe('a deleted team', () => {
  it('says what is removed, twice the same, and its credentials say on which day', async () => {
    const { id, token } = await createTeam()
    await service.call('POST', '/contacts', { token, body: { email: 'a@example.com' } })
    await schedule(token)
    const deleted = await call('DELETE', `/teams/${id}`)
    const none = { domains: 0, received_emails: 0, suppressions: 0, broadcasts: 0, templates: 0, automations: 0, webhooks: 0 }
    expect(deleted).toMatchObject({
      status: 200,
      body: { object: 'team', id, deleted: true, removes: { ...none, api_keys: 1, emails: 1, recipients_waiting: 1, contacts: 1 } },
    })
    expect((await call('DELETE', `/teams/${id}`)).body).toEqual(deleted.body)
    const { removal_at: removalAt } = deleted.body as { removal_at: string }
    expect(await service.call('GET', '/contacts', { token })).toMatchObject({
      status: 403,
      body: {
        name: 'invalid_access',
        message: `This team was deleted. Its records are removed on ${removalAt.slice(0, 10)}; until then, only the operator of this service can restore it.`,
      },
    })
    await call('POST', `/teams/${id}/restore`)
    expect((await service.call('GET', '/contacts', { token })).status).toBe(200)
  })

  it('has nothing in any table after seven days, even if the first run ended early, and other teams keep what they have', async () => {
    const { context } = worker.service
    const { id, token } = await createTeam()
    const contact = (await service.call('POST', '/contacts', { token, body: { email: 'a@example.com' } })).body as { id: string }
    const segment = (await service.call('POST', '/segments', { token, body: { name: 'All' } })).body as { id: string }
    await service.call('POST', `/contacts/${contact.id}/segments/${segment.id}`, { token })
    await isDelivered(await send(token), token)
    await service.call('POST', '/contacts', { body: { email: 'kept@example.com' } })
    await context.repositories.teamLimits.setAcrossTeams(id, { stored_bytes: 1_000 })
    const attachments = [{ filename: 'a.txt', content: 'YQ==' }]
    expect((await service.call('POST', '/emails', { token, body: { ...MAIL, attachments } })).status).toBe(200)
    await call('DELETE', `/teams/${id}`)

    await removeTeams(context, { signal: new AbortController().signal })
    expect((await call('GET', `/teams/${id}`)).status).toBe(200)

    await service.service.context.repositories.requestLogs.flush()
    clock.shift(7 * 24 * 3_600_000)
    await removeTeams(context, { signal: AbortSignal.abort() })
    expect((await call('POST', `/teams/${id}/restore`)).status).toBe(422)
    await removeTeams(context, { signal: new AbortController().signal })

    expect((await call('GET', `/teams/${id}`)).status).toBe(404)
    for (const { table } of await context.repositories.teamRemovals.tables())
      expect({ table, rows: await service.database.execute(`select from "${table}" where team_id = $1`, [id]) }).toEqual({
        table,
        rows: [],
      })
    expect(await service.database.execute('select from contact_segments where contact_id = $1', [contact.id])).toEqual([])
    expect(((await service.call('GET', '/contacts')).body as { data: object[] }).data).toHaveLength(1)
  })
})

/** Tables of the installation, and what the deletion of their parents removes. */
const OF_NO_TEAM = [
  ...[
    'data_keys',
    'destination_paces',
    'installation_mails',
    'last_backup',
    'oauth_clients',
    'operator_links',
    'operator_sessions',
    'scheduled_jobs',
  ],
  ...[
    'service_processes',
    'storage_owner',
    'sweep_clock',
    'persons',
    'person_identities',
    'passkeys',
    'answered_challenges',
    'confirmation_codes',
    'installation_mails',
    'teams',
    'tracking_hosts',
    'worker_leases',
  ],
]
const REMOVED_WITH_PARENT = ['broadcast_versions', 'domain_records', 'template_versions']

it('knows of every table whether it belongs to a team', async () => {
  const rows = await service.database.execute<{ name: string }>(
    `select c.relname as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace = current_schema()::regnamespace and c.relname not like '\\_%'
      and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'team_id' and not a.attisdropped) order by 1`,
  )
  const known = [...OF_NO_TEAM, ...REMOVED_WITH_PARENT, ...TABLES_BY_PARENT.map(({ table }) => table)]
  expect(rows.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([])
})
