import { keyNameOf, keyRecord, signed } from '../test/support/builders/returned-mail.ts'
import { startDnsServer } from '../test/support/servers/dns-server.ts'
import { email } from './email.ts'
import { generateLoad } from './load.ts'
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
} from './place.ts'
import { freePort, until } from './processes.ts'
import { postgresCpuMs, processCpuMs } from './processor-time.ts'
import { type Letter, sendLetters } from './smtp-load.ts'
import { atLeast, atMost, megabytes, microseconds, percentile, perSecond, type Row } from './table.ts'

const EMAILS = 6_000
const QUICK_EMAILS = 300
const WARM_UP = 300
const CONNECTIONS = 20
const PER_SECOND_MIN = 200
/** POST /emails beside as many received emails a second as are wanted. */
const BESIDE = { connections: 50, seconds: 8, quickSeconds: 1, ratioMin: 0.7 }
/** The largest message: a file of 29 MB in base64. */
const LARGE = { lines: 500_000, bytesMax: 100 * 1024 * 1024 }
const READING_MS_MAX = 120_000
/** The lines of each text, so that the message has 20 KB. */
const TEXT_LINES = 256
const SENDER = 'sender.example'
const DOMAIN_ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c80'

/** Signed emails of 20 KB to a domain of a team: until they are stored, and until they are read and judged. */
export async function measureReceiving(place: Place): Promise<Row[]> {
  const databaseUrl = await createDatabase(place, 'bench_receiving')
  const port = await freePort()
  const dns = await startSenderDns()
  const service = await startService({ ...environmentOf(place, databaseUrl), ...receivingSettings(port, dns) })
  try {
    await makeReceivingDomain(databaseUrl)
    const letters = await receivedLetters((place.isQuick ? QUICK_EMAILS : EMAILS) + WARM_UP)
    await sendLetters(port, letters.splice(0, WARM_UP), { connections: CONNECTIONS })
    await untilRead(databaseUrl)

    await service.rest()
    const cpuMs = () => ({ service: processCpuMs(service.child.pid ?? 0), postgres: postgresCpuMs(place.dataDir) })
    const before = cpuMs()
    const startedAt = performance.now()
    const durations = await sendLetters(port, letters, { connections: CONNECTIONS })
    const storedPerSecond = rateSince(startedAt, letters.length)
    await untilRead(databaseUrl)
    const readPerSecond = rateSince(startedAt, letters.length)
    const passed = await countRows(databaseUrl, "received_emails where dkim = 'pass' and dmarc = 'pass'")
    if (passed !== letters.length + WARM_UP) throw new Error(`${passed} emails have passed, of ${letters.length + WARM_UP}`)
    const after = cpuMs()
    const memory = memoryRow('receiving', [service.memory.peakAboveRest()])
    const each = (of: 'service' | 'postgres') => microseconds(((after[of] - before[of]) * 1_000) / letters.length)
    return [
      {
        what: 'receiving: emails of 20 KB stored and answered with 250',
        result: perSecond(storedPerSecond),
        p50: percentile(durations, 0.5),
        p99: percentile(durations, 0.99),
        wanted: atLeast(storedPerSecond, PER_SECOND_MIN),
      },
      {
        what: 'receiving: the same until they are read and judged',
        result: perSecond(readPerSecond),
        wanted: atLeast(readPerSecond, PER_SECOND_MIN),
      },
      { what: 'receiving: processor time of the service for one', result: each('service') },
      { what: 'receiving: processor time of PostgreSQL for one', result: each('postgres') },
      memory,
      ...(await beside(place, { port, service, letters })),
      await largest(databaseUrl, port, service),
    ]
  } finally {
    await service.stop()
    await dns.close()
    await dropDatabase(place, 'bench_receiving')
  }
}

/** POST /emails alone, and while emails are received. */
async function beside(place: Place, { port, service, letters }: { port: number; service: Service; letters: Letter[] }): Promise<Row[]> {
  const seconds = place.isQuick ? BESIDE.quickSeconds : BESIDE.seconds
  const post = () => generateLoad({ url: `${service.url}/emails`, connections: BESIDE.connections, body: email(0), seconds })
  await post()
  const alone = await post()
  const sending = sendLetters(port, letters.slice(0, PER_SECOND_MIN * (seconds + 1)), {
    connections: CONNECTIONS,
    perSecondMax: PER_SECOND_MIN,
  })
  const together = await post()
  await sending
  const ratio = together.perSecond / alone.perSecond
  return [
    { what: 'receiving: POST /emails alone', result: perSecond(alone.perSecond), p50: alone.p50, p99: alone.p99 },
    {
      what: `receiving: POST /emails beside ${perSecond(PER_SECOND_MIN)} received`,
      result: perSecond(together.perSecond),
      ...{ p50: together.p50, p99: together.p99, ratio },
      wanted: atLeast(ratio, BESIDE.ratioMin, `ratio at least ${BESIDE.ratioMin}`),
    },
  ]
}

/** What the process holds above rest while the largest message arrives and is read. */
async function largest(databaseUrl: string, port: number, service: Service): Promise<Row> {
  await untilRead(databaseUrl)
  await service.rest()
  const file = `${'QUJD'.repeat(19)}\r\n`.repeat(LARGE.lines)
  const raw = `From: Ada <ada@${SENDER}>\r\nTo: large@bench.example\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${file}`
  await sendLetters(port, [{ to: 'large@bench.example', raw }], { connections: 1 })
  await untilRead(databaseUrl)
  const bytes = service.memory.peakAboveRest()
  return {
    what: `receiving: memory above rest for a message of ${megabytes(raw.length)}`,
    result: megabytes(bytes),
    wanted: atMost(bytes, LARGE.bytesMax, `at most ${megabytes(LARGE.bytesMax)}`),
  }
}

/** The DNS of the sender, with what mail from there is judged by. */
export const startSenderDns = () =>
  startDnsServer({
    [SENDER]: { TXT: ['v=spf1 ip4:127.0.0.0/8 -all'] },
    [`_dmarc.${SENDER}`]: { TXT: ['v=DMARC1; p=reject'] },
    [keyNameOf(SENDER)]: keyRecord,
  })

/** The settings of a service that receives as much as comes. */
export const receivingSettings = (port: number, dns: { address: string }): Record<string, string> => ({
  INBOUND_PORT: String(port),
  DNS_SERVERS: dns.address,
  RECEIVED_PER_MINUTE: '1000000',
  TEAM_RECEIVED_MB_PER_DAY: '1000000',
})

const rateSince = (startedAt: number, count: number): number => (count * 1_000) / (performance.now() - startedAt)

export const untilRead = (databaseUrl: string): Promise<void> =>
  until(
    async () => (await countRows(databaseUrl, "received_emails where state = 'waiting'")) === 0,
    () => `Not all emails were read within ${READING_MS_MAX / 1_000} s`,
    READING_MS_MAX,
  )

export async function makeReceivingDomain(databaseUrl: string): Promise<void> {
  await query(
    databaseUrl,
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, status, owns_name, created_at)
     select '${DOMAIN_ID}', id, 'bench.example', 'bench.example', 'us-east-1', 'opportunistic', 'send', false, false, true, true, 'verified', true, now()
     from teams limit 1`,
  )
  await query(databaseUrl, `insert into domain_records (domain_id, kind, status) values ('${DOMAIN_ID}', 'Receiving', 'verified')`)
}

export function receivedLetters(count: number): Promise<Letter[]> {
  const text = `${'The quick brown fox jumps over the lazy dog, and then sleeps for a while.\r\n'.repeat(TEXT_LINES)}`
  return Promise.all(
    Array.from({ length: count }, async (_one, index) => ({
      to: `someone${index}@bench.example`,
      raw: await signed(
        `From: Ada <ada@${SENDER}>\r\nTo: someone${index}@bench.example\r\nSubject: Email ${index}\r\nMessage-ID: <${index}@${SENDER}>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\n${text}`,
        { domain: SENDER },
      ),
    })),
  )
}
