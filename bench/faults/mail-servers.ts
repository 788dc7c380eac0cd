// One row for each misbehavior: the first attempts reach the bad server, the second a good one.

import { startLoad } from '../../test/support/builders/load.ts'
import { until } from '../../test/support/clocks/until.ts'
import { createGate, type Gate } from '../../test/support/servers/balancer.ts'
import { MISBEHAVIORS, type Misbehavior } from './misbehaviors.ts'
import { openStage, type Stage } from './stage.ts'
import { acceptedIds, account, type Fault, type Row, refusedOf, unexpected, untilSettled } from './trial.ts'

const EMAILS = { quick: 12, whole: 39 }
/** All at once: a server that never greets holds each of them for the whole minute that it gets. */
const CONNECTIONS = 40
const TRIED_MS_MAX = 100_000
/** Until the first of them is there. */
const NOWHERE = 0

export const mailServers: Fault = {
  name: 'mail-servers',
  async run({ shared, isQuick }) {
    const gate = await createGate(NOWHERE)
    const stage = await openStage({
      shared,
      environment: { SMTP_RELAY_URL: `smtp://127.0.0.1:${gate.port}`, SMTP_RELAY_CONNECTIONS: String(CONNECTIONS) },
    })
    try {
      const service = await stage.place.start()
      const rows: Row[] = []
      for (const misbehavior of MISBEHAVIORS) {
        const emails = isQuick ? EMAILS.quick : EMAILS.whole
        rows.push(await meet(stage, { gate, url: service.url, emails }, misbehavior))
      }
      return rows
    } finally {
      await stage.close()
      await gate.shut()
    }
  },
}

type Meeting = { gate: Gate; url: string; emails: number }

async function meet(stage: Stage, { gate, url, emails }: Meeting, misbehavior: Misbehavior): Promise<Row> {
  stage.arrivals.length = 0
  const bad = await misbehavior.start(stage.noteArrival)
  gate.lead(bad.port)
  const struckAtMs = performance.now()
  const load = startLoad({ url: () => url, token: stage.place.token, count: emails })
  await load.done
  await until(
    async () => {
      const untried = await stage.count('from deliveries where delays = 0')
      if (untried > 0) throw new Error(`${untried} emails were not tried`)
    },
    { timeout: TRIED_MS_MAX, interval: 100 },
  )
  const silentlyTaken = misbehavior.isSilentAboutTaking ? stage.arrivals.length : 0
  const accepted = acceptedIds(load.accepted)
  const tries = await firstTries(stage, accepted)
  gate.lead(stage.sinkPort)
  await bad.close()
  // The first retry would come after a minute, which is not the subject here.
  await stage.query('update deliveries set due_at = now() where leased_by is null and not is_ready')
  const problems = await untilSettled(stage).then(
    () => [],
    (error: Error) => [error.message],
  )
  const states = await lastEvents(stage, accepted)
  const bounced = load.accepted.filter((_, index) => misbehavior.firstOutcome(index) === 'bounced')
  return {
    fault: `a mail server that ${misbehavior.name}`,
    remark: describe(tries, accepted),
    ...account(stage, {
      accepted,
      bounced: bounced.length,
      inFlight: silentlyTaken,
      refused: refusedOf(load.statuses),
      struckAtMs,
      problems: [
        ...problems,
        ...unexpected(load.statuses),
        ...load.accepted.flatMap((id, index) => {
          const [first, last] = [misbehavior.firstOutcome(index), misbehavior.firstOutcome(index) === 'bounced' ? 'bounced' : 'delivered']
          const isRight = tries.get(id)?.outcome === first && states.get(id) === last
          return isRight ? [] : [`number ${index}: first ${tries.get(id)?.outcome}, in the end ${states.get(id)}`]
        }),
      ],
    }),
  }
}

type Try = { emailId: string; outcome: string; code: number | null }

async function firstTries(stage: Stage, ids: string[]): Promise<Map<string, Try>> {
  const tries = await stage.query<Try>(
    `select email_id as "emailId", outcome, code from attempts where number = 1 and email_id = any('{${ids.join(',')}}')`,
  )
  return new Map(tries.map((one) => [one.emailId, one]))
}

async function lastEvents(stage: Stage, ids: string[]): Promise<Map<string, string>> {
  const rows = await stage.query<{ id: string; lastEvent: string }>(
    `select id, last_event as "lastEvent" from emails where id = any('{${ids.join(',')}}')`,
  )
  return new Map(rows.map(({ id, lastEvent }) => [id, lastEvent]))
}

/** For example: first try: 26 delivered 250, 13 bounced 550. */
function describe(tries: Map<string, Try>, ids: string[]): string {
  const counts = new Map<string, number>()
  for (const id of ids) {
    const { outcome, code } = tries.get(id) ?? { outcome: 'none', code: null }
    const what = `${outcome} ${code ?? 'without a reply'}`
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  return `first try: ${[...counts].map(([what, count]) => `${count} ${what}`).join(', ')}`
}
