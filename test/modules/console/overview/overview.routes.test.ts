// A team at a glance: its numbers for everyone, and of its records what the role may read.
import { beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../../src/lib/clock.ts'
import { createId } from '../../../../src/lib/ids.ts'
import type { MemberRole } from '../../../../src/lib/member-roles.ts'
import { send } from '../../../support/builders/emails.ts'
import { signInAs } from '../../../support/clients/console.ts'
import { OWN_PAGE } from '../../../support/clients/people.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
const cookies = new Map<MemberRole, string>()
beforeAll(async () => {
  for (const role of ['owner', 'marketer', 'viewer'] as const)
    cookies.set(role, await signInAs(service.service.context, service.teamId, role))
})

type Item = { kind: string; name: string | null; reason: string; severity: string; id: string | null; since: string | null }
type Overview = {
  today: object
  last_7_days: object
  previous_7_days: object
  days: { date: string; received: number }[]
  queue: { ready: number; destinations: { destination: string }[] }
  limits: object[]
  attention: Item[]
  attention_more: string[]
  first_steps: Record<string, unknown> | null
}

async function overview(role: MemberRole = 'owner'): Promise<Overview> {
  const headers = { cookie: cookies.get(role) ?? '', ...OWN_PAGE }
  const { status, body } = await service.call('GET', '/overview', { token: null, headers })
  expect(status).toBe(200)
  return body as Overview
}

const count = (daysAgo: number, counts: string) =>
  service.database.execute(
    `insert into email_counts (team_id, bucket, domain, broadcast_id, ${counts}) values ($1, date_bin('15 minutes', $2::timestamptz, '2000-01-01Z'), 'example.com', '00000000-0000-0000-0000-000000000000', 10, 8)
     on conflict (team_id, bucket, domain, broadcast_id) do update set delivered = excluded.delivered`,
    [service.teamId, new Date(service.service.context.clock.now().getTime() - daysAgo * DAY_MS)],
  )

describe('the overview', () => {
  it('counts today, the last seven days and the seven before', async () => {
    for (const daysAgo of [0, 6, 7, 13, 14]) await count(daysAgo, 'received, delivered')
    const { today, last_7_days: week, previous_7_days: before, days } = await overview('viewer')
    expect(today).toEqual({ received: 10, delivered: 8, bounced: 0, complained: 0 })
    expect(week).toEqual({ received: 20, delivered: 16, bounced: 0, complained: 0 })
    expect(before).toEqual({ received: 20, delivered: 16, bounced: 0, complained: 0 })
    expect(days.map(({ received }) => received)).toEqual([10, 0, 0, 0, 0, 0, 10])
    expect(days.at(-1)?.date).toBe(service.service.context.clock.now().toISOString().slice(0, 10))
  })

  it('names what needs attention, and how many kinds have more', async () => {
    const { execute } = service.database
    for (let number = 1; number <= 6; number += 1)
      await execute(
        `insert into webhooks (id, team_id, endpoint, events, status, concurrency, is_ordered, secret, secret_version, disabled_reason, created_at)
         values ($1, $2, 'https://hooks.example/' || $3, '{contact.created}', 'disabled', 1, false, '', 1, 'It failed for days.', now())`,
        [createId(), service.teamId, String(number)],
      )
    const id = createId()
    await execute(
      `insert into broadcasts (id, team_id, status, status_reason, name, segment_id, "from", subject, created_at) values ($1, $2, 'paused', 'Its domain failed.', 'News', $2, 'a@example.com', 'x', now())`,
      [id, service.teamId],
    )
    const { attention, attention_more: more } = await overview()
    expect(attention.filter(({ kind }) => kind === 'webhook')).toHaveLength(5)
    expect(more).toEqual(['webhook'])
    expect(attention.find(({ kind }) => kind === 'broadcast')).toEqual({
      ...{ kind: 'broadcast', severity: 'warning', id, name: 'News', reason: 'Its domain failed.', since: null },
    })
  })

  it('keeps a domain in sight that is looked for again, and leaves out one that was never looked for', async () => {
    const { execute } = service.database
    for (const [name, checkedAt] of [
      ['old.example', '2026-11-20T09:00:00Z'],
      ['new.example', null],
    ])
      await execute(
        `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, status, created_at, asked_at, checked_at)
         values ($1, $2, $3, $3, 'us-east-1', 'opportunistic', 'send', false, false, true, false, 'pending', now(), now(), $4)`,
        [createId(), service.teamId, name, checkedAt],
      )
    const { attention } = await overview()
    expect(attention.filter(({ kind }) => kind === 'domain')).toMatchObject([{ name: 'old.example', severity: 'warning' }])
    await execute('delete from domains where team_id = $1', [service.teamId])
  })

  it('tells a team how much of its limit is used once it is much', async () => {
    await service.service.context.repositories.teamLimits.setAcrossTeams(service.teamId, { emails_per_day: 2 })
    await send(service, { to: 'a@limited.example' })
    const before = await overview('viewer')
    expect(before).toMatchObject({ limits: [{ period: 'day', limit: 2, used: 1, left: 1 }], attention: [] })
    await send(service, { to: 'b@limited.example' })
    expect((await overview('viewer')).attention).toMatchObject([{ kind: 'limit', severity: 'failure', name: 'day', id: null }])
    await service.service.context.repositories.teamLimits.setAcrossTeams(service.teamId, { emails_per_day: null })
  })

  it('shows records, destinations and first steps only to who may read them', async () => {
    await send(service, { to: 'someone@destination.example' })
    const [owner, marketer, viewer] = [await overview('owner'), await overview('marketer'), await overview('viewer')]
    expect(owner.queue).toMatchObject({
      ready: expect.any(Number),
      destinations: expect.arrayContaining([expect.objectContaining({ destination: 'destination.example' })]),
    })
    expect(owner.first_steps).toMatchObject({ has_email: true, has_domain: false, is_complete: false, first_email: { subject: 'Hello' } })
    expect([...new Set(marketer.attention.map(({ kind }) => kind))]).toEqual(['broadcast'])
    expect(marketer.first_steps).toBeNull()
    expect(viewer).toMatchObject({ attention: [], attention_more: [], first_steps: null, queue: { destinations: [] } })
    expect(viewer.queue.ready).toBe(owner.queue.ready)
  })

  it('is for the people of the team', async () => {
    expect((await service.call('GET', '/overview')).status).toBe(403)
    expect((await service.call('GET', '/overview', { token: null })).status).toBe(401)
  })
})
