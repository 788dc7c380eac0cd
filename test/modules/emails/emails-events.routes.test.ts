import { describe, expect, it } from 'vitest'
import { invalid, outcome, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { emailInput, send } from '../../support/builders/emails.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const clock = createMovingClock()

const service = shared(() => startTestService({ clock, environment: { ROLES: 'api,worker' } }))

const MINUTE_MS = 60_000

type Event = { id: string; type: string; to: string[]; detail: unknown; created_at: string }
type EventList = { object: string; has_more: boolean; data: Event[] }

/** The timeline once the email shows `lastEvent`. */
async function timeline(id: string, lastEvent: string): Promise<EventList> {
  await until(async () => {
    const { body } = await service.call('GET', `/emails/${id}`)
    expect(body).toMatchObject({ last_event: lastEvent })
  })
  return (await service.call('GET', `/emails/${id}/events`)).body as EventList
}

const EXPLAINED = ['email.bounced', 'email.suppressed', 'email.complained', 'email.delivery_delayed']
const event = (type: string, to: string[], detail: unknown = null) => {
  const sentence = EXPLAINED.includes(type) ? expect.stringMatching(/[.]$/) : null
  return { id: UUID, type, to, detail, explanation: sentence, advice: sentence, created_at: TIMESTAMP }
}
const list = (...data: unknown[]) => ({ object: 'list', has_more: false, data })

describe('GET /emails/:id/events', () => {
  it('shows a delivery', async () => {
    const to = 'delivered+invoice@simulator.test'
    const id = await send(service, { to })
    expect(await timeline(id, 'delivered')).toEqual(list(event('email.delivered', [to]), event('email.sent', [to])))
  })

  it('shows a bounce with its reason', async () => {
    const to = 'bounced@simulator.test'
    const id = await send(service, { to })
    const bounce = {
      type: 'Permanent',
      subType: 'General',
      message: 'User unknown. (Simulated.)',
      diagnosticCode: ['smtp; 550 5.1.1 User unknown. (Simulated.)'],
    }
    expect(await timeline(id, 'bounced')).toEqual(list(event('email.bounced', [to], { bounce }), event('email.sent', [to])))
  })

  it('shows a complaint after its delivery', async () => {
    const to = 'complained@resend.dev'
    const id = await send(service, { to })
    expect(await timeline(id, 'complained')).toEqual(
      list(event('email.complained', [to], { complaint: { type: 'abuse' } }), event('email.delivered', [to]), event('email.sent', [to])),
    )
  })

  it('shows that a suppressed address was never tried', async () => {
    const to = 'suppressed@simulator.test'
    const id = await send(service, { to })
    const suppressed = {
      message: 'The address is on the suppression list: an earlier email to it bounced. (Simulated.)',
      type: 'OnAccountSuppressionList',
      reason: 'previous_bounce',
      diagnosticCode: [],
    }
    expect(await timeline(id, 'suppressed')).toEqual(list(event('email.suppressed', [to], { suppressed })))
    expect(await service.database.execute('select id from attempts where email_id = $1', [id])).toEqual([])
  })

  it('shows each recipient for itself, and the email as far as the one who got furthest', async () => {
    const id = await send(service, { to: ['bounced@simulator.test', 'delivered@simulator.test'], bcc: 'suppressed@simulator.test' })
    await until(async () => {
      const { body } = await service.call('GET', `/emails/${id}/events`)
      expect((body as EventList).data).toHaveLength(5)
    })
    const { data } = await timeline(id, 'delivered')
    const seen = data.map(({ type, to }) => `${type} ${to.join()}`).sort()
    expect(seen).toEqual([
      'email.bounced bounced@simulator.test',
      'email.delivered delivered@simulator.test',
      'email.sent bounced@simulator.test',
      'email.sent delivered@simulator.test',
      'email.suppressed suppressed@simulator.test',
    ])
  })

  it('shows when an email was scheduled, rescheduled and canceled', async () => {
    const to = ['a@example.com', 'delivered@simulator.test']
    const first = new Date(clock.now().getTime() + 30 * MINUTE_MS).toISOString()
    const second = new Date(clock.now().getTime() + 40 * MINUTE_MS).toISOString()
    const id = await send(service, { to, scheduled_at: first })
    await service.call('PATCH', `/emails/${id}`, { body: { scheduled_at: second } })
    await service.call('POST', `/emails/${id}/cancel`)
    expect(await timeline(id, 'canceled')).toEqual(
      list(
        event('email.canceled', to),
        event('email.scheduled', to, { scheduled_at: second }),
        event('email.scheduled', to, { scheduled_at: first }),
      ),
    )
  })

  it('shows a scheduled email sent at its time, after which it can be neither canceled nor rescheduled', async () => {
    const to = 'delivered@simulator.test'
    const id = await send(service, { scheduled_at: 'in 10 minutes' })
    expect(await timeline(id, 'scheduled')).toMatchObject({ data: [{ type: 'email.scheduled' }] })

    clock.advance(10 * MINUTE_MS)

    const events = await timeline(id, 'delivered')
    expect(events.data.map(({ type }) => type).sort()).toEqual(['email.delivered', 'email.scheduled', 'email.sent'])
    expect(events.data.every((one) => one.to.join() === to)).toBe(true)
    expect(outcome(await service.call('POST', `/emails/${id}/cancel`))).toEqual(
      invalid('This email cannot be canceled: it is not scheduled, or its scheduled time has come.'),
    )
    expect(outcome(await service.call('PATCH', `/emails/${id}`, { body: { scheduled_at: 'in 1 hour' } }))).toEqual(
      invalid('This email cannot be rescheduled: it is not scheduled, or its scheduled time has come.'),
    )
    expect(await timeline(id, 'delivered')).toEqual(events)
  })

  it('fails an email whose key was deleted before its time, and says so', async () => {
    const { body } = await service.call('POST', '/api-keys', { body: { name: 'short' } })
    const key = body as { id: string; token: string }
    const id = await send(service, { scheduled_at: 'in 10 minutes' }, { token: key.token })
    await service.call('DELETE', `/api-keys/${key.id}`)
    clock.advance(10 * MINUTE_MS)
    const { data } = await timeline(id, 'failed')
    expect(data).toContainEqual(
      event('email.failed', ['delivered@simulator.test'], {
        failed: { reason: 'The API key that scheduled the email was deleted before the scheduled time.' },
      }),
    )
  })

  it('pages in both directions', async () => {
    const id = await send(service, { to: 'complained@simulator.test' })
    const { data: all } = await timeline(id, 'complained')
    const page = async (query: string) => (await service.call('GET', `/emails/${id}/events?${query}`)).body
    expect(await page('limit=2')).toEqual({ object: 'list', has_more: true, data: all.slice(0, 2) })
    expect(await page(`limit=2&after=${all[1]?.id}`)).toEqual({ object: 'list', has_more: false, data: all.slice(2) })
    expect(await page(`limit=1&before=${all[2]?.id}`)).toEqual({ object: 'list', has_more: true, data: all.slice(1, 2) })
  })

  it('is empty for an email that nothing happened to yet', async () => {
    const idle = await startTestService()
    const { body } = await idle.call('POST', '/emails', { body: emailInput() })
    const answer = await idle.call('GET', `/emails/${(body as { id: string }).id}/events`)
    await idle.close()
    expect(outcome(answer)).toEqual({ status: 200, body: list() })
  })
})
