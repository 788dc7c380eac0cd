import { beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { SEGMENTS_PER_CONTACT_MAX, TOO_MANY_SEGMENTS } from '../../../../src/modules/audience/contacts/contacts.schema.ts'
import { EvenRace } from '../../../support/builders/engine.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const ROUNDS = 30

let contactId: string
let segmentIds: string[]

const service = shared(() => startTestService())
beforeEach(async () => {
  await service.database.execute('truncate segments, contact_segments, contacts, notifications')
  segmentIds = await Promise.all(Array.from({ length: 5 }, createSegment))
  contactId = await save('ada@example.com', [])
})

const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id
const createSegment = async () => idOf(await service.call('POST', '/segments', { body: { name: 'Segment' } }))
const repositories = () => service.service.context.repositories
const membershipsMax = 3
const add = (segmentId: string) =>
  repositories().contactSegments.add(service.teamId, { reference: { id: contactId }, segmentId, membershipsMax })
const countMembers = async () => (await service.database.execute('select from contact_segments')).length

function contactToSave(email: string, segments: string[]) {
  const names = { firstName: null, lastName: null, unsubscribed: false, properties: {}, removedProperties: [] }
  return { id: createId(), email, addressHash: email, ...names, segmentIds: segments, topics: [] }
}
async function save(email: string, segments: string[]): Promise<string> {
  const saved = await repositories().contacts.save(service.teamId, contactToSave(email, segments), { membershipsMax })
  if (typeof saved === 'string' || 'problem' in saved) throw new Error(`Not saved: ${JSON.stringify(saved)}`)
  return saved.id
}

describe('the segments of one contact', () => {
  it('are limited, also when several come at once; those that it is in already cost nothing', async () => {
    const results = await Promise.all(segmentIds.map(add))
    expect(results.filter((result) => result === 'too many segments')).toHaveLength(2)
    expect(await countMembers()).toBe(membershipsMax)
    const inIt = segmentIds[results.findIndex((result) => result !== 'too many segments')] ?? ''
    expect(await add(inIt)).toEqual({ contactId, isChanged: false })
  })

  it('do not count when they have been deleted', async () => {
    const [first = '', second = '', third = '', fourth = ''] = segmentIds
    for (const id of [first, second, third]) await add(id)
    await repositories().segments.deleteSegment(service.teamId, first)
    expect(await add(fourth)).toEqual({ contactId, isChanged: true })
  })

  it('are limited together with those of a contact that is saved again, and nothing is kept of what goes beyond', async () => {
    const [first = '', second = '', third = '', fourth = ''] = segmentIds
    await save('ada@example.com', [first, second])
    const told = async () => (await service.database.execute('select from notifications')).length
    const before = await told()
    const again = { ...contactToSave('ada@example.com', [third, fourth]), firstName: 'Changed' }
    expect(await repositories().contacts.save(service.teamId, again, { membershipsMax })).toBe('too many segments')
    expect(await countMembers()).toBe(2)
    expect(await told()).toBe(before)
    expect(await repositories().contacts.find(service.teamId, { id: contactId })).toMatchObject({ firstName: null })
    expect(await save('ada@example.com', [second, third])).toBe(contactId)
  })

  it('are limited when two requests create the contact at once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const email = `twice-${round}@example.com`
      const halves = [segmentIds.slice(0, 2), segmentIds.slice(2, 4)]
      const saved = await Promise.all(
        halves.map((half) => repositories().contacts.save(service.teamId, contactToSave(email, half), { membershipsMax })),
      )
      expect(saved.filter((result) => result === 'too many segments')).toHaveLength(1)
    }
    expect(await countMembers()).toBe(ROUNDS * 2)
  })

  it('have a limit that the client is told', () => {
    expect(SEGMENTS_PER_CONTACT_MAX).toBe(500)
    expect(TOO_MANY_SEGMENTS).toBe('A contact can be in at most 500 segments. Remove it from others first.')
  })
})

describe('races', () => {
  const statuses = async (calls: Promise<{ status: number }>[]) => (await Promise.all(calls)).map(({ status }) => status)

  it('between putting a contact into a segment and deleting the contact leave no member', async () => {
    const [segment = ''] = segmentIds
    const race = new EvenRace(3)
    const met = new Set<number>()
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await save(`short-${round}@example.com`, [])
      const [put, removed] = await race.run(
        () => service.call('POST', `/contacts/${id}/segments/${segment}`),
        () => service.call('DELETE', `/contacts/${id}`),
      )
      race.favor(put.status === 200 ? 'second' : 'first')
      met.add(put.status)
      expect([200, 404]).toContain(put.status)
      expect(removed.status).toBe(200)
    }
    expect(await countMembers()).toBe(0)
    // Both orders were met: otherwise the rounds proved nothing.
    expect([...met].toSorted()).toEqual([200, 404])
  })

  it('between putting a contact into a segment and deleting the segment leave no member that anyone sees', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const segment = await createSegment()
      const calls = [
        () => service.call('POST', `/contacts/${contactId}/segments/${segment}`),
        () => service.call('DELETE', `/segments/${segment}`),
      ]
      const done = await statuses((round % 2 === 0 ? calls : calls.toReversed()).map((call) => call()))
      expect([
        [200, 200],
        [200, 404],
        [404, 200],
      ]).toContainEqual(done)
    }
    const { body } = await service.call('GET', `/contacts/${contactId}/segments`)
    expect(body).toEqual({ object: 'list', has_more: false, data: [] })
  })

  it('between a filter and what it names end with a filter that names what is there', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [named, other] = [await createSegment(), await createSegment()]
      const rule = (segment: string) => ({ filter: { segment, member: true } })
      const calls = [
        service.call('POST', '/segments', { body: { name: 'Naming', ...rule(named) } }),
        service.call('PATCH', `/segments/${other}`, { body: rule(named) }),
        service.call('PATCH', `/segments/${named}`, { body: rule(other) }),
        service.call('DELETE', `/segments/${named}`),
        service.call('POST', `/contacts/${contactId}/segments/${other}`),
      ]
      const done = await statuses(calls)
      for (const status of done) expect([200, 201, 404, 422]).toContain(status)
    }
    const dangling = await service.database.execute(
      `select s.id from segments s, unnest(s.filter_uses) as used
        where not exists (select from segments n where n.id = used and n.filter is null)`,
    )
    expect(dangling).toEqual([])
    const strays = await service.database.execute(
      'select from contact_segments m join segments s on s.id = m.segment_id where s.filter is not null',
    )
    expect(strays).toEqual([])
  })
})
