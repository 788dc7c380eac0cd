import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { visit } from '../../support/clients/console-visitor.ts'
import { startTestService, type TestService } from '../../support/servers/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService({ environment: { RATE_LIMIT_PER_SECOND: '1000' } })
})
afterAll(() => service.close())

it('counts failed sign-ins and used links against the address, and still lets a valid key in', async () => {
  const statuses: number[] = []
  for (let count = 0; count < 60; count += 1) {
    const isLink = count % 20 === 0
    const visited = isLink
      ? await visit(service, 'POST', '/console/sign-in/no-such-link')
      : await visit(service, 'POST', '/console/sign-in', { form: { api_key: 're_wrong_wrong_wrong_wrong' } })
    statuses.push(visited.status)
  }
  const refused = await visit(service, 'POST', '/console/sign-in', { form: { api_key: 're_wrong_wrong_wrong_wrong' } })
  const entered = await visit(service, 'POST', '/console/sign-in', { form: { api_key: service.token } })

  expect(statuses).toEqual(Array.from({ length: 60 }, () => 403))
  expect({ status: refused.status, type: refused.headers.get('content-type') }).toEqual({ status: 429, type: 'text/html; charset=utf-8' })
  expect(refused.text).toContain('More than 60 requests a minute without a valid API key came from your address.')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(entered.status).toBe(303)
})

it('looks five links a second up for an address, and no more', async () => {
  const { signInLinks } = service.service.context.repositories
  const [redeem, look] = [vi.spyOn(signInLinks, 'redeemAcrossTeams'), vi.spyOn(signInLinks, 'teamAcrossTeams')]
  const startedAt = performance.now()
  const visits = await Promise.all(
    Array.from({ length: 50 }, (_, index) => visit(service, index % 2 === 0 ? 'GET' : 'POST', '/console/sign-in/no-such-link')),
  )
  const windows = 1 + Math.ceil((performance.now() - startedAt) / 1_000)

  expect(redeem.mock.calls.length + look.mock.calls.length).toBeLessThanOrEqual(5 * windows)
  expect(visits.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
})

it('counts sign-ins with a valid key as requests of its team', async () => {
  const own = await startTestService({ environment: { RATE_LIMIT_PER_SECOND: '2' } })
  try {
    const { sessions } = own.service.context.repositories
    const add = vi.spyOn(sessions, 'add')
    const startedAt = performance.now()
    const visits = await Promise.all(
      Array.from({ length: 20 }, () => visit(own, 'POST', '/console/sign-in', { form: { api_key: own.token } })),
    )
    const windows = 1 + Math.ceil((performance.now() - startedAt) / 1_000)

    expect(add.mock.calls.length).toBeLessThanOrEqual(2 * windows)
    const refused = visits.find(({ status }) => status === 429)
    expect(refused?.text).toContain('Your team may make 2 requests a second.')
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  } finally {
    await own.close()
  }
})
