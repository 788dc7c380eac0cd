// Restarts processes with a balancer in front of their SMTP servers, one after the other: no message may be lost or come twice.
import { setTimeout as wait } from 'node:timers/promises'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { until } from '../../test/support/clocks/until.ts'
import { freePort } from '../../test/support/processes/processes.ts'
import { DRAIN_SECONDS } from '../../test/support/servers/balancer.ts'
import { makeReceivingDomain, RECEIVING_ENVIRONMENT } from './received-trial.ts'
import { type BalancedProcess, isSmtpBalancerInstalled, startSmtpBalancer } from './smtp-balancer.ts'
import { openStage, type Stage } from './stage.ts'
import { account, type Fault, type Result, type Row, untilSettled } from './trial.ts'

const RESTARTS = { quick: 4, whole: 20 }
const PROXY = '127.0.0.1'
/** Other mail servers connect from here. Through the balancer, only the PROXY protocol can say so. */
const PEER = '127.0.5.5'
const CLIENTS = 4
/** Between two messages of a client. */
const PAUSE_MS = 50
const RETRY_MS = 100
const TAKEN_BEFORE = 50
/** Until the balancer passes messages on to a process that was started again. */
const KNOWN_MS_MAX = 30_000
const END_MS_MAX = 120_000

export const smtpRollingRestart: Fault = {
  name: 'smtp-rolling-restart',
  async run({ shared, isQuick }) {
    const restarts = isQuick ? RESTARTS.quick : RESTARTS.whole
    const faultWhile = (what: string) =>
      `SIGTERM of one process of two, ${restarts} times by turns, with HAProxy in front, while mail ${what}; started again`
    if (!isSmtpBalancerInstalled())
      return [{ fault: faultWhile('is submitted and comes in'), notRun: true, remark: 'it needs `apt-get install haproxy`' }]
    const environment = { ...RECEIVING_ENVIRONMENT, DRAIN_SECONDS: String(DRAIN_SECONDS), INBOUND_TRUST_PROXY: PROXY }
    const stage = await openStage({ shared, environment })
    const processes = [await freePorts(), await freePorts()] as const
    const services = [await startAt(stage, processes[0]), await startAt(stage, processes[1])]
    await makeReceivingDomain(stage)
    const balancer = await startSmtpBalancer([...processes])
    try {
      const submission = startMessages({ port: balancer.submission, auth: { user: 'program', pass: stage.place.token } }, (subject) => ({
        from: 'program@example.com',
        to: 'anyone@example.org',
        subject,
        text: 'Hello',
      }))
      const inbound = startMessages({ port: balancer.inbound, localAddress: PEER }, (subject) => ({
        from: 'ada@sender.example',
        to: 'anyone@one.example',
        subject,
        text: 'Hello',
      }))
      const loads = [submission, inbound]
      await until(() => loads.every(({ takenAtMs }) => expectCount(takenAtMs.size)), { timeout: KNOWN_MS_MAX })
      const struckAtMs = performance.now()
      const problems: string[] = []
      for (let restart = 0; restart < restarts; restart += 1) {
        const turn = restart % 2 === 0 ? 0 : 1
        const ending = await services[turn]?.signal('SIGTERM')
        if (ending?.status !== 0) problems.push(`a process ended with ${ending?.status ?? ending?.signal}`)
        const restarted = await startAt(stage, processes[turn])
        services[turn] = restarted
        // Before the other one may go, the balancer has to know this one.
        await until(() => expectMessages(restarted.url), { timeout: KNOWN_MS_MAX })
      }
      for (const { stop } of loads) stop()
      await Promise.race([Promise.all(loads.map(({ done }) => done)), wait(END_MS_MAX, undefined, { ref: false })])
      const sentUntilMs = performance.now()
      await until(() => expectAllRead(stage), { timeout: END_MS_MAX, interval: 250 }).catch(({ message }) => problems.push(message))
      await untilSettled(stage).catch(({ message }: Error) => problems.push(message))

      const rowOf = (what: string, load: Load, arrivals: Stage['arrivals'], more: string[] = []): Row => ({
        fault: faultWhile(what),
        remark: `\`DRAIN_SECONDS=${DRAIN_SECONDS}\`, PROXY protocol; ${delaysOf(load)}`,
        ...resultOf(load, arrivals, { struckAtMs, sentUntilMs, problems: [...problems, ...more] }),
      })
      return [
        rowOf('is submitted', submission, await submittedArrivals(stage)),
        rowOf('comes in', inbound, await receivedArrivals(stage, inbound), await peerProblems(stage)),
      ]
    } finally {
      await balancer.close()
      await stage.close()
    }
  },
}

const freePorts = async (): Promise<BalancedProcess> => ({
  http: await freePort(),
  submission: await freePort(),
  inbound: await freePort(),
})

const startAt = ({ place }: Stage, { http, submission, inbound }: BalancedProcess) =>
  place.start({
    port: http,
    environment: { ROLES: 'api,worker,inbound', SUBMISSION_PORT: String(submission), INBOUND_PORT: String(inbound) },
  })

function expectCount(count: number): true {
  if (count < TAKEN_BEFORE) throw new Error(`Only ${count} of ${TAKEN_BEFORE} messages are through`)
  return true
}

async function expectMessages(url: string): Promise<void> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  for (const name of ['posthaste_submission_accepted_total', 'posthaste_inbound_received_total'])
    if (!new RegExp(`^${name}(?:\\{.*\\})? [1-9]`, 'm').test(metrics)) throw new Error(`The balancer passes nothing on to it: ${name}`)
}

async function expectAllRead(stage: Stage): Promise<void> {
  const waiting = await stage.count(`from received_emails where state = 'waiting'`)
  if (waiting > 0) throw new Error(`${waiting} messages were not read`)
}

type Load = {
  /** When the 250 came, by subject. */
  takenAtMs: Map<string, number>
  /** Tries that got no 250, by the reply or the error of the connection. The client repeated each. */
  delayed: Record<string, number>
  /** Each client ends after its message. */
  stop(): void
  done: Promise<unknown>
}

type Server = { port: number; auth?: { user: string; pass: string }; localAddress?: string }

/** Clients that keep their connections, as programs and mail servers do, and send each message until it gets a 250. */
function startMessages(server: Server, messageOf: (subject: string) => SendMailOptions): Load {
  const transport = createTransport({
    ...{ host: '127.0.0.1', ignoreTLS: true, ...server },
    // A connection that ends is an error here, instead of a repetition that is not counted.
    ...{ pool: true, maxConnections: CLIENTS, maxRequeues: 0 },
  })
  const takenAtMs = new Map<string, number>()
  const delayed: Record<string, number> = {}
  let isStopped = false
  let next = 0

  async function send(message: SendMailOptions): Promise<boolean> {
    try {
      await transport.sendMail(message)
      return true
    } catch (error) {
      const { responseCode, code } = error as { responseCode?: number; code?: string }
      const reason = String(responseCode ?? code ?? 'none')
      delayed[reason] = (delayed[reason] ?? 0) + 1
      return false
    }
  }

  async function client(): Promise<void> {
    while (!isStopped) {
      next += 1
      const subject = `Message ${next}`
      while (!(await send(messageOf(subject)))) await wait(RETRY_MS)
      takenAtMs.set(subject, performance.now())
      await wait(PAUSE_MS)
    }
  }

  return {
    takenAtMs,
    delayed,
    stop() {
      isStopped = true
    },
    done: Promise.all(Array.from({ length: CLIENTS }, client)).then(() => transport.close()),
  }
}

const delaysOf = ({ delayed }: Load): string =>
  Object.keys(delayed).length === 0
    ? 'none delayed'
    : `delayed: ${Object.entries(delayed)
        .map(([reason, count]) => `${count} ${reason}`)
        .join(', ')}`

type Outcome = { struckAtMs: number; sentUntilMs: number; problems: string[] }

function resultOf({ takenAtMs, delayed }: Load, arrivals: Stage['arrivals'], { problems, ...times }: Outcome): { notRun: false } & Result {
  const refusals = Object.keys(delayed).filter((reason) => reason.startsWith('5'))
  return account(
    { arrivals },
    {
      ...times,
      accepted: [...takenAtMs.keys()],
      // An orderly end gives each message its reply, so none is sent again.
      inFlight: 0,
      refused: Object.values(delayed).reduce((sum, count) => sum + count, 0),
      problems: [...problems, ...refusals.map((reason) => `a message was refused for good with ${reason}`)],
    },
  )
}

/** What the mail server got, by subject: without an idempotency key, a message that was sent again would be a second email. */
async function submittedArrivals(stage: Stage): Promise<Stage['arrivals']> {
  const rows = await stage.query<{ id: string; subject: string }>('select id, subject from emails')
  const subjects = new Map(rows.map(({ id, subject }) => [id, subject]))
  return stage.arrivals.map(({ emailId, atMs }) => ({ emailId: subjects.get(emailId) ?? emailId, atMs }))
}

async function receivedArrivals(stage: Stage, { takenAtMs }: Load): Promise<Stage['arrivals']> {
  const rows = await stage.query<{ subject: string }>(`select subject from received_emails where state = 'read' and problem is null`)
  return rows
    .map(({ subject }) => ({ emailId: subject, atMs: takenAtMs.get(subject) ?? 0 }))
    .toSorted((one, other) => one.atMs - other.atMs)
}

async function peerProblems(stage: Stage): Promise<string[]> {
  const others = await stage.count(`from received_emails where peer <> '${PEER}'`)
  return others === 0 ? [] : [`${others} messages have another address than that of their sender`]
}
