import { createReturnPathTokens } from '../src/modules/delivery/return-path.ts'
import { contextOf, unwrapKey } from '../src/modules/secrets/data-keys.ts'
import { deliveryReport } from '../test/support/builders/returned-mail.ts'
import { email } from './email.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, type Place, query, type Service, startService, TOKEN } from './place.ts'
import { freePort, until } from './processes.ts'
import { type Letter, sendLetters } from './smtp-load.ts'
import { atLeast, percentile, perSecond, type Row } from './table.ts'

const BOUNCES = 6_000
const QUICK_BOUNCES = 300
const WARM_UP = 200
const PER_BATCH = 100
const CONNECTIONS = 20
const PER_SECOND_MIN = 300
const ACTING_MS_MAX = 120_000
const SECRET_KEY = 'secret of the bench of inbound mail'

/** Bounces by SMTP, each of another recipient: until they are stored, and until they are acted upon. */
export async function measureInbound(place: Place): Promise<Row[]> {
  const databaseUrl = await createDatabase(place, 'bench_inbound')
  const port = await freePort()
  const service = await startService({ ...environmentOf(place, databaseUrl), SECRET_KEY, INBOUND_PORT: String(port) })
  try {
    const letters = await lettersOf(databaseUrl, service, (place.isQuick ? QUICK_BOUNCES : BOUNCES) + WARM_UP)
    await sendLetters(port, letters.splice(0, WARM_UP), { connections: CONNECTIONS })
    await untilActed(databaseUrl)

    const startedAt = performance.now()
    const durations = await sendLetters(port, letters, { connections: CONNECTIONS })
    const storedPerSecond = rateSince(startedAt, letters.length)
    await untilActed(databaseUrl)
    const actedPerSecond = rateSince(startedAt, letters.length)
    const bounced = await countRows(databaseUrl, "recipients where state = 'bounced'")
    if (bounced !== letters.length + WARM_UP) throw new Error(`${bounced} recipients have bounced, of ${letters.length + WARM_UP}`)
    return [
      {
        what: 'inbound: bounces stored and answered with 250',
        result: perSecond(storedPerSecond),
        p50: percentile(durations, 0.5),
        p99: percentile(durations, 0.99),
        wanted: atLeast(storedPerSecond, PER_SECOND_MIN),
      },
      {
        what: 'inbound: the same until they are acted upon',
        result: perSecond(actedPerSecond),
        wanted: atLeast(actedPerSecond, PER_SECOND_MIN),
      },
    ]
  } finally {
    await service.stop()
    await dropDatabase(place, 'bench_inbound')
  }
}

const rateSince = (startedAt: number, count: number): number => (count * 1_000) / (performance.now() - startedAt)

const untilActed = (databaseUrl: string): Promise<void> =>
  until(
    async () => (await countRows(databaseUrl, "inbound_messages where state = 'waiting'")) === 0,
    () => `Not all bounces were acted upon within ${ACTING_MS_MAX / 1_000} s`,
    ACTING_MS_MAX,
  )

/** Sends emails that are delivered, and makes a bounce for each recipient. */
async function lettersOf(databaseUrl: string, { url }: Service, count: number): Promise<Letter[]> {
  for (let from = 0; from < count; from += PER_BATCH) {
    const emails = Array.from({ length: PER_BATCH }, (_one, index) => email(from + index))
    const answer = await fetch(`${url}/emails/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(emails),
    })
    if (answer.status !== 200) throw new Error(`The service answered ${answer.status} ${await answer.text()}`)
  }
  await until(
    async () => (await countRows(databaseUrl, 'deliveries')) === 0,
    () => 'Not all emails were delivered',
    ACTING_MS_MAX,
  )
  const [key] = await query<{ version: number; wrapped: Buffer }>(
    databaseUrl,
    "select version, wrapped from data_keys where purpose = 'return-path'",
  )
  const opened = key && unwrapKey(SECRET_KEY, key.wrapped, contextOf({ purpose: 'return-path', version: key.version }))
  if (!opened) throw new Error('There is no key for return paths')
  const tokens = createReturnPathTokens(() => ({ signing: key.version, keys: new Map([[key.version, opened]]) }))
  const recipients = await query<{ id: string; address: string }>(databaseUrl, `select id, address from recipients limit ${count}`)
  return recipients.map(({ id, address }) => {
    const to = `${tokens.create(id)}@send.example.com`
    return { to, raw: deliveryReport([{ address }], { messageId: `<${id}@example.com>`, returnPath: to }) }
  })
}
