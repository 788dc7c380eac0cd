// Automations: how fast events are taken and told, what a million waiting runs cost, how soon an event wakes one of them, and how many runs go on at a
// time. With --beside, another checkout wakes its runs in turns with ours.
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import pg from 'pg'
import type { Connection, Step } from '../src/modules/automations/graph/graph.ts'
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
  settle,
  startService,
  TOKEN,
} from './place.ts'
import { pause, until } from './processes.ts'
import { postgresCpuMs, processCpuMs } from './processor-time.ts'
import { sendSteadily } from './steady-load.ts'
import { atLeast, atMost, mean, percentile, perSecond, type Row } from './table.ts'

const SIZES = {
  quick: { waiting: 20_000, due: 1_000, told: 2_000, woken: 10, lives: 1, orders: 1, loadSeconds: 2, runSeconds: 3 },
  full: { waiting: 1_000_000, due: 10_000, told: 30_000, woken: 100, lives: 4, orders: 4, loadSeconds: 8, runSeconds: 20 },
}
const CONNECTIONS = 50
const EVENTS_PER_SECOND_MIN = 3_000
const RATIO_MIN = 0.98
const DUE_SECONDS_MAX = 5
const WOKEN_MS_MAX = 20
/** Events before those that count, after which every connection knows its statements. */
const WOKEN_BEFORE = 5
/** One turn of a service. The machine changes its speed within seconds, which many short turns meet more alike. */
const TURN_SECONDS = 2
/** Each side follows each once, itself too: what one leaves to do is charged to all alike. */
const ORDER = [0, 0, 1, 1, 2, 2, 0, 2, 1]
/** How often each of two checkouts has its turn. */
const TURNS = 4
/** Beside what is measured, about half of what two cores deliver. */
const EMAILS_PER_SECOND = 300
const RUNS_PER_SECOND = 300
/** One of the steps is a delay of a second. */
const RUN_SECONDS_MORE_MAX = 5
const LIMIT_MS = 300_000
const ROWS_AT_ONCE = 100_000

export async function measureAutomations(place: Place): Promise<Row[]> {
  const size = place.isQuick ? SIZES.quick : SIZES.full
  const names = ['bench_automations_none', 'bench_automations_control', 'bench_automations'] as const
  const [none, control, full] = [await prepareSide(place, names[0]), await prepareSide(place, names[1]), await prepareSide(place, names[2])]
  const beside = place.besideFolder === undefined ? null : await prepareSide(place, 'bench_automations_beside', place.besideFolder)
  const { databaseUrl } = full
  const sides = beside ? [full, beside] : [full]

  // All have taken the same events before emails are sent to them.
  for (const side of [none, control]) {
    const started = await startSide(side)
    await sendEvents(started, size)
    await tellMany(started, size.told)
    await started.service.stop()
  }
  const first = await startSide(full)
  const events = await sendEvents(first, size)
  const toldSeconds = await tellMany(first, size.told)
  const memoryOfEvents = first.service.memory.peakAboveRest()
  await first.service.stop()
  for (const side of sides)
    await addRuns(side.databaseUrl, { automationId: side.waiting, count: size.waiting, key: 'heard', eventName: 'heard' })
  await addRuns(databaseUrl, { automationId: full.sleeping, count: size.waiting, key: 'pause', eventName: null })
  await addRuns(databaseUrl, { automationId: full.mailing, count: size.due, key: 'mailed', eventName: null })
  const { loads, memory: memoryOfEmails } = await sendInTurns(place, { sides: [none, control, full], ...size })
  const [before, again, after] = loads
  const running: Running[] = []
  for (const side of sides) {
    const started = await startSide(side)
    running.push(started)
    await warmUp(started, size)
    await started.service.rest()
  }
  const [last] = running
  if (!last) throw new Error('No service was started')
  const dueSeconds = await workOff(databaseUrl, full.sleeping, size.due)
  const mailedSeconds = await workOff(databaseUrl, full.mailing, size.due)
  await settleDelivered(place, sides)
  const [wokenMs = [], wokenBesideMs] = await wakeInTurns(running, size.woken)
  const runs = await runMany(last, size.runSeconds)
  const deleted = await deleteWaiting(last)
  const memory = last.service.memory.peakAboveRest()
  for (const { service } of running) await service.stop()
  for (const name of [...names, ...(beside ? ['bench_automations_beside'] : [])]) await dropDatabase(place, name)

  const ratio = after.perSecond / before.perSecond
  const many = size.waiting.toLocaleString('en')
  const due = size.due.toLocaleString('en')
  const wokenRow = (what: string, times: number[]): Row => ({
    what: `automations: an event wakes one of ${many}, until its mail is accepted${what}`,
    result: `${percentile(times, 0.5).toFixed(1)} ms`,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  })
  return [
    {
      what: 'automations: POST /events/send',
      result: perSecond(events.perSecond),
      p50: events.p50,
      p99: events.p99,
      wanted: atLeast(events.perSecond, EVENTS_PER_SECOND_MIN),
    },
    { what: 'automations: events told that no one waits for', result: perSecond(size.told / toldSeconds) },
    mailRow('automations: POST /emails, no run', before),
    { ...mailRow('automations: the same of another service without runs', again), ratio: again.perSecond / before.perSecond },
    {
      ...mailRow(`automations: POST /emails beside ${(2 * size.waiting).toLocaleString('en')} runs that wait`, after),
      ratio,
      wanted: atLeast(ratio, RATIO_MIN, `ratio at least ${RATIO_MIN}`),
    },
    ...[
      { what: 'no run', load: before },
      { what: 'another service without runs', load: again },
      { what: 'beside runs that wait', load: after },
    ].map(({ what, load }): Row => {
      const { nodeUs, postgresUs } = load
      return {
        what: `automations: processor time of one email, ${what}`,
        result: `${Math.round(nodeUs)} µs and ${Math.round(postgresUs)} µs of PostgreSQL`,
        ratio: (nodeUs + postgresUs) / (before.nodeUs + before.postgresUs),
      }
    }),
    {
      what: `automations: ${due} delays end within a second`,
      result: `${dueSeconds.toFixed(1)} s`,
      wanted: atMost(dueSeconds, DUE_SECONDS_MAX, `under ${DUE_SECONDS_MAX} s`),
    },
    { what: `automations: ${due} delays end within a second, each before a mail`, result: `${mailedSeconds.toFixed(1)} s` },
    { ...wokenRow('', wokenMs), wanted: atMost(percentile(wokenMs, 0.5), WOKEN_MS_MAX, `under ${WOKEN_MS_MAX} ms`) },
    ...(wokenBesideMs ? [wokenRow(', of the other checkout', wokenBesideMs)] : []),
    {
      what: `automations: ten steps, ${RUNS_PER_SECOND} runs a second for ${size.runSeconds} s`,
      result: `${perSecond(runs.count / runs.seconds)} started, the last ${runs.secondsMore.toFixed(1)} s after its event`,
      wanted: atMost(runs.secondsMore, RUN_SECONDS_MORE_MAX, `at most ${RUN_SECONDS_MORE_MAX} s`),
    },
    {
      what: `automations: DELETE of one with ${deleted.count.toLocaleString('en')} runs that wait`,
      result: `${deleted.answeredMs.toFixed(0)} ms, its rows gone ${deleted.clearedSeconds.toFixed(1)} s later`,
    },
    memoryRow('automations', [memoryOfEvents, memoryOfEmails, memory]),
  ]
}

const mailRow = (what: string, { perSecond: rate, p50, p99 }: Load): Row => ({ what, result: perSecond(rate), p50, p99 })

const UNHEARD = { event: 'unheard', email: 'ada@example.org', payload: { total: 49.9 } }

/** A database with automations that have no runs yet. */
type Side = { databaseUrl: string; start(): Promise<Service>; mail: Step; sleeping: string; mailing: string; waiting: string }

type Running = Side & { service: Service; call: Caller }

async function prepareSide(place: Place, databaseName: string, folder = ''): Promise<Side> {
  const databaseUrl = await createDatabase(place, databaseName)
  const environment = { ...environmentOf(place, databaseUrl), DATA_DIR: join(place.dataDir, databaseName), DELIVERY: 'capture' }
  const start = () => startService(environment, resolve(folder, 'posthaste.js'))
  const service = await start()
  const call = callerOf(service)
  const content = { name: 'Welcome', from: 'hello@example.com', subject: 'Welcome', html: '<p>Welcome</p>' }
  const { id: template } = await call('/templates', content)
  await call(`/templates/${template}/publish`)
  const mail: Step = { key: 'mail', type: 'send_email', config: { template: { id: template } } }
  const pauses: Step = { key: 'pause', type: 'delay', config: { duration: '30 days' } }
  const hears: Step = { key: 'heard', type: 'wait_for_event', config: { event_name: 'heard', timeout: '30 days' } }
  const automations = {
    sleeping: await enable(call, 'sleep', [pauses]),
    mailing: await enable(call, 'mail', [{ ...pauses, key: 'mailed' }, mail]),
    waiting: await enable(call, 'wait', [hears, mail]),
  }
  await service.stop()
  return { databaseUrl, start, mail, ...automations }
}

async function startSide(side: Side): Promise<Running> {
  const service = await side.start()
  return { ...side, service, call: callerOf(service) }
}

const loadOf = ({ service }: Running, seconds: number, path: string, body: object): Promise<Load> =>
  generateLoad({ url: `${service.url}${path}`, connections: CONNECTIONS, seconds, body })

/** A service compiles what it runs in its first seconds. */
async function warmUp(side: Running, { loadSeconds }: { loadSeconds: number }): Promise<void> {
  await loadOf(side, loadSeconds, '/emails', email(0))
  await untilDelivered(side.databaseUrl)
}

/** The first load does not count. */
async function sendEvents(side: Running, { loadSeconds }: { loadSeconds: number }): Promise<Load> {
  const send = async () => {
    const events = await loadOf(side, loadSeconds, '/events/send', UNHEARD)
    await untilTold(side.databaseUrl)
    return events
  }
  await send()
  await side.service.rest()
  return send()
}

/** Seconds until this many events are told that were there at once. */
async function tellMany({ databaseUrl, call }: Running, count: number): Promise<number> {
  await query(
    databaseUrl,
    `insert into automation_occurrences (id, team_id, name, email, payload, created_at)
     select uuidv7_at(now(), n), team_id, 'unheard', 'ada@example.org', '{"total": 49.9}', now() from automations, generate_series(1, ${count}) n where name = 'sleep'`,
  )
  const began = performance.now()
  await call('/events/send', UNHEARD)
  await untilTold(databaseUrl)
  return (performance.now() - began) / 1_000
}

/** Processor time of the service and of PostgreSQL for one email. */
type Cost = { nodeUs: number; postgresUs: number }

/**
 * Emails sent to each in turns. All are started anew several times: two services that do the same differ by some percent for as long as they live.
 * `memory`: the most of the last side.
 */
async function sendInTurns(
  place: Place,
  { sides, lives, orders, loadSeconds }: { sides: [Side, Side, Side]; lives: number; orders: number; loadSeconds: number },
): Promise<{ loads: [Load & Cost, Load & Cost, Load & Cost]; memory: number }> {
  const loads = sides.map((): (Load & Cost)[] => [])
  const peaks: number[] = []
  for (let life = 0; life < lives; life += 1) {
    const running: Running[] = []
    for (const side of sides) running.push(await startSide(side))
    for (const side of running) await warmUp(side, { loadSeconds })
    await settleDelivered(place, sides)
    const last = running.at(-1)?.service
    await last?.rest()
    for (let order = 0; order < orders; order += 1)
      for (const index of ORDER) {
        const side = running[index]
        if (side) loads[index]?.push(await sendMail(place, side, TURN_SECONDS))
      }
    peaks.push(last?.memory.peakAboveRest() ?? Number.NaN)
    for (const { service } of running) await service.stop()
  }
  const [one = [], control = [], other = []] = loads
  return { loads: [together(one), together(control), together(other)], memory: Math.max(...peaks) }
}

async function sendMail(place: Place, side: Running, seconds: number): Promise<Load & Cost> {
  const cpuMs = () => ({ node: processCpuMs(side.service.child.pid ?? 0), postgres: postgresCpuMs(place.dataDir) })
  const before = cpuMs()
  const load = await loadOf(side, seconds, '/emails', email(0))
  await untilDelivered(side.databaseUrl)
  const after = cpuMs()
  const each = (of: 'node' | 'postgres') => ((after[of] - before[of]) * 1_000) / load.answered
  return { ...load, nodeUs: each('node'), postgresUs: each('postgres') }
}

const together = (loads: (Load & Cost)[]): Load & Cost => {
  const meanOf = (of: keyof (Load & Cost)) => mean(loads.map((load) => load[of]))
  return {
    answered: meanOf('answered'),
    perSecond: meanOf('perSecond'),
    p50: meanOf('p50'),
    p99: meanOf('p99'),
    nodeUs: meanOf('nodeUs'),
    postgresUs: meanOf('postgresUs'),
  }
}

const untilDelivered = (databaseUrl: string): Promise<unknown> =>
  until(
    async () => (await countRows(databaseUrl, 'deliveries')) === 0,
    () => 'emails are left to deliver',
    LIMIT_MS,
  )

async function settleDelivered(place: Place, sides: Side[]): Promise<void> {
  const databaseUrls = sides.map(({ databaseUrl }) => databaseUrl)
  for (const databaseUrl of databaseUrls) await untilDelivered(databaseUrl)
  await settle(place, databaseUrls)
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

/** Milliseconds from the answer to an event until the email is accepted, of each side in turns, while other mail is sent. */
async function wakeInTurns(sides: Running[], count: number): Promise<number[][]> {
  for (const { databaseUrl } of sides) await query(databaseUrl, TELL_ENDED)
  const times = sides.map((): number[] => [])
  const perTurn = Math.ceil(count / TURNS)
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const [index, side] of turn % 2 === 0 ? [...sides.entries()] : [...sides.entries()].toReversed())
      times[index]?.push(...(await wakeSome(side, perTurn, turn)))
  for (const { databaseUrl } of sides) await query(databaseUrl, 'drop function tell_ended cascade')
  return times
}

/** PostgreSQL tells the end of a run once it is committed. To ask for it all the time would take a part of what is measured. */
const TELL_ENDED = `
create function tell_ended() returns trigger language plpgsql as $$ begin perform pg_notify('ended', new.id::text); return null; end $$;
create trigger tell_ended after update on automation_runs for each row when (new.status = 'completed') execute function tell_ended()`

async function wakeSome({ service, databaseUrl, call, waiting }: Running, count: number, turn: number): Promise<number[]> {
  const waiters = await query<{ id: string; email: string }>(
    databaseUrl,
    `select id, email from automation_runs where automation_id = '${waiting}' and status = 'running' limit ${WOKEN_BEFORE + count}`,
  )
  const seconds = Math.ceil((WOKEN_BEFORE + count) / 5)
  const besides = sendSteadily({ url: service.url, perSecond: EMAILS_PER_SECOND, seconds, name: `besides${turn}`, isMarked: false })
  const times: number[] = []
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('listen ended')
  const ended = new Map<string, number>()
  client.on('notification', ({ payload = '' }) => ended.set(payload, performance.now()))
  for (const { id, email: address } of waiters) {
    await call('/events/send', { event: 'heard', email: address })
    const answered = performance.now()
    while (!ended.has(id)) await once(client, 'notification', { signal: AbortSignal.timeout(LIMIT_MS) })
    times.push((ended.get(id) ?? Number.NaN) - answered)
    await pause(50)
  }
  await besides
  await client.end()
  return times.slice(WOKEN_BEFORE)
}

/** `seconds`: in which the events were sent. `secondsMore`: after the last event, until the last run has ended. */
async function runMany(
  { databaseUrl, call, mail }: Running,
  seconds: number,
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

/** Milliseconds until the answer, from which on it is not shown, and seconds until a job has removed its rows. */
async function deleteWaiting({
  service,
  databaseUrl,
  waiting,
}: Running): Promise<{ count: number; answeredMs: number; clearedSeconds: number }> {
  const count = await countRows(databaseUrl, `automation_runs where automation_id = '${waiting}'`)
  const ask = (method: string) => fetch(`${service.url}/automations/${waiting}`, { method, headers: { authorization: `Bearer ${TOKEN}` } })
  const began = performance.now()
  const { status } = await ask('DELETE')
  const answered = performance.now()
  if (status !== 200 || (await ask('GET')).status !== 404) throw new Error('The automation is still there')
  await until(
    async () => (await countRows(databaseUrl, `automations where id = '${waiting}'`)) === 0,
    () => 'runs of a deleted automation are left',
    LIMIT_MS,
  )
  return { count, answeredMs: answered - began, clearedSeconds: (performance.now() - answered) / 1_000 }
}
