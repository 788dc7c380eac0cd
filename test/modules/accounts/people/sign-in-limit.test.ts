import { expect, it, vi } from 'vitest'
import { visit } from '../../../support/clients/console.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService({ environment: { RATE_LIMIT_PER_SECOND: '1000' } }))

it('looks five links and forms a second up for an address, and no more', async () => {
  const { signInLinks } = service.service.context.repositories
  const look = vi.spyOn(signInLinks, 'openAcrossTeams')
  const startedAt = performance.now()
  const visits = await Promise.all(
    Array.from({ length: 50 }, (_, index) => visit(service, index % 2 === 0 ? 'GET' : 'POST', '/console/sign-in/no-such-link')),
  )
  const windows = 1 + Math.ceil((performance.now() - startedAt) / 1_000)

  expect(look.mock.calls.length).toBeLessThanOrEqual(5 * windows)
  const refused = visits.find(({ status }) => status === 429)
  expect(refused?.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
})

it('makes no more links for an address than it mails', async () => {
  const { persons, signInLinks } = service.service.context.repositories
  await persons.ensureAcrossTeams('ada@people.example', 'Ada')
  const add = vi.spyOn(signInLinks, 'addAcrossTeams')
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: 50 }, () => visit(service, 'POST', '/console/sign-in', { form: { email: 'ada@people.example' } })))
  const windows = 1 + Math.ceil((performance.now() - startedAt) / 1_000)
  expect(add.mock.calls.length).toBeLessThanOrEqual(5 * windows)
})
