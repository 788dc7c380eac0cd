// What breaks while a broadcast is made and delivered.
import { rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../test/support/clocks/until.ts'
import { postgresPidOf, untilGone } from '../../test/support/processes/processes.ts'
import { type Caller, callerOf } from './caller.ts'
import { killPostgres } from './database.ts'
import { fill, LOW_BYTES_LEFT, LOW_MS, withSmallDisk } from './disk.ts'
import { openStage, type Stage, type WorkerProcess } from './stage.ts'
import { account, type Fault, type Row, untilSettled } from './trial.ts'

const MEMBERS = { quick: 2_000, whole: 20_000 }
const WORKERS = 2
const KILLS = 5
const DATABASE_KILLS = 3
/** Before the third kill it is paused, and after it resumed. */
const PAUSED_KILL = 3
/** A fan-out so long that each kill falls into the middle of it and of the delivery. */
const FAN_OUT_SECONDS = 40
/** Until a disk that is almost full is noticed, and what was begun before is made. */
const NOTICED_MS = 4_000
const PROGRESS_MS_MAX = 60_000

export const broadcastKilled: Fault = {
  name: 'broadcast-killed',
  async run({ shared, isQuick }) {
    const stage = await openStage({ shared })
    try {
      return [await runBroadcastTrial(stage, isQuick ? MEMBERS.quick : MEMBERS.whole)]
    } finally {
      await stage.close()
    }
  },
}

async function runBroadcastTrial(stage: Stage, members: number): Promise<Row> {
  const api = await stage.startApi()
  const call = callerOf(stage, api.url)
  const startWorkers = () => Promise.all(Array.from({ length: WORKERS }, () => stage.startWorker()))
  let workers: WorkerProcess[] = await startWorkers()
  const id = await sendBroadcast(stage, call, members)
  let struckAtMs = Number.NaN
  let killsInFanOut = 0
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await untilArrived(stage, (members * kill) / (KILLS + 2))
    if (kill === PAUSED_KILL) await call('POST', `/broadcasts/${id}/pause`)
    if ((await stage.count('from emails')) < members) killsInFanOut += 1
    struckAtMs = performance.now()
    await Promise.all(workers.map((worker) => worker.signal('SIGKILL')))
    workers = await startWorkers()
    if (kill === PAUSED_KILL) await call('POST', `/broadcasts/${id}/resume`)
  }
  return accountOf(stage, call, {
    id,
    members,
    fault: `SIGKILL of both workers, five times while a broadcast to ${members} is made and delivered, once while it is paused; started again`,
    remark: `${killsInFanOut} kills in the middle of the fan-out, the others of the delivery; the times count from the last one`,
    struckAtMs,
    problems: killsInFanOut === 0 ? ['it was never killed in the middle of the fan-out'] : [],
  })
}

export const broadcastServiceKilled: Fault = {
  name: 'broadcast-service-killed',
  async run({ isQuick }) {
    const stage = await openStage({})
    try {
      let service = await stage.place.start()
      const call: Caller = (...request) => callerOf(stage, service.url)(...request)
      const members = isQuick ? MEMBERS.quick : MEMBERS.whole
      const id = await sendBroadcast(stage, call, members)
      await untilArrived(stage, members / 3)
      const made = await stage.count('from emails')
      const struckAtMs = performance.now()
      const postgres = postgresPidOf(stage.place.dataDir)
      await service.signal('SIGKILL')
      if (postgres !== null) await untilGone(postgres)
      service = await stage.place.start()
      const row = await accountOf(stage, call, {
        id,
        members,
        fault: `SIGKILL of the only process, and with it of its database, while a broadcast to ${members} is made and delivered; started again`,
        remark: `${made} emails were made when it was killed`,
        struckAtMs,
        problems: made < members ? [] : ['it was not killed in the middle of the fan-out'],
      })
      return [row]
    } finally {
      await stage.close()
    }
  },
}

export const broadcastDatabaseKilled: Fault = {
  name: 'broadcast-database-killed',
  async run({ isQuick }) {
    const stage = await openStage({})
    try {
      const service = await stage.place.start()
      const call = callerOf(stage, service.url)
      const members = isQuick ? MEMBERS.quick : MEMBERS.whole
      const id = await sendBroadcast(stage, call, members)
      let struckAtMs = Number.NaN
      for (let kill = 1; kill <= DATABASE_KILLS; kill += 1) {
        await untilArrived(stage, (members * kill) / (DATABASE_KILLS + 1))
        await killPostgres(stage, service, () => {
          struckAtMs = performance.now()
        })
      }
      const row = await accountOf(stage, call, {
        id,
        members,
        fault: `SIGKILL of the embedded PostgreSQL, three times while a broadcast to ${members} is made and delivered; the service starts it again`,
        remark: 'the times count from the last one',
        struckAtMs,
        problems: [],
      })
      return [row]
    } finally {
      await stage.close()
    }
  },
}

export const broadcastDiskLow: Fault = {
  name: 'broadcast-disk-low',
  run({ isQuick }) {
    const members = isQuick ? MEMBERS.quick : MEMBERS.whole
    const fault = `a disk with less than the watermark left, for 8 s, while a broadcast to ${members} is made`
    return withSmallDisk(fault, async (stage, service) => {
      const call = callerOf(stage, service.url)
      const id = await sendBroadcast(stage, call, members)
      await untilArrived(stage, members / 4)
      const struckAtMs = performance.now()
      const filler = await fill(stage, LOW_BYTES_LEFT)
      await wait(NOTICED_MS)
      const madeAtFirst = await stage.count('from emails')
      await wait(LOW_MS - NOTICED_MS)
      const made = await stage.count('from emails')
      const saysSo = (await stage.count(`from broadcasts where status_reason like 'The server is almost out of disk space.%'`)) === 1
      await rm(filler)
      const remark = `${made} emails were made when there was room again`
      return accountOf(stage, call, {
        id,
        members,
        fault,
        remark,
        struckAtMs,
        problems: saysSo && made === madeAtFirst && made < members ? [] : ['it did not wait for room'],
      })
    })
  },
}

type BroadcastTrial = { id: string; members: number; fault: string; remark: string; struckAtMs: number; problems: string[] }

/** When the broadcast is sent: one email for each contact. */
async function accountOf(stage: Stage, call: Caller, { id, members, struckAtMs, problems, ...row }: BroadcastTrial): Promise<Row> {
  const found = [...problems]
  await until(() => expectSent(call, id), { timeout: 2 * FAN_OUT_SECONDS * 1_000, interval: 100 }).catch((error: Error) =>
    found.push(error.message),
  )
  await untilSettled(stage).catch((error: Error) => found.push(error.message))
  const emails = await stage.query<{ id: string; contactId: string }>('select id, contact_id as "contactId" from emails')
  if (emails.length !== members) found.push(`${emails.length} emails for ${members} contacts`)
  if (new Set(emails.map(({ contactId }) => contactId)).size !== members) found.push('not every contact has an email')
  const inFlight = await stage.count(`from attempts where outcome = 'unknown'`)
  return { ...row, ...account(stage, { accepted: emails.map((email) => email.id), inFlight, refused: 0, struckAtMs, problems: found }) }
}

async function sendBroadcast(stage: Stage, call: Caller, members: number): Promise<string> {
  const segment = await call('POST', '/segments', { name: 'Everyone' })
  await stage.query(
    `with made as (
       insert into contacts (id, team_id, email, address_hash, first_name, created_at, updated_at)
       select uuidv7_at(now() - interval '1 hour', n), (select team_id from segments), 'm' || n || '@example.org', md5('m' || n), 'N' || n, now(), now()
       from generate_series(1, ${members}) as n returning id
     ) insert into contact_segments select (select id from segments), id, now() from made`,
  )
  const { id } = await call('POST', '/broadcasts', {
    segment_id: segment.id,
    from: 'hello@example.com',
    subject: 'For {{{FIRST_NAME}}}',
    html: '<p>Hello {{{FIRST_NAME}}}</p>',
    rate_per_hour: (members / FAN_OUT_SECONDS) * 3_600,
    send: true,
  })
  return id
}

const untilArrived = ({ arrivals }: Stage, count: number): Promise<void> =>
  until(
    async () => {
      if (arrivals.length < count) throw new Error(`Only ${arrivals.length} of ${count} emails arrived`)
    },
    { timeout: PROGRESS_MS_MAX, interval: 5 },
  )

async function expectSent(call: Caller, id: string): Promise<void> {
  const { status } = await call('GET', `/broadcasts/${id}`)
  if (status !== 'sent') throw new Error(`The broadcast is ${status}`)
}
