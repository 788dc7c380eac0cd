import { Resend } from 'resend'
import { expect, it } from 'vitest'
import { createAutomation } from '../../support/builders/automations.ts'
import { happen } from '../../support/builders/emails.ts'
import { sendEmail } from '../../support/builders/engine.ts'
import { storeReceived } from '../../support/builders/received-emails.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

/** The middle of a month that begins on the first of the others of its days. */
const present = new Date()
const [year, month] = [present.getUTCFullYear(), present.getUTCMonth()]
const dayOf = (date: number, hour = 0) => new Date(Date.UTC(year, month, date, hour))

const clock = createMovingClock(dayOf(15, 12))

const service = shared(() => startTestService({ clock, environment: { RATE_LIMIT_PER_SECOND: '50' } }))

it('counts what was sent and received today and this month, and what the team has', async () => {
  await service.call('POST', '/domains', { body: { name: 'usage.example.com' } })
  await service.call('POST', '/contacts', { body: { email: 'ada@example.com' } })
  const id = await sendEmail(service)
  const sent = (at: Date) => ({ type: 'email.sent' as const, at })
  await happen(service, id, [sent(dayOf(0, 23)), sent(dayOf(1)), sent(dayOf(14, 23)), sent(dayOf(15)), sent(dayOf(15, 12))])

  for (const createdAt of [dayOf(0, 23), dayOf(1), dayOf(14, 23), dayOf(15), dayOf(15, 12)]) await storeReceived(service, { createdAt })
  await service.database.execute('delete from received_emails')

  const automation = await createAutomation(service)
  for (const at of [dayOf(0, 23), dayOf(1), dayOf(14, 23)])
    await service.database.execute(
      `insert into automation_runs (id, team_id, automation_id, version_id, contact_id, event_id, event_name, payload, status, state, started_at, created_at)
       select uuidv7_at($2, 0), team_id, id, version_id, gen_random_uuid(), gen_random_uuid(), trigger_event, '{}', 'completed', '{}', $2, $2
       from automations where id = $1`,
      [automation, at],
    )

  const { data, error } = await new Resend(service.token, { baseUrl: service.url }).usage.get()
  expect(error).toBeNull()
  const nextMonth = new Date(Date.UTC(year, month + 1)).toISOString()
  expect(data).toEqual({
    object: 'usage',
    emails: {
      daily: { used: 4, limit: null, sent: 2, received: 2, resets_at: dayOf(16).toISOString() },
      monthly: { used: 8, limit: null, sent: 4, received: 4, resets_at: nextMonth },
    },
    contacts: { used: 1, limit: null },
    segments: { used: 0, limit: null },
    broadcasts: { used: 0, limit: null },
    ai_credits: { used: 0, limit: null, next_increase_at: null },
    automation_runs: { used: 2, limit: null, resets_at: nextMonth },
    domains: { used: 1, limit: null },
    webhooks: { used: 0, limit: null },
    stored_bytes: { used: null, limit: null },
    broadcast_recipients: { limit: null },
    reputation: {
      ...{ status: 'good', since: null, reason: null, throttled_until: null },
      day: { sent: 0, bounce_rate: 0, complaint_rate: 0, unknown_user_rate: 0, spam_traps: 0 },
      week: { sent: 0, bounce_rate: 0, complaint_rate: 0, unknown_user_rate: 0, spam_traps: 0 },
    },
    rate_limit: { limit: 50, duration: '1s' },
  })
})

it('counts contacts and runs of automations once a minute, and everything else at once', async () => {
  const token = await service.createKey((await service.service.context.repositories.teams.create('Team that grows')).id)
  const used = async () => {
    const { contacts, segments } = (await service.call('GET', '/usage', { token })).body as Record<
      'contacts' | 'segments',
      { used: number }
    >
    return { contacts: contacts.used, segments: segments.used }
  }
  expect(await used()).toEqual({ contacts: 0, segments: 0 })
  await service.call('POST', '/contacts', { body: { email: 'ada@example.com' }, token })
  await service.call('POST', '/segments', { body: { name: 'Readers' }, token })
  clock.advance(59_000)
  expect(await used()).toEqual({ contacts: 0, segments: 1 })
  clock.advance(1_000)
  expect(await used()).toEqual({ contacts: 1, segments: 1 })
})

it('shows the limits of the team, and what counts for them', async () => {
  const { repositories } = service.service.context
  const { id } = await repositories.teams.create('Team with limits')
  await repositories.teamLimits.setAcrossTeams(id, { emails_per_day: 10, contacts: 20, domains: 3, webhooks: 4, broadcast_recipients: 5 })
  const token = await service.createKey(id)
  const email = { from: 'a@example.com', to: ['b@example.org', 'c@example.org', 'delivered@simulator.test'], subject: 's', text: 't' }
  await service.call('POST', '/emails', { token, body: email })
  expect((await service.call('GET', '/usage', { token })).body).toMatchObject({
    emails: { daily: { used: 2, limit: 10, sent: 0 }, monthly: { used: 0, limit: null } },
    contacts: { used: 0, limit: 20 },
    domains: { used: 0, limit: 3 },
    webhooks: { used: 0, limit: 4 },
    broadcast_recipients: { limit: 5 },
  })
})
