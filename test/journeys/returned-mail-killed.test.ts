// Bounces that arrive while the service is killed: a mail server keeps what got no 250 and sends it again.
import { afterEach, expect, it } from 'vitest'
import { createReturnPathTokens } from '../../src/modules/delivery/return-path.ts'
import { contextOf, unwrapKey } from '../../src/modules/secrets/data-keys.ts'
import { deliveryReport } from '../support/builders/returned-mail.ts'
import { startSending } from '../support/clients/smtp-client.ts'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/places.ts'
import { freePort, type Place, postgresPidOf, queryEmbedded, type ServiceProcess, untilGone } from '../support/processes/processes.ts'

const BOUNCES = 1_000
const KILLS = 5
const CONNECTIONS = 16
const PER_BATCH = 100
const SECRET_KEY = 'secret of the journey of returned mail'

let place: Place
afterEach(() => place.close())

it('five kills while 1,000 bounces come in: each that got a 250 is acted upon exactly once', async () => {
  const port = await freePort()
  place = await createPreparedPlace({ SECRET_KEY, INBOUND_PORT: String(port), LOG_LEVEL: 'warn' })
  let service = await place.start()
  const recipients = await sendAll(service)

  const load = startSending({ port, connections: CONNECTIONS, messages: recipients.map(bounceOf) })
  for (let kills = 1; kills <= KILLS; kills++) {
    const before = load.acknowledged()
    await until(() => expect(load.acknowledged()).toBeGreaterThanOrEqual(Math.min(before + BOUNCES / 10, BOUNCES)), {
      timeout: 120_000,
      interval: 10,
    })
    await kill(service)
    service = await place.start()
  }
  await load.done
  await until(async () => expect(await count("inbound_messages where state = 'waiting'")).toBe(0), { timeout: 120_000, interval: 250 })

  expect(load.acknowledged()).toBe(BOUNCES)
  // A mail server sends again what got no 250, so some may be there twice.
  expect(await count('(select distinct recipient_id from inbound_messages) r')).toBe(BOUNCES)
  expect(await count("recipients where state = 'bounced'")).toBe(BOUNCES)
  for (const type of ['email.bounced', 'suppression.added']) {
    const told = await queryEmbedded(
      place.dataDir,
      `select count(*)::int as told, count(distinct subject_id)::int as subjects from notifications where type = '${type}'`,
    )
    expect({ type, told }).toEqual({ type, told: [{ told: BOUNCES, subjects: BOUNCES }] })
  }
})

type Recipient = { token: string; address: string }

/** Sends an email to each recipient, and waits until they have them. Returns them with the local parts of their return paths. */
async function sendAll({ url }: ServiceProcess): Promise<Recipient[]> {
  for (let from = 0; from < BOUNCES; from += PER_BATCH) {
    const emails = Array.from({ length: PER_BATCH }, (_one, index) => ({
      from: 'shop@example.com',
      to: `customer${from + index}@example.org`,
      subject: 'Receipt',
      text: 'Thank you.',
    }))
    const answer = await fetch(`${url}/emails/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(emails),
    })
    expect(answer.status).toBe(200)
  }
  await until(async () => expect(await count("recipients where state = 'delivered'")).toBe(BOUNCES), { timeout: 120_000, interval: 250 })
  const [key] = await queryEmbedded<{ version: number; wrapped: Buffer }>(
    place.dataDir,
    "select version, wrapped from data_keys where purpose = 'return-path'",
  )
  const opened = key && unwrapKey(SECRET_KEY, key.wrapped, contextOf({ purpose: 'return-path', version: key.version }))
  if (!opened) throw new Error('There is no key for return paths')
  const tokens = createReturnPathTokens(() => ({ signing: key.version, keys: new Map([[key.version, opened]]) }))
  const rows = await queryEmbedded<{ id: string; address: string }>(place.dataDir, 'select id, address from recipients')
  return rows.map(({ id, address }) => ({ token: tokens.create(id), address }))
}

function bounceOf({ token, address }: Recipient) {
  const to = `${token}@send.example.com`
  const raw = deliveryReport([{ address }], { messageId: `<${token}@example.com>`, returnPath: to })
  return { envelope: { from: '', to }, raw }
}

async function kill(service: ServiceProcess): Promise<void> {
  const postgres = postgresPidOf(place.dataDir)
  await service.signal('SIGKILL')
  if (postgres !== null) await untilGone(postgres)
}

async function count(from: string): Promise<number> {
  const [row] = await queryEmbedded<{ count: number }>(place.dataDir, `select count(*)::int as count from ${from}`)
  return row?.count ?? 0
}
