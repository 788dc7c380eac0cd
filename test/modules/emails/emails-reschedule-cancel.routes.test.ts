import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { emailRecord, invalid, outcome } from '../../support/builders/answers.ts'
import { countStored, send } from '../../support/builders/emails.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let resend: Resend
const clock = createMovingClock(new Date('2026-11-20T08:00:00.000Z'))

const service = shared(() => startTestService({ clock }))
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

const CANNOT_CANCEL = invalid('This email cannot be canceled: it is not scheduled, or its scheduled time has come.')
const CANNOT_RESCHEDULE = invalid('This email cannot be rescheduled: it is not scheduled, or its scheduled time has come.')

const scheduled = (id: string, at: string) =>
  emailRecord(id, { created_at: '2026-11-20 08:00:00.000000+00', last_event: 'scheduled', scheduled_at: at })

const duesOf = (id: string) =>
  service.database.execute('select due_at as "dueAt", is_ready as "isReady" from deliveries where email_id = $1', [id])

async function read(id: string): Promise<unknown> {
  return (await service.call('GET', `/emails/${id}`)).body
}

describe('scheduled_at', () => {
  it.each([
    ['2026-11-21T09:30:15.123Z', '2026-11-21 09:30:15.123000+00'],
    ['2026-11-21T09:30:00+02:00', '2026-11-21 07:30:00.000000+00'],
    ['2026-11-21T09:30:00', '2026-11-21 09:30:00.000000+00'],
    ['2026-11-21 09:30', '2026-11-21 09:30:00.000000+00'],
    ['in 1 min', '2026-11-20 08:01:00.000000+00'],
    ['in 2 hours', '2026-11-20 10:00:00.000000+00'],
    ['tomorrow at 9am', '2026-11-21 09:00:00.000000+00'],
    ['tomorrow at 9am ET', '2026-11-21 14:00:00.000000+00'],
    ['Friday at 3pm ET', '2026-11-20 20:00:00.000000+00'],
    ['in 30 days', '2026-12-20 08:00:00.000000+00'],
    ['now', '2026-11-20 08:00:00.000000+00'],
    ['2026-11-20T07:59:56Z', '2026-11-20 08:00:00.000000+00'],
  ])('takes %s for %s', async (given, shown) => {
    const { data, error } = await resend.emails.send({
      from: 'Acme <hello@example.com>',
      to: 'delivered@simulator.test',
      subject: 'Your receipt',
      text: 'Thank you.',
      scheduledAt: given,
    })
    expect(error).toBeNull()
    expect(await read(data?.id ?? '')).toEqual(scheduled(data?.id ?? '', shown))
  })

  it('is the time at which its deliveries are due', async () => {
    const id = await send(service, { scheduled_at: '2026-11-21T09:00:00Z', to: ['a@example.com', 'b@example.com'] })
    const due = { dueAt: new Date('2026-11-21T09:00:00Z'), isReady: false }
    expect(await duesOf(id)).toEqual([due, due])
  })
})

describe('PATCH /emails/:id', () => {
  it('moves a scheduled email and its deliveries to another time', async () => {
    const id = await send(service, { scheduled_at: 'in 1 hour' })
    const { data, error } = await resend.emails.update({ id, scheduledAt: '2026-11-22T10:00:00Z' })
    expect({ data, error }).toEqual({ data: { object: 'email', id }, error: null })
    expect(await read(id)).toEqual(scheduled(id, '2026-11-22 10:00:00.000000+00'))
    expect(await duesOf(id)).toEqual([{ dueAt: new Date('2026-11-22T10:00:00Z'), isReady: false }])
  })

  it('takes a delivery out of its lane that was due a moment ago', async () => {
    const id = await send(service, { scheduled_at: 'in 1 hour' })
    await service.database.execute('update deliveries set is_ready = true where email_id = $1', [id])
    expect((await service.call('PATCH', `/emails/${id}`, { body: { scheduled_at: '2026-11-22T10:00:00Z' } })).status).toBe(200)
    expect(await duesOf(id)).toEqual([{ dueAt: new Date('2026-11-22T10:00:00Z'), isReady: false }])
  })

  it('takes English and an earlier time', async () => {
    const id = await send(service, { scheduled_at: 'in 10 days' })
    const answer = await service.call('PATCH', `/emails/${id}`, { body: { scheduled_at: 'in 5 minutes' } })
    expect(answer.status).toBe(200)
    expect(await read(id)).toEqual(scheduled(id, '2026-11-20 08:05:00.000000+00'))
  })

  it.each<[unknown, string]>([
    [{}, 'Missing `scheduled_at` field.'],
    ['', 'Missing `scheduled_at` field.'],
    [[], 'The request body must be an object.'],
    [{ scheduled_at: null }, 'Missing `scheduled_at` field.'],
    [{ scheduled_at: 1_795_000_000 }, 'The `scheduled_at` field must be a string.'],
    [
      { scheduled_at: '2026-11-20T07:59:54Z' },
      'The `scheduled_at` field is in the past (2026-11-20T07:59:54.000Z): give a time in the future.',
    ],
    [{ scheduled_at: '2026-12-20T08:00:01Z' }, 'The `scheduled_at` field may be at most 30 days ahead.'],
    [{ scheduled_at: 'a\0' }, 'The `scheduled_at` field holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.'],
  ])('refuses %j and leaves the email as it is', async (body, message) => {
    const id = await send(service, { scheduled_at: 'in 1 hour' })
    const before = await countStored(service)
    expect(outcome(await service.call('PATCH', `/emails/${id}`, { body }))).toEqual(invalid(message))
    expect(await read(id)).toEqual(scheduled(id, '2026-11-20 09:00:00.000000+00'))
    expect(await countStored(service)).toEqual(before)
  })

  it('refuses an email that was not scheduled, and leaves it as it is', async () => {
    const id = await send(service)
    const before = [await read(id), await duesOf(id), await countStored(service)]
    const answer = await service.call('PATCH', `/emails/${id}`, { body: { scheduled_at: 'in 1 hour' } })
    expect(outcome(answer)).toEqual(CANNOT_RESCHEDULE)
    expect([await read(id), await duesOf(id), await countStored(service)]).toEqual(before)
  })

  it('refuses an email that was canceled', async () => {
    const id = await send(service, { scheduled_at: 'in 1 hour' })
    await resend.emails.cancel(id)
    const answer = await service.call('PATCH', `/emails/${id}`, { body: { scheduled_at: 'in 2 hours' } })
    expect(outcome(answer)).toEqual(CANNOT_RESCHEDULE)
    expect(await read(id)).toEqual({ ...scheduled(id, '2026-11-20 09:00:00.000000+00'), last_event: 'canceled' })
  })
})

describe('POST /emails/:id/cancel', () => {
  it('cancels a scheduled email, and leaves no work', async () => {
    const id = await send(service, { scheduled_at: 'in 1 hour', to: ['a@example.com', 'b@example.com'] })
    const { data, error } = await resend.emails.cancel(id)
    expect({ data, error }).toEqual({ data: { object: 'email', id }, error: null })
    expect(await read(id)).toEqual({
      ...scheduled(id, '2026-11-20 09:00:00.000000+00'),
      to: ['a@example.com', 'b@example.com'],
      last_event: 'canceled',
    })
    expect(await duesOf(id)).toEqual([])
  })

  it('cancels an email whose files are still to be fetched', async () => {
    const id = await send(service, { scheduled_at: 'in 1 hour', attachments: [{ path: 'https://example.com/report.pdf' }] })
    expect(outcome(await service.call('POST', `/emails/${id}/cancel`))).toEqual({ status: 200, body: { object: 'email', id } })
    expect(await read(id)).toMatchObject({ last_event: 'canceled' })
  })

  it('refuses an email that is canceled already', async () => {
    const id = await send(service, { scheduled_at: 'in 1 hour' })
    await resend.emails.cancel(id)
    const before = await countStored(service)
    expect(outcome(await service.call('POST', `/emails/${id}/cancel`))).toEqual(CANNOT_CANCEL)
    expect(await countStored(service)).toEqual(before)
  })

  it('refuses an email that was not scheduled', async () => {
    const id = await send(service)
    expect(outcome(await service.call('POST', `/emails/${id}/cancel`))).toEqual(CANNOT_CANCEL)
    expect(await duesOf(id)).toHaveLength(1)
  })

  it('cancels once, however many ask at the same time', async () => {
    const id = await send(service, { scheduled_at: 'in 1 hour' })
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.call('POST', `/emails/${id}/cancel`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 422)])
    const { body } = await service.call('GET', `/emails/${id}/events`)
    expect(body).toMatchObject({ data: [{ type: 'email.canceled' }, { type: 'email.scheduled' }] })
  })

  it('either cancels or reschedules when both are asked for at the same time, and is canceled in the end', async () => {
    const id = await send(service, { scheduled_at: 'in 1 hour' })
    const [canceled, ...moved] = await Promise.all([
      service.call('POST', `/emails/${id}/cancel`),
      ...Array.from({ length: 10 }, () => service.call('PATCH', `/emails/${id}`, { body: { scheduled_at: 'in 2 hours' } })),
    ])
    expect(canceled.status).toBe(200)
    expect(moved.every(({ status }) => status === 200 || status === 422)).toBe(true)
    expect(await read(id)).toMatchObject({ last_event: 'canceled' })
    expect(await duesOf(id)).toEqual([])
  })
})
