// A broadcast to a large audience: how fast its emails are made, what they take up, and how fast its recipients are listed.
import { createServer } from 'node:net'
import { LOWEST_ID } from '../src/lib/ids.ts'
import { fillAudience, LISTS, TEAM } from './audience-rows.ts'
import { measureLists, readByMany } from './broadcast-lists.ts'
import { createDatabase, dropDatabase, environmentOf, memoryRow, type Place, query, type Service, startService, TOKEN } from './place.ts'
import { until } from './processes.ts'
import { atMost, perSecond, type Row } from './table.ts'

const FULL = 1_000_000
const QUICK = 10_000
const SECONDS_MAX = 60
const SECONDS_MAX_OF_FILTER = 90
const BYTES_MAX = 700
const BYTES_DELIVERED_MAX = 450
const LIMIT_MS = 600_000
const DELIVERED_AT_ONCE = 5_000
/** A fifth of the emails, for which autovacuum waits. */
const PARTS_OF_A_VACUUM = 40

export async function measureBroadcast(place: Place): Promise<Row[]> {
  const count = place.isQuick ? QUICK : FULL
  const databaseUrl = await createDatabase(place, 'bench_broadcast')
  const silence = await startSilence()
  const service = await startService({ ...environmentOf(place, databaseUrl), SMTP_RELAY_URL: `smtp://127.0.0.1:${silence.port}` })
  await makeAudience(databaseUrl, count)
  const send = (body: object) => sendBroadcast(service, databaseUrl, body)

  await service.rest()
  const sizeBefore = await sizeOf(databaseUrl)
  const everyone = await send({ segment_id: LISTS.everybody })
  const bytes = ((await sizeOf(databaseUrl)) - sizeBefore) / everyone.recipients
  const filtered = await send({ segment_id: await makeFilter(service), topic_id: LISTS.news })
  const memory = service.memory.peakAboveRest()

  await deliverAll(databaseUrl, everyone.id)
  const bytesDelivered = (await sizeOfMail(databaseUrl)) / (everyone.recipients + filtered.recipients)
  await readByMany(databaseUrl, everyone.id)
  const lists = await measureLists((path) => call(service, 'GET', path), databaseUrl, everyone.id)
  await service.stop()
  silence.close()
  await dropDatabase(place, 'bench_broadcast')

  const row = (what: string, { recipients, seconds }: Sent, max: number): Row => ({
    what: `broadcast: ${what}, ${recipients.toLocaleString('en')} emails`,
    result: `${seconds.toFixed(1)} s, ${perSecond(recipients / seconds)}`,
    wanted: atMost(seconds, max, `under ${max} s`),
  })
  const size = (what: string, value: number, max: number): Row => ({
    what: `broadcast: ${what}`,
    result: `${Math.round(value).toLocaleString('en')} bytes`,
    wanted: atMost(value, max, `at most ${max}`),
  })
  return [
    row('everyone in a segment', everyone, SECONDS_MAX),
    row('by a filter, with a topic', filtered, SECONDS_MAX_OF_FILTER),
    size('a recipient, all tables and indexes', bytes, BYTES_MAX),
    size('a recipient whose email was delivered', bytesDelivered, BYTES_DELIVERED_MAX),
    ...lists,
    memoryRow('broadcast', [memory]),
  ]
}

/** A mail server that takes connections and never says a word, so that making emails is all that is measured. */
async function startSilence(): Promise<{ port: number; close(): void }> {
  const server = createServer((socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return { port: address !== null && typeof address === 'object' ? address.port : 0, close: () => server.close() }
}

/** Contacts of the team that the key then has. */
async function makeAudience(databaseUrl: string, count: number): Promise<void> {
  await query(databaseUrl, `insert into teams (id, name, created_at) values ('${TEAM}', 'Bench', now())`)
  await query(databaseUrl, `update api_keys set team_id = '${TEAM}'`)
  await query(
    databaseUrl,
    `insert into segments (id, team_id, name, created_at) values ('${LISTS.everybody}', '${TEAM}', 'Everybody', now())`,
  )
  await query(
    databaseUrl,
    `insert into topics (id, team_id, name, default_subscription, visibility, created_at, updated_at)
     values ('${LISTS.news}', '${TEAM}', 'News', 'opt_in', 'public', now(), now())`,
  )
  await fillAudience(databaseUrl, count)
}

async function makeFilter(service: Service): Promise<string> {
  const filter = { field: 'first_name', operator: 'is_set' }
  return (await call<{ id: string }>(service, 'POST', '/segments', { name: 'Some', filter })).id
}

type Sent = { id: string; recipients: number; seconds: number }

/** Until every email is made. */
async function sendBroadcast(service: Service, databaseUrl: string, body: object): Promise<Sent> {
  const beganMs = performance.now()
  const { id } = await call<{ id: string }>(service, 'POST', '/broadcasts', {
    name: 'News',
    from: 'Acme <news@example.com>',
    subject: 'News for {{{contact.first_name|you}}}',
    html: '<p>Hello {{{contact.first_name|there}}} {{{contact.last_name}}}!</p><p><a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>',
    send: true,
    ...body,
  })
  await until(
    async () => (await broadcastOf(databaseUrl, id))?.is_fanned_out === true,
    () => 'The emails of the broadcast were not made',
    LIMIT_MS,
  )
  const seconds = (performance.now() - beganMs) / 1_000
  return { id, recipients: (await broadcastOf(databaseUrl, id))?.recipient_count ?? 0, seconds }
}

async function broadcastOf(databaseUrl: string, id: string) {
  const [row] = await query<{ is_fanned_out: boolean; recipient_count: number }>(
    databaseUrl,
    'select is_fanned_out, recipient_count from broadcasts where id = $1',
    [id],
  )
  return row
}

async function sizeOf(databaseUrl: string): Promise<number> {
  const [row] = await query<{ bytes: number }>(databaseUrl, 'select pg_database_size(current_database())::float8 as bytes')
  return row?.bytes ?? 0
}

/** What stays of emails that were delivered, where vacuums come as they should. */
async function sizeOfMail(databaseUrl: string): Promise<number> {
  const [row] = await query<{ bytes: number }>(
    databaseUrl,
    `select sum(pg_total_relation_size(name::regclass))::float8 as bytes from unnest(array['emails', 'recipients', 'broadcast_acts', 'broadcast_marks']) name`,
  )
  return row?.bytes ?? 0
}

/** Marks everything as taken by the mail server: some at a time, as workers do, with vacuums between. */
async function deliverAll(databaseUrl: string, id: string): Promise<void> {
  await query(databaseUrl, 'truncate deliveries')
  let last: string | undefined = LOWEST_ID
  for (let parts = 1; last !== undefined; parts += 1) {
    const [part]: { last: string | null }[] = await query(
      databaseUrl,
      `with part as materialized (
         select id, last_event from emails where broadcast_id = $1 and id > $2 order by broadcast_id, id limit ${DELIVERED_AT_ONCE}
       ), delivered_emails as (
         update emails e set last_event = 'delivered', final_at = now() from part where e.id = part.id and part.last_event <> 'suppressed'
       ), delivered_recipients as (
         update recipients r set state = 'delivered' from part where r.email_id = part.id and part.last_event <> 'suppressed'
       ) select max(id::text) as last from part`,
      [id, last],
    )
    last = part?.last ?? undefined
    if (parts % PARTS_OF_A_VACUUM === 0) await query(databaseUrl, 'vacuum emails, recipients')
  }
  // The notifications of these emails would write these marks, but they would fill the database.
  await query(
    databaseUrl,
    `insert into broadcast_marks (broadcast_id, type, email_id)
     select distinct on (e.broadcast_id, type, broadcast_stretch(e.id)) e.broadcast_id, type, e.id
     from emails e, unnest(array['sent', 'delivered']) type where e.broadcast_id = $1 and e.last_event = 'delivered'
     order by e.broadcast_id, type, broadcast_stretch(e.id), e.id on conflict do nothing`,
    [id],
  )
  await query(databaseUrl, 'vacuum analyze')
}

async function call<Body>(service: Service, method: string, path: string, body?: object): Promise<Body> {
  const answer = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Body
}
