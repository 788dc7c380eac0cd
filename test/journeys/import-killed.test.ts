import { join } from 'node:path'
import pg from 'pg'
import { afterEach, expect, it } from 'vitest'
import { storedFilesIn } from '../support/builders/contact-imports.ts'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/places.ts'
import {
  embeddedAddress,
  type Place,
  postgresPidOf,
  queryEmbedded,
  type ServiceProcess,
  untilGone,
} from '../support/processes/processes.ts'

let place: Place

afterEach(() => place.close())

const ROWS = 60_000
/** Each tenth row repeats an address, each hundredth is none. */
const rowOf = (index: number): string =>
  index % 100 === 99 ? `nobody-${index},x` : `customer${index % 10 === 9 ? index - 1 : index}@example.com,Name ${index}`
const REFUSED = ROWS / 100
const REPEATED = ROWS / 10 - ROWS / 100
/** Each costs the time after which a dead worker is found. One shows that the import continues, and more were tried by hand. */
const KILLS = 1

type Found = { status: string; counts: { total: number } }

it('an import whose service is killed in the middle ends with every row counted once', async () => {
  place = await createPreparedPlace()
  let service = await place.start()
  const headers = { authorization: `Bearer ${place.token}` }
  const body = new FormData()
  body.append('file', new Blob([`email,first_name\n${Array.from({ length: ROWS }, (_, index) => rowOf(index)).join('\n')}\n`]))
  // The import waits for this one in its middle, until all are killed.
  await beginContact(`customer${ROWS / 2}@example.com`)
  const created = await fetch(`${service.url}/contacts/imports`, { method: 'POST', headers, body })
  const { id } = (await created.json()) as { id: string }
  const read = async (): Promise<Found> => {
    const answer = await fetch(`${service.url}/contacts/imports/${id}`, { headers })
    return (await answer.json()) as Found
  }

  const totals: number[] = []
  for (let kills = 1; kills <= KILLS; kills++) {
    const before = totals.at(-1) ?? 0
    await until(async () => expect((await read()).counts.total).toBeGreaterThan(before), { timeout: 120_000, interval: 10 })
    await kill(service)
    service = await place.start()
    totals.push((await read()).counts.total)
  }
  // It was killed in the middle, and each time it had made progress.
  expect(totals.at(-1)).toBeLessThan(ROWS)
  expect(totals).toEqual([...totals].sort((a, b) => a - b))

  await until(async () => expect(await read()).toMatchObject({ status: 'completed' }), { timeout: 150_000 })
  expect(await read()).toMatchObject({
    counts: { total: ROWS, created: ROWS - REFUSED - REPEATED, updated: REPEATED, skipped: 0, failed: REFUSED },
  })
  const [rows] = await queryEmbedded(
    place.dataDir,
    `select (select count(*)::int from contacts) as contacts, (select count(*)::int from contact_import_refusals) as refusals`,
  )
  expect(rows).toEqual({ contacts: ROWS - REFUSED - REPEATED, refusals: REFUSED })
  expect(await storedFilesIn(join(place.dataDir, 'blobs'))).toEqual([])
})

/** Adds a contact within a transaction that does not end. */
async function beginContact(email: string): Promise<void> {
  const client = new pg.Client({ connectionString: embeddedAddress(place.dataDir) })
  client.on('error', () => {})
  await client.connect()
  await client.query('begin')
  await client.query(
    `insert into contacts (id, team_id, email, address_hash, created_at, updated_at) select uuidv7(), id, $1, '', now(), now() from teams`,
    [email],
  )
}

async function kill(service: ServiceProcess): Promise<void> {
  const postgres = postgresPidOf(place.dataDir)
  await service.signal('SIGKILL')
  if (postgres !== null) await untilGone(postgres)
}
