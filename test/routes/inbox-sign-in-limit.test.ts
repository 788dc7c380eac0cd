import { afterAll, beforeAll, expect, it } from 'vitest'
import { visit } from '../support/inbox-visitor.ts'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

it('counts failed sign-ins and used links against the address, and still lets a valid key in', async () => {
  const statuses: number[] = []
  for (let count = 0; count < 10; count += 1) {
    statuses.push((await visit(service, 'POST', '/inbox/sign-in', { form: { api_key: 're_wrong_wrong_wrong_wrong' } })).status)
    statuses.push((await visit(service, 'POST', '/inbox/sign-in/no-such-link')).status)
  }
  const refused = await visit(service, 'POST', '/inbox/sign-in', { form: { api_key: 're_wrong_wrong_wrong_wrong' } })
  const entered = await visit(service, 'POST', '/inbox/sign-in', { form: { api_key: service.token } })

  expect(statuses).toEqual(Array.from({ length: 20 }, () => 403))
  expect({ status: refused.status, type: refused.headers.get('content-type') }).toEqual({ status: 429, type: 'text/html; charset=utf-8' })
  expect(refused.text).toContain('More than 20 requests a minute without a valid API key came from your address.')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(entered.status).toBe(303)
})
