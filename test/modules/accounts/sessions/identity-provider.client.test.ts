import { createServer, type Server } from 'node:http'
import { expect, it } from 'vitest'
import { createIdentityProvider } from '../../../../src/modules/accounts/sessions/identity-provider.client.ts'

const OPTIONS = { clientId: 'c', clientSecret: 's', scopes: 'openid', groupsClaim: 'groups' }

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}

it.each([
  ['does not answer in time', () => {}],
  ['answers with what is no JSON', (_request, response) => response.end('<html>')],
  ['answers with an error', (_request, response) => response.writeHead(500).end()],
] satisfies [string, Parameters<typeof createServer>[1]][])('a provider that %s is away', async (_what, handle) => {
  const server = createServer(handle)
  const issuer = await listening(server)
  const provider = createIdentityProvider({ issuer, ...OPTIONS }, { timeoutSeconds: 1 })
  expect(await provider.begin('http://localhost:3000/a')).toMatchObject({ ok: false, why: 'away' })
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
