// Simultaneous changes of contacts, on the real database and in many rounds, so that both orders occur.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isDeadlock } from '../../../src/lib/database-errors.ts'
import { createId } from '../../../src/lib/ids.ts'
import { changeContact } from '../../../src/repositories/contacts/change-contact.ts'
import { lockContact } from '../../../src/repositories/contacts/contact-rows.ts'
import { type ContactToMerge, mergeContacts } from '../../../src/repositories/contacts/merge-contacts.ts'
import type { Execute } from '../../../src/repositories/database.ts'
import { removeMembers } from '../../../src/workers/remove-leftovers.ts'
import { addSegment, addTopic, choicesOf, createContact, newAddress, readContact } from '../../support/builders/contact-builders.ts'
import { until } from '../../support/clocks/until.ts'
import { startTestService, type TestService } from '../../support/servers/service.ts'

/** At least this many rounds of a race, and more until each outcome has occurred, because the machine decides which one it is. */
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
    // A merge that has just created the wanted address, and then needs the contact that wants it: the deadlock is certain.
    const [moved] = await meetInside(async (inside, nextMayGo) => {
      await merge(inside, [theirs])
      nextMayGo(() => contacts.update(service.teamId, { id }, { email: theirs }, hashOf))
      await somebodyWaits()
      await merge(inside, [mine]).catch(() => {})
    })
    // Whichever of the two was ended: the address is taken if the merge was not, and free if it was.
    const email = (await readContact(service, id)).email
    expect([moved, email]).toEqual(moved === 'taken' ? ['taken', mine] : [{ id }, theirs])
  })
})

/** Until a transaction of this database waits for another. */
const somebodyWaits = () => until(expectSomebodyToWait)

async function expectSomebodyToWait(): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  expect(await service.database.execute(waiting)).not.toEqual([])
}

/** Runs a transaction that may release others while it is open, and returns their results. */
async function meetInside<Outcome>(
  work: (inside: Execute, nextMayGo: (next: () => Promise<Outcome>) => void) => Promise<void>,
): Promise<Outcome[]> {
  const others: Promise<Outcome>[] = []
  await service.database
    .transaction((inside) => work(inside, (next) => others.push(next())))
    .catch((error: unknown) => {
      // This transaction was the one that was ended.
      if (!isDeadlock(error)) throw error
    })
  return Promise.all(others)
}

/**
 * Repeats a trial whose own transaction PostgreSQL has ended, so that the service's is the one that meets the deadlock.
 * Each of the two looks for a deadlock once, some seconds after it began to wait, and who finds it is ended. On a machine that
 * stands still for those seconds, that is the trial.
 */
async function untilTheOtherIsEnded<Outcome>(trial: () => Promise<Outcome>): Promise<Outcome> {
  for (let triesLeft = 10; ; triesLeft -= 1) {
    try {
      return await trial()
    } catch (error) {
      if (!isDeadlock(error) || triesLeft <= 1) throw error
    }
  }
}

describe('a deadlock, which ends one of two', () => {
  const decide = (email: string, topics: ReturnType<typeof optOut>) =>
    service.service.context.repositories.contactTopics.decide(service.teamId, hashOf(email), { topics })
  const call = async (method: string, path: string, body: unknown) => (await service.call(method, path, { body })).status

  it.each<[string, (email: string, topics: ReturnType<typeof optOut>) => Promise<unknown>]>([
    ['a decision on the page', async (email, topics) => (await decide(email, topics))?.email],
    ['an update of topics', (email, topics) => call('PATCH', `/contacts/${email}/topics`, topics)],
    ['a create', (email, topics) => call('POST', '/contacts', { email, topics })],
  ])('keeps no one from leaving a topic: %s is tried again', async (_what, leave) => {
    const { topic, email, id, answer } = await untilTheOtherIsEnded(async () => {
      const topic = await addTopic(service)
      const email = newAddress()
      const id = await createContact(service, { email })
      let left: Promise<unknown> = Promise.resolve()
      await service.database
        .transaction(async (inside) => {
          await lockContact(inside, service.teamId, { id })
          left = leave(email, optOut(topic))
          await somebodyWaits()
          // Held by the transaction that waits for the contact.
          await inside('select from topics where id = $1 for update', [topic])
        })
        .finally(() => left)
      return { topic, email, id, answer: await left }
    })
    expect([email, 200, 201]).toContain(answer)
    expect(await choicesOf(service, id)).toEqual({ [topic]: 'opt_out' })
  })

  it('keeps no one from leaving whose contact moves to another address and is created there', async () => {
    const { contactTopics, contacts } = service.service.context.repositories
    const [from, to] = [newAddress(), newAddress()]
    const id = await createContact(service, { email: from })
    let leaving: Promise<unknown> = Promise.resolve()
    await service.database.transaction(async (inside) => {
      await merge(inside, [newAddress()])
      await service.database.records(async (other) => {
        const contact = await lockContact(other.execute, service.teamId, { id })
        if (!contact) throw new Error('The contact is gone')
        await changeContact(other, service.teamId, { contact, change: { email: to }, hashOf, now: new Date() })
        leaving = contactTopics.decide(service.teamId, hashOf(from), { unsubscribed: true, topics: [] })
        await somebodyWaits()
      })
      // It has waited for the contact, found it changed, and holds it while it waits for this merge to end.
      await until(async () => expect(await service.database.execute(ADVISORY_WAIT)).not.toEqual([]))
      // PostgreSQL ends one of the two.
      await merge(inside, [to]).catch(() => {})
    })
    await leaving
    await createContact(service, { email: from })
    expect(await contacts.find(service.teamId, { email: from })).toMatchObject({ unsubscribed: true })
    expect(await contacts.find(service.teamId, { email: to })).toMatchObject({ id, unsubscribed: false })
  })
})

const ADVISORY_WAIT = `select from pg_locks where locktype = 'advisory' and not granted`

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

/** Starts something while a transaction is open, and continues the transaction as soon as the other has ended or waits for it. */
async function meetHalfway<Outcome>(act: () => Promise<Outcome>): Promise<{ outcome: Promise<Outcome> }> {
  let isOver = false
  const outcome = act().finally(() => {
    isOver = true
  })
  await until(() => (isOver ? undefined : expectSomebodyToWait()))
  return { outcome }
}

/** Does something else before the statement that has this text and this value. */
const meetBefore =
  (execute: Execute, text: string, value: string, act: () => Promise<void>): Execute =>
  async (sql, values) => {
    if (String(sql).includes(text) && JSON.stringify(values).includes(value)) await act()
    return execute(sql, values)
  }

const optOut = (topic: string) => [{ id: topic, subscription: 'opt_out' as const }]

describe('what is written of topics beside a deletion', () => {
  it('of the contact leaves nothing behind: contacts that an import skips', async () => {
    const topics = optOut(await addTopic(service))
    const email = newAddress()
    const id = await createContact(service, { email })
    const { contacts } = service.service.context.repositories
    let removing: Promise<unknown> | undefined
    await service.database.transaction(async (inside) => {
      const execute = meetBefore(inside, 'insert into contact_topics', id, async () => {
        removing = (await meetHalfway(() => contacts.remove(service.teamId, { id }))).outcome
      })
      const options = { teamId: service.teamId, segmentIds: [], topics, onConflict: 'skip' as const, now: new Date() }
      await mergeContacts(execute, [toMerge(email)], options)
    })
    expect(await removing).toEqual({ id })
    expect(await rowsWithoutContact()).toEqual({ segments: 0, topics: 0 })
  })

  /** Deletes a topic, and does the job that follows. */
  async function deleteTopic(topicId: string): Promise<void> {
    expect((await service.call('DELETE', `/topics/${topicId}`)).status).toBe(200)
    await removeMembers(service.service.context, { topicId }, { signal: new AbortController().signal })
  }
  const rowsOf = async (topic: string) => {
    const [row] = await service.database.execute(
      `select (select count(*)::int from contact_topics where topic_id = $1) as choices, (select count(*)::int from topic_opt_outs where topic_id = $1) as remembered`,
      [topic],
    )
    return row
  }

  it('of the topic leaves nothing behind: an address that comes back', async () => {
    const topic = await addTopic(service)
    const email = newAddress()
    await createContact(service, { email, topics: optOut(topic) })
    await service.call('DELETE', `/contacts/${email}`)
    const deleting = await service.database.transaction(async (inside) => {
      await merge(inside, [email])
      return meetHalfway(() => deleteTopic(topic))
    })
    await deleting.outcome
    expect(await rowsOf(topic)).toEqual({ choices: 0, remembered: 0 })
  })

  it('of the topic leaves nothing behind: a contact that takes another address', async () => {
    const topic = await addTopic(service)
    const id = await createContact(service, { email: newAddress(), topics: optOut(topic) })
    let deleting: Promise<unknown> | undefined
    await service.database.records(async (record) => {
      const contact = await lockContact(record.execute, service.teamId, { id })
      if (!contact) throw new Error('The contact is gone')
      const execute = meetBefore(record.execute, 'insert into topic_opt_outs', topic, async () => {
        deleting = (await meetHalfway(() => deleteTopic(topic))).outcome
      })
      await changeContact({ ...record, execute }, service.teamId, { contact, change: { email: newAddress() }, hashOf, now: new Date() })
    })
    await deleting
    expect(await rowsOf(topic)).toEqual({ choices: 0, remembered: 0 })
  })
})

it('a change of topics is told once, also when two say it at the same time', async () => {
  const topics = optOut(await addTopic(service))
  const email = newAddress()
  const id = await createContact(service, { email })
  let saving: ReturnType<typeof service.call> | undefined
  await service.database.transaction(async (inside) => {
    await inside('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`opt-outs ${service.teamId}`])
    saving = service.call('POST', '/contacts', { body: { email, topics } })
    await somebodyWaits()
    expect((await service.call('PATCH', `/contacts/${id}/topics`, { body: topics })).status).toBe(200)
  })
  expect((await saving)?.status).toBe(201)
  const told = await service.database.execute(`select from notifications where subject_id = $1 and type = 'contact.topics.updated'`, [id])
  expect(told).toHaveLength(1)
})

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

it('a merge that skips contacts holds them in the order of their addresses, and unsubscribes only who leaves', async () => {
  const emails = [newAddress(), newAddress(), newAddress()]
  for (const email of emails.toReversed()) await createContact(service, { email })
  const [staying, leaving, held] = emails.toSorted((a, b) => (a < b ? -1 : 1))
  const contacts = [held, leaving, staying].map((email = '') => ({ ...toMerge(email), firstName: 'New', unsubscribed: email === leaving }))
  let merging: Promise<unknown> = Promise.resolve()
  await service.database.transaction(async (inside) => {
    await inside('select from contacts where email = $1 for update', [held])
    const options = { teamId: service.teamId, segmentIds: [], topics: [], onConflict: 'skip' as const, now: new Date() }
    merging = service.database.transaction((other) => mergeContacts(other, contacts, options))
    await somebodyWaits()
    const free = await inside('select email from contacts where email = any($1) order by email for update skip locked', [emails])
    expect(free).toEqual([{ email: held }])
  })
  expect(await merging).toEqual([])
  const stored = await service.database.execute(
    'select email, first_name as name, unsubscribed from contacts where email = any($1) order by email',
    [emails],
  )
  expect(stored).toEqual([staying, leaving, held].map((email) => ({ email, name: null, unsubscribed: email === leaving })))
})

describe('a value whose property is deleted meanwhile', () => {
  it.each(['POST', 'PATCH'])('is not kept where no one would remove it (%s)', async (method) => {
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
