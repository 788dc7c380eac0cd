// Mail that arrives for a team while the service is killed: a mail server keeps what got no 250 and sends it again.
import { afterEach, expect, it } from 'vitest'
import { startSending } from '../support/clients/smtp-client.ts'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/places.ts'
import { freePort, type Place, postgresPidOf, queryEmbedded, type ServiceProcess, untilGone } from '../support/processes/processes.ts'

const EMAILS = 500
const KILLS = 5
const CONNECTIONS = 8
const DOMAIN_ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c80'

let place: Place
afterEach(() => place.close())

it('five kills while 500 emails come in: each that got a 250 is listed, with one event for each that is listed', async () => {
  const port = await freePort()
  place = await createPreparedPlace({
    INBOUND_PORT: String(port),
    LOG_LEVEL: 'warn',
    RECEIVED_PER_MINUTE: '1000000',
    DNS_SERVERS: '127.0.0.1:9',
  })
  let service = await place.start()
  await makeDomain()

  const load = startSending({ port, connections: CONNECTIONS, messages: Array.from({ length: EMAILS }, (_one, index) => emailTo(index)) })
  for (let kills = 1; kills <= KILLS; kills++) {
    const before = load.acknowledged()
    await until(() => expect(load.acknowledged()).toBeGreaterThanOrEqual(Math.min(before + EMAILS / 10, EMAILS)), {
      timeout: 120_000,
      interval: 10,
    })
    await kill(service)
    service = await place.start()
  }
  await load.done
  await until(async () => expect(await count("received_emails where state = 'waiting'")).toBe(0), { timeout: 180_000, interval: 250 })

  expect(load.acknowledged()).toBe(EMAILS)
  // A mail server sends again what got no 250, so some may be there twice: as two emails, each with its own id.
  expect(await count('(select distinct subject from received_emails where problem is null) r')).toBe(EMAILS)
  const rows = await count('received_emails')
  const ids = await listed(service)
  expect([ids.length, new Set(ids).size]).toEqual([rows, rows])
  const acknowledged = load.replies.map((reply) => /Stored as (\S+)/.exec(reply)?.[1])
  expect(new Set(acknowledged).size).toBe(EMAILS)
  expect(acknowledged.filter((id) => id === undefined || !ids.includes(id))).toEqual([])
  const [told] = await queryEmbedded(
    place.dataDir,
    `select count(*)::int as told, count(distinct subject_id)::int as subjects from notifications where type = 'email.received'`,
  )
  expect(told).toEqual({ told: rows, subjects: rows })
  expect(await count('received_attachments')).toBe(rows)
})

async function makeDomain(): Promise<void> {
  await queryEmbedded(
    place.dataDir,
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, status, owns_name, created_at)
     select '${DOMAIN_ID}', id, 'one.example', 'one.example', 'us-east-1', 'opportunistic', 'send', false, false, true, true, 'verified', true, now() from teams`,
  )
  await queryEmbedded(
    place.dataDir,
    `insert into domain_records (domain_id, kind, status) values ('${DOMAIN_ID}', 'Receiving', 'verified')`,
  )
}

const emailTo = (index: number) => ({
  ...{ from: 'ada@sender.example', to: `anyone${index}@one.example`, subject: `Email ${index}`, text: 'Hello' },
  attachments: [{ filename: 'a.txt', content: 'file' }],
})

/** The ids of the list, page by page. */
async function listed({ url }: ServiceProcess): Promise<string[]> {
  const ids: string[] = []
  for (let after = ''; ; ) {
    const answer = await fetch(`${url}/emails/receiving?limit=100${after}`, { headers: { authorization: `Bearer ${place.token}` } })
    const { data, has_more: hasMore } = (await answer.json()) as { data: { id: string }[]; has_more: boolean }
    ids.push(...data.map(({ id }) => id))
    if (!hasMore) return ids
    after = `&after=${ids.at(-1)}`
  }
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
