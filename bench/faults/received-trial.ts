// One fault while mail for a team comes in, and what became of every message.
import { setTimeout as wait } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { until } from '../../test/support/clocks/until.ts'
import type { Stage } from './stage.ts'
import { account, type Row, type Struck } from './trial.ts'

/** Keeps limits and the DNS out of the way. */
export const RECEIVING_ENVIRONMENT = { RECEIVED_PER_MINUTE: '1000000', DNS_SERVERS: '127.0.0.1:9' }

const MESSAGES = 1_000
const CONNECTIONS = 8
const STORED_BEFORE = 200
/** A mail server waits for minutes. */
const RETRY_AFTER_MS = 500
const END_MS_MAX = 180_000
const DOMAIN_ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c80'

type ReceivedTrial = {
  fault: string
  /** The ports of the SMTP servers, which are tried in turn. */
  ports: number[]
  /** Makes the fault, and ends it unless the service does that itself. */
  strike(now: () => void): Promise<Omit<Struck, 'inFlight'>>
}

export async function runReceivedTrial(stage: Stage, { fault, ports, strike }: ReceivedTrial): Promise<Row> {
  await makeReceivingDomain(stage)
  const load = startMessages(ports)
  await until(() => expectCount(load.storedAtMs.size, STORED_BEFORE), { timeout: END_MS_MAX, interval: 5 })
  let struckAtMs = performance.now()
  const struck = await strike(() => {
    struckAtMs = performance.now()
  })
  const problems = [...(struck.problems ?? [])]
  await Promise.race([load.done, wait(END_MS_MAX, undefined, { ref: false })])
  const sentUntilMs = performance.now()
  await until(() => untilAllRead(stage), { timeout: END_MS_MAX, interval: 250 }).catch((error: Error) => problems.push(error.message))
  const rows = await stage.query<{ subject: string }>(`select subject from received_emails where state = 'read' and problem is null`)
  const arrivals = rows.map(({ subject }) => ({ emailId: subject, atMs: load.storedAtMs.get(subject) ?? sentUntilMs }))
  stage.arrivals.push(...arrivals.toSorted((one, other) => one.atMs - other.atMs))
  const told = await stage.count(`from notifications where type = 'email.received'`)
  if (told !== rows.length) problems.push(`${told} events for ${rows.length} emails`)
  return {
    fault,
    remark: struck.remark ?? '',
    ...account(stage, {
      accepted: [...load.storedAtMs.keys()],
      inFlight: CONNECTIONS,
      refused: load.refused(),
      struckAtMs,
      sentUntilMs,
      transactionMs: 0,
      problems: load.storedAtMs.size === MESSAGES ? problems : [...problems, `${load.storedAtMs.size} of ${MESSAGES} were taken`],
    }),
  }
}

function expectCount(count: number, least: number): void {
  if (count < least) throw new Error(`Only ${count} of ${least} messages are stored`)
}

async function untilAllRead(stage: Stage): Promise<void> {
  const waiting = await stage.count(`from received_emails where state = 'waiting'`)
  if (waiting > 0) throw new Error(`${waiting} messages were not read`)
}

export async function makeReceivingDomain(stage: Stage): Promise<void> {
  await stage.query(
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, status, owns_name, created_at)
     select '${DOMAIN_ID}', id, 'one.example', 'one.example', 'us-east-1', 'opportunistic', 'send', false, false, true, true, 'verified', true, now() from teams limit 1`,
  )
  await stage.query(`insert into domain_records (domain_id, kind, status) values ('${DOMAIN_ID}', 'Receiving', 'verified')`)
}

/** Sends each message until it gets a 250, as a mail server does. */
function startMessages(ports: number[]): { storedAtMs: Map<string, number>; refused(): number; done: Promise<unknown> } {
  const transports = ports.map((port) =>
    createTransport({ host: '127.0.0.1', port, pool: true, maxConnections: CONNECTIONS, ignoreTLS: true }),
  )
  const waiting = Array.from({ length: MESSAGES }, (_one, index) => `Message ${index}`)
  const storedAtMs = new Map<string, number>()
  let tries = 0

  async function sendNext(): Promise<void> {
    for (let subject = waiting.shift(); subject !== undefined; subject = waiting.shift()) {
      tries += 1
      const message = { from: 'ada@sender.example', to: 'anyone@one.example', subject, text: 'Hello' }
      try {
        await transports[tries % transports.length]?.sendMail({ ...message, attachments: [{ filename: 'a.txt', content: 'file' }] })
        storedAtMs.set(subject, performance.now())
      } catch {
        waiting.push(subject)
        await wait(RETRY_AFTER_MS)
      }
    }
  }

  return {
    storedAtMs,
    refused: () => tries - storedAtMs.size,
    done: Promise.all(Array.from({ length: CONNECTIONS }, sendNext)).then(() => {
      for (const transport of transports) transport.close()
    }),
  }
}
