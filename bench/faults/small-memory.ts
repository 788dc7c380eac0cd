// A machine with little memory, and mail that is large: the process is put into a control group of Linux, which ends it when it takes more.
import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../test/support/clocks/until.ts'
import { freePort } from '../../test/support/processes/processes.ts'
import { type Letter, sendLetters } from '../smtp-load.ts'
import { createControlGroup } from './control-group.ts'
import { makeReceivingDomain, RECEIVING_ENVIRONMENT } from './received-trial.ts'
import { openStage, type Stage } from './stage.ts'
import { account, type Fault, type Row } from './trial.ts'

const MIB = 1024 * 1024
/** Our image and unit have the same. */
const MALLOC = 'MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072'
const EMAILS = { quick: 12, whole: 50 }
const RECEIVED = { quick: 2, whole: 10 }
/** The file of each email that is sent; in base64 it is a third larger. */
const ATTACHMENT_BYTES = 25 * MIB
/** The file of each message that is received, in base64. */
const RECEIVED_BYTES = 38 * MIB
/** What one address may bring in a minute is bounded. */
const SENDERS = 2
const RETRY_MS = 500
const END_MS_MAX = 600_000

export const memory512: Fault = {
  name: 'memory-512',
  run: ({ shared, isQuick }) => small('large emails, all at once, in 512 MB', 512, { shared, isQuick }),
}

export const memory1024: Fault = {
  name: 'memory-1024',
  run: ({ isQuick }) => small('the same in 1 GB, with the embedded PostgreSQL', 1024, { isQuick }),
}

type SmallOptions = { shared?: Parameters<Fault['run']>[0]['shared']; isQuick: boolean }

async function small(fault: string, mebibytes: number, { shared, isQuick }: SmallOptions): Promise<Row[]> {
  const group = createControlGroup(mebibytes * MIB)
  if (typeof group === 'string') return [{ fault, notRun: true, remark: group }]
  const [inboundPort, size] = [await freePort(), isQuick ? 'quick' : 'whole'] as const
  const stage = await openStage({
    ...(shared && { shared }),
    environment: {
      ...RECEIVING_ENVIRONMENT,
      INBOUND_PORT: String(inboundPort),
      TEAM_RECEIVED_MB_PER_DAY: '1000000',
      RATE_LIMIT_BYTES_PER_SECOND: '0',
    },
    sink: { server: { size: 100 * MIB }, onMessage: withoutBody },
  })
  try {
    const service = await stage.place.start({
      command: ['sh', '-c', `echo $$ > ${group.members} && exec env ${MALLOC} "$@"`, 'sh', process.execPath, 'posthaste.js', 'start'],
    })
    await makeReceivingDomain(stage)
    const startedAtMs = performance.now()
    const watching = setInterval(
      () =>
        process.stderr.write(
          `${Math.round(performance.now() / 1000)} accepted ${load.accepted.length} ${JSON.stringify(load.statuses)} taken ${receiving.taken()} arrived ${stage.arrivals.length}\n`,
        ),
      10_000,
    )
    watching.unref()
    const load = startLargeEmails(service.url, stage.place.token, EMAILS[size])
    const receiving = sendUntilTaken(inboundPort, RECEIVED[size])
    await Promise.race([Promise.all([load.done, receiving.done]), wait(END_MS_MAX, undefined, { ref: false })])
    const sentUntilMs = performance.now()
    const problems: string[] = []
    if (load.accepted.length < EMAILS[size])
      problems.push(`${load.accepted.length} of ${EMAILS[size]} emails were accepted: ${JSON.stringify(load.statuses)}`)
    if (receiving.taken() < RECEIVED[size]) problems.push(`${receiving.taken()} of ${RECEIVED[size]} messages were taken`)
    await until(() => settled(stage), { timeout: END_MS_MAX, interval: 250 }).catch((error: Error) => problems.push(error.message))
    const read = await stage.count(`from received_emails where state = 'read' and problem is null`)
    if (read !== RECEIVED[size]) problems.push(`${read} of ${RECEIVED[size]} messages were read`)
    if (group.killed() > 0) problems.push(`the process was killed ${group.killed()} times`)
    const others = Object.entries(load.statuses).filter(([status]) => status !== '200' && status !== '503')
    if (others.length > 0) problems.push(`answers ${JSON.stringify(Object.fromEntries(others))}`)
    const remark = `${EMAILS[size]} with ${ATTACHMENT_BYTES / MIB} MB of attachments sent, ${RECEIVED[size]} of 40 MB received; at most ${Math.round(group.peakBytes() / MIB)} MB, the cache of files included`
    return [
      {
        fault,
        remark,
        ...account(stage, {
          accepted: load.accepted,
          inFlight: 0,
          refused: load.statuses['503'] ?? 0,
          struckAtMs: startedAtMs,
          sentUntilMs,
          transactionMs: 0,
          problems,
        }),
      },
    ]
  } finally {
    await stage.close()
    group.remove()
  }
}

/** The drill keeps no bodies. */
function withoutBody(message: { raw: string }): undefined {
  message.raw = message.raw.slice(0, 4_096)
}

/** All at once, each again and again until it is accepted. */
function startLargeEmails(url: string, token: string, count: number) {
  const accepted: string[] = []
  const statuses: Record<string, number> = {}
  const piece = Buffer.alloc(MIB, 'QUJD')
  const pieces = Math.ceil((ATTACHMENT_BYTES * 4) / 3 / MIB)

  async function send(index: number): Promise<void> {
    for (;;) {
      const answer = await post(index).catch(() => null)
      const status = String(answer?.status ?? 'none')
      statuses[status] = (statuses[status] ?? 0) + 1
      if (answer?.status === 200) {
        accepted.push(answer.id)
        return
      }
      await wait(RETRY_MS)
    }
  }

  function post(index: number): Promise<{ status: number; id: string }> {
    const head = `{"from":"a@example.com","to":"r${index}@example.org","subject":"Number ${index}","text":"Hello.","attachments":[{"filename":"a.bin","content":"`
    const tail = '"}]}'
    return new Promise((resolve, reject) => {
      const asked = request(`${url}/emails`, {
        method: 'POST',
        agent: false,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': head.length + pieces * MIB + tail.length,
          'idempotency-key': `large-${index}`,
        },
      })
      asked.on('error', reject)
      asked.on('response', (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('error', reject)
        response.on('end', () => {
          asked.destroy()
          resolve({ status: response.statusCode ?? 0, id: (JSON.parse(text) as { id?: string }).id ?? '' })
        })
      })
      asked.write(head)
      let written = 0
      const more = () => {
        while (written < pieces) {
          written += 1
          if (!asked.write(piece)) return asked.once('drain', more)
        }
        return asked.end(tail)
      }
      more()
    })
  }

  return { accepted, statuses, done: Promise.all(Array.from({ length: count }, (_one, index) => send(index))) }
}

/** Two at a time, as mail servers do: again and again until it is taken. */
function sendUntilTaken(port: number, count: number): { taken(): number; done: Promise<unknown> } {
  let taken = 0
  const line = `${'QUJD'.repeat(19)}\r\n`
  const file = line.repeat(Math.floor(RECEIVED_BYTES / line.length))
  async function send(index: number): Promise<void> {
    const raw = `From: Ada <ada@sender.example>\r\nTo: large@one.example\r\nSubject: Large ${index}\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${file}`
    const letter: Letter = { to: 'large@one.example', raw }
    for (;;) {
      const isTaken = await sendLetters(port, [letter], { connections: 1 }).then(
        () => true,
        () => false,
      )
      if (isTaken) break
      await wait(RETRY_MS)
    }
    taken += 1
  }
  let next = 0
  async function sendNext(): Promise<void> {
    while (next < count) await send(next++)
  }
  return { taken: () => taken, done: Promise.all(Array.from({ length: SENDERS }, sendNext)) }
}

async function settled(stage: Stage): Promise<void> {
  const [deliveries, waiting] = [await stage.count('from deliveries'), await stage.count(`from received_emails where state = 'waiting'`)]
  if (deliveries + waiting > 0) throw new Error(`${deliveries} emails were not delivered, ${waiting} messages not read`)
}
