// What a program gets when the authorization server itself fails.
import { afterEach, expect, it } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import type { Context } from '../../../src/context.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
let app: Awaited<ReturnType<typeof buildApp>>
afterEach(() => app.close())

async function listen(handle: Context['authorizationServer']['handle']): Promise<string> {
  const { context } = service.service
  app = await buildApp({ ...context, authorizationServer: { ...context.authorizationServer, handle } })
  return app.listen({ host: '127.0.0.1', port: 0 })
}

it.each([
  ['GET', '/oauth/authorize'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['POST', '/oauth/token'],
  ['POST', '/oauth/register'],
])('%s %s is answered with an error of OAuth', async (method, path) => {
  const url = await listen(() => Promise.reject(new Error('A file of the program is gone')))
  const body = path.endsWith('register')
    ? JSON.stringify({ client_name: 'Editor', redirect_uris: ['https://editor.example/cb'] })
    : undefined
  const answer = await fetch(`${url}${path}`, {
    method,
    ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
  })
  expect(answer.status).toBe(500)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await answer.json()).toEqual({
    error: 'server_error',
    error_description: 'Something went wrong on our side. Please try again; if it happens again, report the request id of this response.',
  })
})

it('a reply that has begun is cut off, so that no one takes it for complete', async () => {
  const { promise: isSeen, resolve: see } = Promise.withResolvers<void>()
  const url = await listen(async (_request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{')
    await isSeen
    throw new Error('The library failed')
  })
  const answer = await fetch(`${url}/oauth/jwks`)
  expect(answer.status).toBe(200)
  see()
  await expect(answer.text()).rejects.toThrow('terminated')
})
