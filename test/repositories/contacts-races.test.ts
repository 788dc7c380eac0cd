// What happens to contacts at the same time: on the real database, many rounds, so that both orders are met.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../src/lib/ids.ts'
import type { Execute } from '../../src/repositories/database.ts'
import { type ContactToMerge, mergeContacts } from '../../src/repositories/merge-contacts.ts'
import { addSegment, addTopic, createContact, newAddress, readContact } from '../support/contact-builders.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** At least so many rounds of a race, and more until each of its ends was met: which one that is, is the machine's choice. */
const ROUNDS = { least: 60, most: 1_500 }

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const hashOf = (email: string) => service.service.context.hashAddress(service.teamId, email)

async function rowsWithoutContact(): Promise<unknown> {
  const [row] = await service.database.execute(
    `select (select count(*)::int from contact_segments m where not exists (select from contacts c where c.id = m.contact_id)) as segments,
       (select count(*)::int from contact_topics m where not exists (select from contacts c where c.id = m.contact_id)) as topics`,
  )
  return row
}

const goesOn = (round: number, ends: Set<unknown>): boolean => round < ROUNDS.least || (ends.size < 2 && round < ROUNDS.most)

/** Both at once, one or the other sent first. */
async function both<A, B>(isFirstFirst: boolean, first: () => Promise<A>, second: () => Promise<B>): Promise<{ first: A; second: B }> {
  const early = isFirstFirst ? first() : null
  const other = second()
  return { first: await (early ?? first()), second: await other }
}

describe('creates of one address at once', () => {
  it('make one contact, and all answer its id', async () => {
    const email = newAddress()
    const [segment, topic] = [await addSegment(service), await addTopic(service)]
    const body = { email, segments: [segment], topics: [{ id: topic, subscription: 'opt_out' }] }
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => service.call('POST', '/contacts', { body: { ...body, first_name: `Name ${index}` } })),
    )
    const { id } = await readContact(service, email)
    expect(answers.map(({ status, body: answer }) => ({ status, answer }))).toEqual(
      answers.map(() => ({ status: 201, answer: { object: 'contact', id } })),
    )
    const told = await service.database.execute<{ type: string }>('select type from notifications where subject_id = $1', [id])
    const count = (type: string) => told.filter((row) => row.type === type).length
    expect([count('contact.created'), count('contact.updated'), count('contact.topics.updated')]).toEqual([1, 49, 1])
  })
})

describe('a contact that is changed and deleted at once', () => {
  it('is changed or not there any more, and leaves no memberships and no choices behind', async () => {
    const segments = [await addSegment(service), await addSegment(service)]
    const topics = [{ id: await addTopic(service), subscription: 'opt_out' }]
    const seen = new Set<string>()
    for (let round = 0; goesOn(round, seen); round += 1) {
      const email = newAddress()
      const id = await createContact(service, { email, segments, topics })
      const change = () => service.call('PATCH', `/contacts/${id}`, { body: { first_name: 'Ada', unsubscribed: true } })
      const remove = () => service.call('DELETE', `/contacts/${email}`)
      const { first: changed, second: removed } = await both(round % 2 === 0, change, remove)
      expect(removed.status).toBe(200)
      seen.add(`changed ${changed.status}`)
    }
    expect([...seen].sort()).toEqual(['changed 200', 'changed 404'])
    expect(await rowsWithoutContact()).toEqual({ segments: 0, topics: 0 })
  })

  it('is created anew or merged into when it is created and deleted at once, and stays whole', async () => {
    const segments = [await addSegment(service)]
    const topics = [{ id: await addTopic(service), subscription: 'opt_in' }]
    const ids = new Set<boolean>()
    for (let round = 0; goesOn(round, ids); round += 1) {
      const email = newAddress()
      const before = await createContact(service, { email, segments, topics })
      const create = () => service.call('POST', '/contacts', { body: { email, segments, topics } })
      const remove = () => service.call('DELETE', `/contacts/${before}`)
      const { first: created, second: removed } = await both(round % 2 === 0, create, remove)
      expect([created.status, removed.status]).toEqual([201, 200])
      ids.add((created.body as { id: string }).id === before)
    }
    expect(ids).toEqual(new Set([true, false]))
    expect(await rowsWithoutContact()).toEqual({ segments: 0, topics: 0 })
  })
})

describe('contacts that take the same address at once', () => {
  it('get it once', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => createContact(service, { email: newAddress() })))
    const email = newAddress()
    const answers = await Promise.all(ids.map((id) => service.call('PATCH', `/contacts/${id}`, { body: { email } })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 422)])
  })

  it("find each other's address taken, also when they wait for each other", async () => {
    const [first, second] = [newAddress(), newAddress()]
    await createContact(service, { email: first })
    await createContact(service, { email: second })
    const swap = () =>
      Promise.all([
        service.call('PATCH', `/contacts/${first}`, { body: { email: second } }),
        service.call('PATCH', `/contacts/${second}`, { body: { email: first } }),
      ])
    for (let round = 0; round < 10; round += 1) expect((await swap()).map(({ status }) => status)).toEqual([422, 422])
  })

  it('are tried again when PostgreSQL ends one of two that wait for each other', async () => {
    const [mine, theirs] = [newAddress(), newAddress()]
    const id = await createContact(service, { email: mine })
    const { contacts } = service.service.context.repositories
    // A merge that has just made the wanted address, and comes to the contact that wants it: the deadlock is certain.
    const [moved] = await meetInside(async (inside, nextMayGo) => {
      await merge(inside, [theirs])
      nextMayGo(() => contacts.update(service.teamId, { id }, { email: theirs }, hashOf))
      await somebodyWaits()
      await merge(inside, [mine]).catch(() => {})
    })
    // Whoever was ended: the address is taken if the merge was not, and free if it was.
    const email = (await readContact(service, id)).email
    expect([moved, email]).toEqual(moved === 'taken' ? ['taken', mine] : [{ id }, theirs])
  })
})

/** Until a transaction of this database waits for another. */
const somebodyWaits = () =>
  until(
    async () => {
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      expect(await service.database.execute(waiting)).not.toEqual([])
    },
    { timeout: 10_000 },
  )

/** Runs a transaction that may let others go on while it is open; answers what they came to. */
async function meetInside<Outcome>(
  work: (inside: Execute, nextMayGo: (next: () => Promise<Outcome>) => void) => Promise<void>,
): Promise<Outcome[]> {
  const others: Promise<Outcome>[] = []
  await service.database
    .transaction((inside) => work(inside, (next) => others.push(next())))
    .catch((error: unknown) => {
      // The transaction was the one that was ended.
      if (!(error instanceof Error && 'code' in error && error.code === '40P01')) throw error
    })
  return Promise.all(others)
}

const toMerge = (email: string): ContactToMerge => ({
  id: createId(),
  email,
  addressHash: hashOf(email),
  firstName: null,
  lastName: null,
  unsubscribed: false,
  properties: {},
})

const merge = (execute: Execute, emails: string[], onConflict: 'upsert' | 'skip' = 'upsert') =>
  mergeContacts(execute, emails.map(toMerge), { teamId: service.teamId, segmentIds: [], topics: [], onConflict, now: new Date() })

describe('merges', () => {
  it.each(['upsert', 'skip'] as const)('of the same people in opposite order wait for each other (%s)', async (onConflict) => {
    const emails = Array.from({ length: 200 }, newAddress)
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        service.database.transaction((inside) => merge(inside, index % 2 === 0 ? emails : emails.toReversed(), onConflict)),
      ),
    )
    const [row] = await service.database.execute('select count(*)::int as count from contacts where email = any($1)', [emails])
    expect(row).toEqual({ count: 200 })
  })

  it('see an opt-out that was committed while they waited for a contact that was then deleted', async () => {
    const email = newAddress()
    const contact = await createContact(service, { email })
    let merging: Promise<unknown> = Promise.resolve()
    await service.database.transaction(async (inside) => {
      await inside('select from contacts where id = $1 for update', [contact])
      merging = service.database.transaction((other) => merge(other, [email]))
      await somebodyWaits()
      await inside('insert into opt_outs (team_id, address_hash, created_at) values ($1, $2, now())', [service.teamId, hashOf(email)])
      await inside('delete from contacts where id = $1', [contact])
    })
    await merging
    expect((await readContact(service, email)).unsubscribed).toBe(true)
  })
})

describe('a value whose property is deleted meanwhile', () => {
  it.each(['POST', 'PATCH'])('is not kept where nobody would remove it (%s)', async (method) => {
    const email = newAddress()
    const id = await createContact(service, { email })
    const answer = await service.call('POST', '/contact-properties', { body: { key: `gone_${method}`, type: 'string' } })
    const property = (answer.body as { id: string }).id
    const body = { ...(method === 'POST' && { email }), first_name: 'Ada', properties: { [`gone_${method}`]: 'left behind' } }
    let saving: ReturnType<typeof service.call> | undefined
    await service.database.transaction(async (inside) => {
      await inside('select from contact_properties where id = $1 for update', [property])
      saving = service.call(method, method === 'POST' ? '/contacts' : `/contacts/${id}`, { body })
      await somebodyWaits()
      await inside('delete from contact_properties where id = $1', [property])
    })
    expect((await saving)?.status).toBe(method === 'POST' ? 201 : 200)
    const [row] = await service.database.execute('select first_name as name, properties from contacts where id = $1', [id])
    expect(row).toEqual({ name: 'Ada', properties: {} })
  })
})
