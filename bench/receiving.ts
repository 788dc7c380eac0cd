import { keyNameOf, keyRecord, signed } from '../test/support/builders/signed-reports.ts'
import { startDnsServer } from '../test/support/servers/dns-server.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, type Place, query, startService } from './place.ts'
import { freePort, until } from './processes.ts'
import { type Letter, sendLetters } from './smtp-load.ts'
import { atLeast, percentile, perSecond, type Row } from './table.ts'

const EMAILS = 6_000
const QUICK_EMAILS = 300
const WARM_UP = 300
const CONNECTIONS = 20
const PER_SECOND_MIN = 200
const READING_MS_MAX = 120_000
/** The lines of each text, so that the message has 20 KB. */
const TEXT_LINES = 256
const SENDER = 'sender.example'
const DOMAIN_ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c80'

/** Signed emails of 20 KB to a domain of a team: until they are stored, and until they are read and judged. */
export async function measureReceiving(place: Place): Promise<Row[]> {
  const databaseUrl = await createDatabase(place, 'bench_receiving')
  const port = await freePort()
  const dns = await startDnsServer({
    [SENDER]: { TXT: ['v=spf1 ip4:127.0.0.0/8 -all'] },
    [`_dmarc.${SENDER}`]: { TXT: ['v=DMARC1; p=reject'] },
    [keyNameOf(SENDER)]: keyRecord,
  })
  const service = await startService({
    ...environmentOf(place, databaseUrl),
    ...{ INBOUND_PORT: String(port), DNS_SERVERS: dns.address, RECEIVED_PER_MINUTE: '1000000', RECEIVED_MB_PER_DAY: '1000000' },
  })
  try {
    await makeDomain(databaseUrl)
    const letters = await lettersOf((place.isQuick ? QUICK_EMAILS : EMAILS) + WARM_UP)
    await sendLetters(port, letters.splice(0, WARM_UP), { connections: CONNECTIONS })
    await untilRead(databaseUrl)

    const startedAt = performance.now()
    const durations = await sendLetters(port, letters, { connections: CONNECTIONS })
    const storedPerSecond = rateSince(startedAt, letters.length)
    await untilRead(databaseUrl)
    const readPerSecond = rateSince(startedAt, letters.length)
    const passed = await countRows(databaseUrl, "received_emails where dkim = 'pass' and dmarc = 'pass'")
    if (passed !== letters.length + WARM_UP) throw new Error(`${passed} emails have passed, of ${letters.length + WARM_UP}`)
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
    ]
  } finally {
    await service.stop()
    await dns.close()
    await dropDatabase(place, 'bench_receiving')
  }
}

const rateSince = (startedAt: number, count: number): number => (count * 1_000) / (performance.now() - startedAt)

const untilRead = (databaseUrl: string): Promise<void> =>
  until(
    async () => (await countRows(databaseUrl, "received_emails where state = 'waiting'")) === 0,
    () => `Not all emails were read within ${READING_MS_MAX / 1_000} s`,
    READING_MS_MAX,
  )

async function makeDomain(databaseUrl: string): Promise<void> {
  await query(
    databaseUrl,
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, status, owns_name, created_at)
     select '${DOMAIN_ID}', id, 'bench.example', 'bench.example', 'us-east-1', 'opportunistic', 'send', false, false, true, true, 'verified', true, now()
     from teams limit 1`,
  )
  await query(databaseUrl, `insert into domain_records (domain_id, kind, status) values ('${DOMAIN_ID}', 'Receiving', 'verified')`)
}

function lettersOf(count: number): Promise<Letter[]> {
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
