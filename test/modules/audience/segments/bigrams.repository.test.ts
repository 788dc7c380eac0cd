// Contacts never have fewer letter pairs than their texts, whatever happened to the contacts. Otherwise a filter would miss them.
import { beforeAll, expect, it } from 'vitest'
import { bigramsOf } from '../../../../src/modules/audience/contacts/merge-contacts.repository.ts'
import { newAddress } from '../../../support/builders/contacts.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())
beforeAll(async () => {
  const properties = { plan: 'string', city: 'string', score: 'number' }
  for (const [key, type] of Object.entries(properties)) await service.call('POST', '/contact-properties', { body: { key, type } })
})

type Row = { firstName: string | null; lastName: string | null; properties: Record<string, string | number>; pairs: string }

async function pairsOf(email: string): Promise<{ had: bigint; needed: bigint }> {
  const [row] = await service.database.execute<Row>(
    'select first_name as "firstName", last_name as "lastName", properties, letter_pairs::text as pairs from contacts where email = $1',
    [email],
  )
  if (!row) throw new Error(`There is no contact ${email}`)
  return { had: BigInt(row.pairs), needed: BigInt(bigramsOf(row)) }
}

it('has all pairs of its texts after every change, and no others after a change of that very contact', async () => {
  const email = newAddress()
  const create = (body: object) => service.call('POST', '/contacts', { body: { email, ...body } })
  const change = (body: object) => service.call('PATCH', `/contacts/${email}`, { body })
  const steps: [string, () => Promise<{ status: number }>, 'exact' | 'at least'][] = [
    ['created', () => create({ first_name: 'Ada', properties: { plan: 'enterprise', score: 7 } }), 'exact'],
    ['merged', () => create({ last_name: 'Lovelace', properties: { city: 'London' } }), 'exact'],
    ['merged with other words', () => create({ first_name: 'Augusta', properties: { plan: 'free' } }), 'at least'],
    ['merged without a value', () => create({ properties: { plan: null } }), 'at least'],
    ['changed', () => change({ properties: { plan: 'yearly' } }), 'exact'],
    ['changed without a value', () => change({ first_name: null, properties: { city: null } }), 'exact'],
    ['unsubscribed', () => change({ unsubscribed: true }), 'exact'],
  ]
  for (const [name, act, extent] of steps) {
    expect((await act()).status, name).toBeLessThan(300)
    const { had, needed } = await pairsOf(email)
    expect(needed, name).not.toBe(0n)
    expect(had & needed, name).toBe(needed)
    expect(had === needed, name).toBe(extent === 'exact')
  }
})

it('finds contacts of before there were letter pairs', async () => {
  const email = newAddress()
  await service.call('POST', '/contacts', { body: { email, properties: { plan: 'from before' } } })
  await service.database.execute('update contacts set letter_pairs = default where email = $1', [email])
  const filter = { property: 'plan', operator: 'contains', value: 'before' }
  const segment = await service.call('POST', '/segments', { body: { name: 'Early', filter } })
  const { id } = segment.body as { id: string }
  const found = await service.call('GET', `/segments/${id}/contacts`)
  expect(found.body).toMatchObject({ data: [{ email }] })
})
