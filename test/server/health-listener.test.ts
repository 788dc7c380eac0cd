// A process without the API, as an orchestrator and a Prometheus see it.
import { afterEach, expect, it } from 'vitest'
import { startTestService, type TestService } from '../support/servers/service.ts'

let service: TestService
afterEach(() => service.close())

async function listen(environment: Record<string, string>): Promise<string> {
  service = await startTestService({ environment })
  return (await service.service.health?.listen({ host: '127.0.0.1', port: 0 })) ?? ''
}

const get = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers })
  return { status: response.status, text: await response.text() }
}

it('answers for a worker whether it can work, with its metrics, and nothing else', async () => {
  const url = await listen({ ROLES: 'worker', HEALTH_PORT: '0' })
  expect(await get(`${url}/health/live`)).toEqual({ status: 200, text: '{"status":"ok"}' })
  await expect
    .poll(async () => JSON.parse((await get(`${url}/health/ready`)).text))
    .toMatchObject({ status: 'ok', checks: { worker: 'ok' } })
  const metrics = await get(`${url}/metrics`)
  expect(metrics.status).toBe(200)
  expect(metrics.text).toContain('posthaste_queue_oldest_due_seconds')
  expect((await get(`${url}/emails`, { authorization: `Bearer ${service.token}` })).status).toBe(404)
})

it('tells a worker without the token for metrics nothing of them', async () => {
  const url = await listen({ ROLES: 'worker', HEALTH_PORT: '0', METRICS_TOKEN: 'for-prometheus' })
  expect((await get(`${url}/metrics`)).status).toBe(404)
  expect((await get(`${url}/metrics`, { authorization: 'Bearer for-prometheus' })).status).toBe(200)
})

it.each([{ ROLES: 'worker' }, { ROLES: 'api,worker', HEALTH_PORT: '0' }])('does not answer in a process with %j', async (environment) => {
  expect(await listen(environment)).toBe('')
})
