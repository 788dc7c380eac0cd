import { expect, it } from 'vitest'
import type { TeamLimits } from '../../../src/modules/limits/limits.schema.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

const limit = (limits: Partial<TeamLimits>) => service.service.context.repositories.teamLimits.setAcrossTeams(service.teamId, limits)

const post = async (path: string, body: object) => {
  const { status, body: answer } = await service.call('POST', path, { body })
  return [status, (answer as { message?: string }).message]
}

it.each([
  ['contacts', '/contacts', (place: number) => ({ email: `p${place}@example.org` })],
  ['domains', '/domains', (place: number) => ({ name: `d${place}.example.org` })],
  ['webhooks', '/webhooks', (place: number) => ({ endpoint: `https://example.com/${place}`, events: ['email.sent'] })],
] as const)('refuses %s beyond the limit, also of those that come together', async (name, path, bodyOf) => {
  await limit({ [name]: 3 })
  const answers = await Promise.all([1, 2, 3, 4, 5].map((place) => post(path, bodyOf(place))))
  const refused = [403, `Your team may have at most 3 ${name}. Delete some first, or ask your operator for more.`]
  expect(answers.filter(([status]) => status === 201).length).toBe(3)
  expect(answers.filter(([status]) => status !== 201)).toEqual([refused, refused])
  await limit({ [name]: null })
  expect((await post(path, bodyOf(6)))[0]).toBe(201)
})

it('takes a change of a contact although there is no room for another', async () => {
  await limit({ contacts: 1 })
  expect((await post('/contacts', { email: 'p6@example.org', first_name: 'Ada' }))[0]).toBe(201)
  expect((await post('/contacts', { email: 'new@example.org' }))[0]).toBe(403)
})
