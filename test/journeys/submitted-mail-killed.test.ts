// Mail that programs submit while the service is killed: a program submits again what got no 250.
import { afterEach, expect, it } from 'vitest'
import { arrivedIds } from '../support/builders/load.ts'
import { startSending } from '../support/clients/smtp-client.ts'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/places.ts'
import { freePort, type Place, postgresPidOf, queryEmbedded, type ServiceProcess, untilGone } from '../support/processes/processes.ts'
import { type SmtpSink, startSmtpSink } from '../support/servers/smtp-sink.ts'

const EMAILS = 400
const KILLS = 3
/** How many more messages may be acknowledged before each kill. */
const PER_KILL = EMAILS / (KILLS + 1)
const CONNECTIONS = 8
/** Every fifth message is larger than what a row holds, so its content is a blob. */
const LARGE = 'A line of a message that is a blob.\r\n'.repeat(3_000)

let place: Place
let sink: SmtpSink
afterEach(async () => {
  await place.close()
  await sink.close()
})

it('three kills while 400 messages are submitted: each that got a 250 is one email, delivered once', async () => {
  sink = await startSmtpSink()
  const port = await freePort()
  place = await createPreparedPlace({
    SUBMISSION_PORT: String(port),
    SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    LOG_LEVEL: 'warn',
  })
  let service = await place.start()
  let mayBeThrough = PER_KILL
  let killed = Promise.withResolvers<void>()
  const load = startSending({
    ...{ port, connections: CONNECTIONS, auth: { user: 'program', pass: place.token } },
    messages: Array.from({ length: EMAILS }, (_one, index) => messageTo(index)),
    // However late the first deliveries are, each kill comes before all messages are through.
    async beforeTry(acknowledged) {
      if (acknowledged > mayBeThrough) await killed.promise
    },
  })
  for (let kills = 1; kills <= KILLS; kills++) {
    const [accepted, arrived] = [load.acknowledged(), sink.messages.length]
    // In the middle of both: some were accepted and some delivered since the last start.
    await until(
      () => {
        expect(load.acknowledged()).toBeGreaterThanOrEqual(Math.min(accepted + EMAILS / 8, EMAILS))
        expect(sink.messages.length).toBeGreaterThan(arrived)
      },
      { timeout: 120_000, interval: 5 },
    )
    expect(load.acknowledged()).toBeLessThan(EMAILS)
    await kill(service)
    mayBeThrough += PER_KILL
    killed.resolve()
    killed = Promise.withResolvers()
    service = await place.start()
  }
  await load.done
  await until(async () => expect(await count('deliveries')).toBe(0), { timeout: 120_000, interval: 250 })

  const accepted = load.replies.map((reply) => /^250 2\.0\.0 Ok: queued as ([0-9a-f-]{36})$/.exec(reply)?.[1])
  expect(new Set(accepted).size).toBe(EMAILS)
  const arrived = arrivedIds(sink.messages)
  const emails = await queryEmbedded<{ id: string; subject: string }>(place.dataDir, 'select id, subject from emails')
  // A commit whose 250 was lost is submitted again: as two emails, each with its own id, at most one for each connection and kill.
  expect(emails.length).toBeLessThanOrEqual(EMAILS + CONNECTIONS * KILLS)
  expect(load.repeated()).toBeGreaterThanOrEqual(emails.length - EMAILS)
  expect(new Set(emails.map(({ subject }) => subject)).size).toBe(EMAILS)
  const ids = new Set(emails.map(({ id }) => id))
  expect(accepted.filter((id) => id === undefined || !ids.has(id))).toEqual([])
  expect(new Set(arrived)).toEqual(ids)
  expect(arrived.length - ids.size).toBeLessThanOrEqual(await count("attempts where outcome = 'unknown'"))
  expect(await count("emails where last_event = 'delivered'")).toBe(emails.length)

  const large = sink.messages.filter(({ raw }) => Number(/^Subject: Message (\d+)\r$/m.exec(raw)?.[1]) % 5 === 0)
  expect(large.length).toBeGreaterThanOrEqual(EMAILS / 5)
  expect(large.every(({ raw }) => raw.endsWith(`\r\n\r\n${LARGE}`))).toBe(true)
})

const messageTo = (index: number) => ({
  envelope: { from: 'program@example.com', to: `r${index}@example.org` },
  raw: `From: program@example.com\r\nTo: r${index}@example.org\r\nSubject: Message ${index}\r\n\r\n${index % 5 === 0 ? LARGE : 'Hello\r\n'}`,
})

async function kill(service: ServiceProcess): Promise<void> {
  const postgres = postgresPidOf(place.dataDir)
  await service.signal('SIGKILL')
  if (postgres !== null) await untilGone(postgres)
}

async function count(from: string): Promise<number> {
  const [row] = await queryEmbedded<{ count: number }>(place.dataDir, `select count(*)::int as count from ${from}`)
  return row?.count ?? 0
}
