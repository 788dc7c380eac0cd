import { afterEach, beforeEach, expect, it } from 'vitest'
import { until } from '../support/clocks/until.ts'
import { type AutomationPlace, createAutomationPlace, mail, WITHIN_MS } from '../support/processes/places.ts'

let place: AutomationPlace
beforeEach(async () => {
  place = await createAutomationPlace()
})
afterEach(() => place.close())

it('a run goes from an event to a mail in the sink after a delay, although its service is killed at and within every step', async () => {
  const template = await place.publishedTemplate('Hello')
  await place.enable([
    { key: 'pause', type: 'delay', config: { duration: '1 hour' } },
    { key: 'change', type: 'contact_update', config: { first_name: { var: 'event.name' } } },
    { key: 'paid', type: 'wait_for_event', config: { event_name: 'paid', timeout: '1 hour' } },
    mail('mail', template),
  ])
  await place.killWithin(() =>
    place.call('POST', '/events/send', { event: 'signed.up', email: 'ada@example.org', payload: { name: 'Ada' } }),
  )
  const at = (key: string) => place.reach(`automation_runs where state ->> 'at' = '${key}' and leased_by is null`, 1)
  await at('pause')
  await place.killAndStart()
  // An hour passes.
  const passHour = () =>
    place.query(
      `update automation_runs set wake_at = now(), state = jsonb_set(state, '{steps,pause,until}', to_jsonb(to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))`,
    )
  await place.killWithin(passHour)
  await at('paid')
  await place.killAndStart()
  await place.killWithin(() => place.call('POST', '/events/send', { event: 'paid', email: 'ada@example.org' }))
  await place.reach(`automation_runs where status = 'completed'`, 1)
  await place.killAndStart()
  await until(() => expect(place.sink.messages.length).toBeGreaterThanOrEqual(1), { timeout: WITHIN_MS, interval: 20 })

  expect(await place.count('emails')).toBe(1)
  expect(place.sink.messages[0]?.to).toEqual(['ada@example.org'])
  expect(await place.call('GET', '/contacts/ada@example.org')).toMatchObject({ first_name: 'Ada' })
  const [run] = await place.query<{ steps: Record<string, { status: string }> }>(`select state -> 'steps' as steps from automation_runs`)
  expect(Object.fromEntries(Object.entries(run?.steps ?? {}).map(([key, { status }]) => [key, status]))).toEqual({
    start: 'completed',
    pause: 'completed',
    change: 'completed',
    paid: 'completed',
    mail: 'completed',
  })
})
