import { expect, it } from 'vitest'
import { rawRequest } from '../../support/clients/raw-requests.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

it.each([
  '/docs/static/nope.js',
  '/docs/static/%2e%2e/x',
  '/docs/static/%2e%2e/%2e%2e/package.json',
  '/docs/static/..%2f..%2fpackage.json',
  '/docs/static/..%5c..%5cpackage.json',
  '/docs/static/.hidden',
  `/docs/static/${'x'.repeat(5_000)}`,
])('is a 404 for a file that is not there: %s', async (path) => {
  const answer = await rawRequest(service, { method: 'GET', path, token: null })
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: 404,
    body: { statusCode: 404, name: 'not_found', message: 'The requested endpoint does not exist.' },
  })
})

it.each<Record<string, string>>([
  { range: 'bytes=99999999-' },
  { range: 'bytes=0-3' },
  { 'if-match': '"other"' },
  { 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
])('gives a file whole, whatever part or state of it is asked for: %j', async (headers) => {
  const [plain, conditional] = [{}, headers].map((sent) => service.call('GET', '/docs/static/index.css', { token: null, headers: sent }))
  const { status, text } = (await conditional) ?? {}
  expect({ status, text }).toEqual({ status: 200, text: (await plain)?.text })
})
