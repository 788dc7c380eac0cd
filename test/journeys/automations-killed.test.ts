import { afterEach, beforeEach, expect, it } from 'vitest'
import { until } from '../support/clocks/until.ts'
import { type AutomationPlace, createAutomationPlace, mail, WITHIN_MS } from '../support/processes/places.ts'

const RUNS = 1_000
const EVENTS_AT_ONCE = 100
/** Each kill finds runs in the middle. */
const AT_ONCE = { interval: 20 }

let place: AutomationPlace
beforeEach(async () => {
  place = await createAutomationPlace()
})
afterEach(() => place.close())

async function sendToAll(event: string): Promise<void> {
  for (let first = 0; first < RUNS; first += EVENTS_AT_ONCE) {
    const events = Array.from({ length: EVENTS_AT_ONCE }, (_, index) => ({ event, email: `p${first + index}@example.org` }))
    await place.call('POST', '/events/send/batch', events, { 'idempotency-key': `${event} ${first}` })
  }
}

it(`${RUNS} runs of six steps, whose service is killed five times, each end once and do each act once`, async () => {
  const segment = await place.call('POST', '/segments', { name: 'Welcomed' })
  const [first, last] = [await place.publishedTemplate('First'), await place.publishedTemplate('Last')]
  await place.enable([
    mail('first', first),
    { key: 'pause', type: 'delay', config: { duration: '1 second' } },
    { key: 'join', type: 'add_to_segment', config: { segment_id: segment.id } },
    { key: 'paid', type: 'wait_for_event', config: { event_name: 'paid', timeout: '1 day' } },
    mail('last', last),
  ])
  await sendToAll('signed.up')
  await place.reach('automation_runs', 1, AT_ONCE)
  await place.killAndStart()
  await place.reach('emails', RUNS / 4, AT_ONCE)
  await place.killAndStart()
  await place.reach('contact_segments', RUNS / 4, AT_ONCE)
  await place.killAndStart()
  await place.reach('automation_waits', RUNS)
  await sendToAll('paid')
  await place.reach(`emails where subject = 'Last'`, 1, AT_ONCE)
  await place.killAndStart()
  await place.reach(`emails where subject = 'Last'`, RUNS / 2, AT_ONCE)
  await place.killAndStart()

  await until(async () => expect(await place.count(`automation_runs where status <> 'running'`)).toBe(RUNS), {
    timeout: WITHIN_MS,
    interval: 250,
  })
  const [runs] = await place.query(
    `select count(*)::int as runs, count(distinct contact_id)::int as contacts, count(*) filter (where status = 'completed')::int as completed from automation_runs`,
  )
  expect(runs).toEqual({ runs: RUNS, contacts: RUNS, completed: RUNS })
  const emails = await place.query(
    'select subject, count(*)::int as emails, count(distinct "to")::int as people from emails group by subject order by subject',
  )
  expect(emails).toEqual([
    { subject: 'First', emails: RUNS, people: RUNS },
    { subject: 'Last', emails: RUNS, people: RUNS },
  ])
  expect(await place.count('contact_segments')).toBe(RUNS)
  // A change is told once.
  expect(await place.count(`notifications where type = 'contact.updated'`)).toBe(RUNS)
  const left = ['automation_occurrences', 'automation_facts', 'automation_waits', 'automation_emails']
  expect(await Promise.all(left.map(place.count))).toEqual([0, 0, 0, 0])
})
