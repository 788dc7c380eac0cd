// Automations: how fast events are taken, what a million waiting runs cost, how soon an event wakes one of them, and how many runs go on at a time.
import { join } from 'node:path'
import pg from 'pg'
import type { Connection, Step } from '../src/lib/automations/graph.ts'
import { superuserUrl } from '../test/support/servers/embedded-superuser.ts'
import { email } from './email.ts'
import { generateLoad, type Load } from './load.ts'
import {
  countRows,
  createDatabase,
  dropDatabase,
  environmentOf,
  memoryRow,
  type Place,
  query,
  type Service,
  startService,
  TOKEN,
} from './place.ts'
import { pause, until } from './processes.ts'
import { sendSteadily } from './steady-load.ts'
import { atLeast, atMost, mean, percentile, perSecond, type Row } from './table.ts'

const SIZES = {
  quick: { waiting: 20_000, due: 1_000, woken: 10, rounds: 1, loadSeconds: 2, runSeconds: 3 },
  full: { waiting: 1_000_000, due: 10_000, woken: 100, rounds: 4, loadSeconds: 8, runSeconds: 20 },
}
const CONNECTIONS = 50
const EVENTS_PER_SECOND_MIN = 3_000
const RATIO_MIN = 0.98
const DUE_SECONDS_MAX = 5
const WOKEN_MS_MAX = 20
/** Events before those that count, after which every connection knows its statements. */
const WOKEN_BEFORE = 5
/** Beside what is measured, about half of what two cores deliver. */
const EMAILS_PER_SECOND = 300
const RUNS_PER_SECOND = 300
/** One of the steps is a delay of a second. */
const RUN_SECONDS_MORE_MAX = 5
const LIMIT_MS = 300_000
const ROWS_AT_ONCE = 100_000

export async function measureAutomations(place: Place): Promise<Row[]> {
  const size = place.isQuick ? SIZES.quick : SIZES.full
  const [empty, full] = [await startSide(place, 'bench_automations_none'), await startSide(place, 'bench_automations')]
  const { service, databaseUrl, call, mail } = full

  await service.rest()
  const events = await loadOf(full, size.loadSeconds, '/events/send', UNHEARD)
  await untilTold(databaseUrl)
  await addRuns(databaseUrl, { automationId: full.sleeping, count: size.waiting, key: 'pause', eventName: null })
  await addRuns(databaseUrl, { automationId: full.waiting, count: size.waiting, key: 'heard', eventName: 'heard' })
  const [before, beside] = await sendInTurns(place, { sides: [empty, full], ...size })
  const dueSeconds = await workOff(databaseUrl, full.sleeping, size.due)
  await settle(place, [databaseUrl])
  const wokenMs = await wakeSome(service, databaseUrl, { call, waiting: full.waiting, count: size.woken })
  const runs = await runMany(databaseUrl, { call, mail, seconds: size.runSeconds })
  const memory = service.memory.peakAboveRest()
  for (const side of [empty, full]) await side.service.stop()
  for (const name of ['bench_automations_none', 'bench_automations']) await dropDatabase(place, name)

  const ratio = beside.perSecond / before.perSecond
  return [
    {
      what: 'automations: POST /events/send',
      result: perSecond(events.perSecond),
      p50: events.p50,
      p99: events.p99,
      wanted: atLeast(events.perSecond, EVENTS_PER_SECOND_MIN),
    },
    { what: 'automations: POST /emails, no run', result: perSecond(before.perSecond), p50: before.p50, p99: before.p99 },
    {
      what: `automations: POST /emails beside ${(2 * size.waiting).toLocaleString('en')} runs that wait`,
      result: perSecond(beside.perSecond),
      p50: beside.p50,
      p99: beside.p99,
      ratio,
      wanted: atLeast(ratio, RATIO_MIN, `ratio at least ${RATIO_MIN}`),
    },
    {
      what: `automations: ${size.due.toLocaleString('en')} delays end within a second`,
      result: `${dueSeconds.toFixed(1)} s`,
      wanted: atMost(dueSeconds, DUE_SECONDS_MAX, `under ${DUE_SECONDS_MAX} s`),
    },
    {
      what: `automations: an event wakes one of ${size.waiting.toLocaleString('en')}, until its mail is accepted`,
      result: `${percentile(wokenMs, 0.5).toFixed(1)} ms`,
      p50: percentile(wokenMs, 0.5),
      p99: percentile(wokenMs, 0.99),
      wanted: atMost(percentile(wokenMs, 0.5), WOKEN_MS_MAX, `under ${WOKEN_MS_MAX} ms`),
    },
    {
      what: `automations: ten steps, ${RUNS_PER_SECOND} runs a second for ${size.runSeconds} s`,
      result: `${perSecond(runs.count / runs.seconds)} started, the last ${runs.secondsMore.toFixed(1)} s after its event`,
      wanted: atMost(runs.secondsMore, RUN_SECONDS_MORE_MAX, `at most ${RUN_SECONDS_MORE_MAX} s`),
    },
    memoryRow('automations', [memory]),
  ]
}

const UNHEARD = { event: 'unheard', email: 'ada@example.org', payload: { total: 49.9 } }

type Side = { service: Service; databaseUrl: string; call: Caller; mail: Step; sleeping: string; waiting: string }

/** A service with two automations that have no runs yet. */
async function startSide(place: Place, databaseName: string): Promise<Side> {
  const databaseUrl = await createDatabase(place, databaseName)
  const environment = { ...environmentOf(place, databaseUrl), DATA_DIR: join(place.dataDir, databaseName), DELIVERY: 'capture' }
  const service = await startService(environment)
  const call = callerOf(service)
  const content = { name: 'Welcome', from: 'hello@example.com', subject: 'Welcome', html: '<p>Welcome</p>' }
  const { id: template } = await call('/templates', content)
  await call(`/templates/${template}/publish`)
  const mail: Step = { key: 'mail', type: 'send_email', config: { template: { id: template } } }
  const pauses: Step = { key: 'pause', type: 'delay', config: { duration: '30 days' } }
  const hears: Step = { key: 'heard', type: 'wait_for_event', config: { event_name: 'heard', timeout: '30 days' } }
  const sleeping = await enable(call, 'sleep', [pauses])
  return { service, databaseUrl, call, mail, sleeping, waiting: await enable(call, 'wait', [hears, mail]) }
}

const loadOf = ({ service }: Side, seconds: number, path: string, body: object): Promise<Load> =>
  generateLoad({ url: `${service.url}${path}`, connections: CONNECTIONS, seconds, body })

/** Emails sent to each of the two in turns, so that what else the machine does meets both alike. */
async function sendInTurns(
  place: Place,
  { sides, rounds, loadSeconds }: { sides: [Side, Side]; rounds: number; loadSeconds: number },
): Promise<[Load, Load]> {
  const loads = sides.map((): Load[] => [])
  const send = (side: Side) => loadOf(side, loadSeconds, '/emails', email(0))
  for (const side of sides) await send(side)
  for (let round = 0; round < rounds; round += 1)
    for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const side = sides[index]
      if (!side) continue
      await settle(
        place,
        sides.map(({ databaseUrl }) => databaseUrl),
      )
      loads[index]?.push(await send(side))
    }
  const [one = [], other = []] = loads
  return [together(one), together(other)]
}

const together = (loads: Load[]): Load => {
  const meanOf = (of: keyof Load) => mean(loads.map((load) => load[of]))
  return { answered: meanOf('answered'), perSecond: meanOf('perSecond'), p50: meanOf('p50'), p99: meanOf('p99') }
}

/** What was written before is delivered, cleaned up and on the disk, and costs nothing meanwhile. */
async function settle({ serverUrl, dataDir }: Place, databaseUrls: string[]): Promise<void> {
  for (const databaseUrl of databaseUrls) {
    await until(
      async () => (await countRows(databaseUrl, 'deliveries')) === 0,
      () => 'emails are left to deliver',
      LIMIT_MS,
    )
    await query(databaseUrl, 'vacuum (analyze)')
  }
  await query(superuserUrl(serverUrl, join(dataDir, 'server')), 'checkpoint')
}

type Caller = (path: string, body?: object) => Promise<{ id: string }>

const callerOf =
  (service: Service): Caller =>
  async (path, body) => {
    const answer = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    return (await answer.json()) as { id: string }
  }

/** The event that triggers it has its name. */
async function enable(call: Caller, name: string, steps: Step[]): Promise<string> {
  const all: Step[] = [{ key: 'start', type: 'trigger', config: { event_name: name } }, ...steps]
  const connections = all.slice(0, -1).map(({ key, type }, index): Connection => {
    const kind = type === 'wait_for_event' ? 'event_received' : type === 'condition' ? 'condition_met' : 'default'
    return { from: key, to: all[index + 1]?.key ?? '', type: kind }
  })
  return (await call('/automations', { name, status: 'enabled', steps: all, connections })).id
}

const untilTold = (databaseUrl: string): Promise<unknown> =>
  until(
    async () => (await countRows(databaseUrl, 'automation_occurrences')) === 0,
    () => 'events are left to tell',
    LIMIT_MS,
  )

/** Runs that stand at one step, with a contact each. */
async function addRuns(
  databaseUrl: string,
  { automationId, count, key, eventName }: { automationId: string; count: number; key: string; eventName: string | null },
): Promise<void> {
  for (let first = 0; first < count; first += ROWS_AT_ONCE) {
    const last = Math.min(count, first + ROWS_AT_ONCE) - 1
    await query(
      databaseUrl,
      `with a as (select * from automations where id = '${automationId}'), made as (
         insert into contacts (id, team_id, email, address_hash, created_at, updated_at)
         select uuidv7_at(now() - interval '1 day', n::int), a.team_id, '${key}' || n || '@example.org', md5('${key}' || n), now(), now() from a, generate_series(${first}, ${last}) n
         returning id, team_id, email
       ), runs as (
         insert into automation_runs (id, team_id, automation_id, version_id, contact_id, email, event_id, event_name, payload, status, state, wake_at, started_at, created_at)
         select m.id, m.team_id, a.id, a.version_id, m.id, m.email, m.id, a.trigger_event, '{}', 'running', jsonb_build_object('status', 'running', 'reason', null, 'at', '${key}',
           'trigger', jsonb_build_object('id', m.id, 'name', a.trigger_event), 'heard', '{}'::jsonb, 'steps', jsonb_build_object('${key}', jsonb_build_object('status', 'waiting',
             'startedAt', '2026-01-01T00:00:00.000Z', 'completedAt', null, 'until', '2026-01-31T00:00:00.000Z', 'output', null, 'error', null))),
           now() + interval '20 days', now(), now()
         from made m, a returning id, team_id, contact_id
       ) insert into automation_waits (team_id, contact_id, event_name, run_id, step_key)
         select team_id, contact_id, '${eventName ?? ''}', id, '${key}' from runs where ${eventName !== null}`,
    )
  }
}

/** Seconds until this many delays, which end at the same moment, are worked off. */
async function workOff(databaseUrl: string, automationId: string, count: number): Promise<number> {
  await query(
    databaseUrl,
    `update automation_runs set wake_at = now() where id in (select id from automation_runs where automation_id = '${automationId}' limit ${count})`,
  )
  const began = performance.now()
  await until(
    async () =>
      (await countRows(databaseUrl, `automation_runs where automation_id = '${automationId}' and status = 'completed'`)) === count,
    () => 'delays were not worked off',
    LIMIT_MS,
  )
  return (performance.now() - began) / 1_000
}

/** Milliseconds from the answer to the event until the email is accepted, while other mail is sent. */
async function wakeSome(
  service: Service,
  databaseUrl: string,
  { call, waiting, count }: { call: Caller; waiting: string; count: number },
): Promise<number[]> {
  const waiters = await query<{ id: string; email: string }>(
    databaseUrl,
    `select id, email from automation_runs where automation_id = '${waiting}' limit ${WOKEN_BEFORE + count}`,
  )
  const seconds = Math.ceil((WOKEN_BEFORE + count) / 5)
  const besides = sendSteadily({ url: service.url, perSecond: EMAILS_PER_SECOND, seconds, name: 'besides', isMarked: false })
  const times: number[] = []
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  for (const { id, email: address } of waiters) {
    await call('/events/send', { event: 'heard', email: address })
    const answered = performance.now()
    while ((await client.query({ ...ENDED, values: [id] })).rowCount === 0) {
      if (performance.now() - answered > LIMIT_MS) throw new Error('An event has woken no one')
      // Who looks all the time takes a core from what is measured.
      await pause(1)
    }
    times.push(performance.now() - answered)
    await pause(50)
  }
  await besides
  await client.end()
  return times.slice(WOKEN_BEFORE)
}

const ENDED = { name: 'ended', text: `select from automation_runs where id = $1 and status = 'completed'` }

/** `seconds`: in which the events were sent. `secondsMore`: after the last event, until the last run has ended. */
async function runMany(
  databaseUrl: string,
  { call, mail, seconds }: { call: Caller; mail: Step; seconds: number },
): Promise<{ count: number; seconds: number; secondsMore: number }> {
  const rule = { type: 'rule', field: 'event.total', operator: 'gt', value: 1 } as const
  const looks = ['one', 'two', 'three', 'four', 'five'].map((key): Step => ({ key, type: 'condition', config: rule }))
  const mails = ['first', 'second', 'third'].map((key): Step => ({ ...mail, key }))
  const id = await enable(call, 'many', [...looks, { key: 'pause', type: 'delay', config: { duration: '1 second' } }, ...mails])
  const began = performance.now()
  for (let second = 0; second < seconds; second += 1) {
    for (let batch = 0; batch < RUNS_PER_SECOND / 100; batch += 1) {
      const events = Array.from({ length: 100 }, (_, index) => ({
        event: 'many',
        email: `many${second}.${batch}.${index}@example.org`,
        payload: { total: 2 },
      }))
      await call('/events/send/batch', events)
    }
    await pause(Math.max(0, (second + 1) * 1_000 - (performance.now() - began)))
  }
  const sent = performance.now()
  const count = seconds * RUNS_PER_SECOND
  await until(
    async () => (await countRows(databaseUrl, `automation_runs where automation_id = '${id}' and status = 'completed'`)) === count,
    () => 'not all runs have ended',
    LIMIT_MS,
  )
  return { count, seconds: (sent - began) / 1_000, secondsMore: (performance.now() - sent) / 1_000 }
}
