// Simultaneous changes of contacts, on the real database and in many rounds, so that both orders occur.
import { setImmediate } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  addSegment,
  addTopic,
  type ContactRaces,
  createContact,
  createContactRaces,
  newAddress,
  readContact,
} from '../../../support/builders/contacts.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

/** At least this many rounds of a race, and more until each outcome has occurred, because the machine decides which one it is. */
const ROUNDS = { least: 60, most: 1_500 }

let races: ContactRaces

const service = shared(() => startTestService())
beforeAll(() => {
  races = createContactRaces(service)
})

const goesOn = (round: number, ends: Set<unknown>): boolean => round < ROUNDS.least || (ends.size < 2 && round < ROUNDS.most)

/** The head starts of the one that is sent first, in turns of the event loop: a request with a body takes some more of them than one without. */
const HEAD_STARTS = 200

/** Both at once, one or the other sent first, with another head start in each round. */
async function both<A, B>(round: number, first: () => Promise<A>, second: () => Promise<B>): Promise<{ first: A; second: B }> {
  const headStart = Math.floor(round / 2) % HEAD_STARTS
  if (round % 2 === 0) {
    const early = first()
    await turns(headStart)
    return { second: await second(), first: await early }
  }
  const early = second()
  await turns(headStart)
  return { first: await first(), second: await early }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate()
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
  it('is changed or gone, and leaves no memberships and no choices', async () => {
    const segments = [await addSegment(service), await addSegment(service)]
    const topics = [{ id: await addTopic(service), subscription: 'opt_out' }]
    const seen = new Set<string>()
    for (let round = 0; goesOn(round, seen); round += 1) {
      const email = newAddress()
      const id = await createContact(service, { email, segments, topics })
      const change = () => service.call('PATCH', `/contacts/${id}`, { body: { first_name: 'Ada', unsubscribed: true } })
      const remove = () => service.call('DELETE', `/contacts/${email}`)
      const { first: changed, second: removed } = await both(round, change, remove)
      expect(removed.status).toBe(200)
      seen.add(`changed ${changed.status}`)
    }
    expect([...seen].sort()).toEqual(['changed 200', 'changed 404'])
    expect(await races.rowsWithoutContact()).toEqual({ segments: 0, topics: 0 })
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
      const { first: created, second: removed } = await both(round, create, remove)
      expect([created.status, removed.status]).toEqual([201, 200])
      ids.add((created.body as { id: string }).id === before)
    }
    expect(ids).toEqual(new Set([true, false]))
    expect(await races.rowsWithoutContact()).toEqual({ segments: 0, topics: 0 })
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
      await races.untilLockWait()
      await inside('delete from contact_properties where id = $1', [property])
    })
    expect((await saving)?.status).toBe(method === 'POST' ? 201 : 200)
    const [row] = await service.database.execute('select first_name as name, properties from contacts where id = $1', [id])
    expect(row).toEqual({ name: 'Ada', properties: {} })
  })
})
