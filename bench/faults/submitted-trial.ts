// One fault while programs submit mail over SMTP, and what became of every message.
import { setTimeout as wait } from 'node:timers/promises'
import { startSending } from '../../test/support/clients/smtp-client.ts'
import { until } from '../../test/support/clocks/until.ts'
import type { Stage } from './stage.ts'
import { account, type Row, type Struck, untilSettled } from './trial.ts'

const MESSAGES = 1_000
/** In all, over the servers. */
const CONNECTIONS = 8
const ACCEPTED_BEFORE = 200
const DELIVERED_BEFORE = 50
const END_MS_MAX = 180_000
/** Every tenth message is read in a thread, and kept as a blob. */
const LARGE = 'A line of a message that is a blob.\r\n'.repeat(3_000)

type SubmittedTrial = {
  fault: string
  /** The ports of the SMTP servers, each with its share of the programs. */
  ports: number[]
  /** Makes the fault, and ends it unless the service does that itself. `now` is called at the moment it is made. */
  strike(now: () => void): Promise<Struck>
}

export async function runSubmittedTrial(stage: Stage, { fault, ports, strike }: SubmittedTrial): Promise<Row> {
  const loads = ports.map((port, server) =>
    startSending({
      ...{ port, connections: CONNECTIONS / ports.length, auth: { user: 'program', pass: stage.place.token } },
      messages: Array.from({ length: MESSAGES / ports.length }, (_one, index) => messageOf(`${server}-${index}`, index % 10 === 0)),
    }),
  )
  const accepted = () => loads.flatMap(({ replies }) => replies.map(idOf))
  await until(
    () => {
      expectCount(accepted().length, ACCEPTED_BEFORE)
      expectCount(stage.arrivals.length, DELIVERED_BEFORE)
    },
    { timeout: END_MS_MAX, interval: 5 },
  )
  let struckAtMs = performance.now()
  const struck = await strike(() => {
    struckAtMs = performance.now()
  })
  const problems = [...(struck.problems ?? [])]
  await Promise.race([Promise.all(loads.map(({ done }) => done)), wait(END_MS_MAX, undefined, { ref: false })])
  const sentUntilMs = performance.now()
  await untilSettled(stage).catch((error: Error) => problems.push(error.message))
  const stored = await stage.count('from emails')
  return {
    fault,
    remark: struck.remark ?? '',
    ...account(stage, {
      accepted: accepted(),
      inFlight: struck.inFlight,
      refused: loads.reduce((sum, load) => sum + load.repeated(), 0),
      struckAtMs,
      sentUntilMs,
      problems: stored === MESSAGES && new Set(accepted()).size === MESSAGES ? problems : [...problems, `${stored} emails are stored`],
    }),
  }
}

/** The key makes one email of a message whose 250 was lost, and that is submitted again. */
const messageOf = (name: string, isLarge: boolean) => ({
  envelope: { from: 'program@example.com', to: `r${name}@example.org` },
  raw: `From: program@example.com\r\nTo: r${name}@example.org\r\nSubject: ${name}\r\nIdempotency-Key: ${name}\r\n\r\n${isLarge ? LARGE : 'Hello\r\n'}`,
})

function idOf(reply: string): string {
  const id = /^250 2\.0\.0 Ok: queued as ([0-9a-f-]{36})$/.exec(reply)?.[1]
  if (id === undefined) throw new Error(`No email was accepted: ${reply}`)
  return id
}

function expectCount(count: number, least: number): void {
  if (count < least) throw new Error(`Only ${count} of ${least} messages are through`)
}
