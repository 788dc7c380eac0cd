// Keys that sign access tokens rotate with overlap, and what has ended is swept.
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { expect, it } from 'vitest'
import { retireDataKey, rotateDataKey } from '../../../src/modules/secrets/data-keys.service.ts'
import { post, tokensFor } from '../../support/clients/oauth-client.ts'
import { startTestService } from '../../support/servers/service.ts'

/** A process reads the keys every ten seconds. Each look at what signs is a whole request for access. */
const SOON = { interval: 1_000 }
const SECRET = 'the secret key of the service of this test'

it('a token of the former key is valid until that key is retired, and both keys are published', async () => {
  const service = await startTestService({ environment: { SECRET_KEY: SECRET } })
  try {
    const { dataKeys } = service.service.context.repositories
    const jwks = async () => (await service.call('GET', '/oauth/jwks', { token: null })).body as JSONWebKeySet
    const status = async (token: string) => (await service.call('GET', '/domains', { token })).status
    const kidOf = (token: string) => decodeProtectedHeader(token).kid
    const first = await tokensFor(service, { scope: 'domains:read' })
    const [formerKid] = (await jwks()).keys.map(({ kid }) => kid)
    expect(kidOf(first.access_token)).toBe(formerKid)

    await rotateDataKey(dataKeys, { purpose: 'oauth', secretKey: SECRET })
    await expect.poll(async () => (await jwks()).keys.length, SOON).toBe(2)
    // The new one is published before it signs.
    expect(kidOf((await tokensFor(service, { scope: 'domains:read' })).access_token)).toBe(formerKid)
    await service.database.execute(`update data_keys set created_at = created_at - interval '80 seconds'`)
    const newest = async () => (await tokensFor(service, { scope: 'domains:read' })).access_token
    await expect.poll(async () => kidOf(await newest()), SOON).not.toBe(formerKid)

    const second = await newest()
    const keys = createLocalJWKSet(await jwks())
    for (const token of [first.access_token, second]) {
      await jwtVerify(token, keys, { issuer: 'http://localhost:3000', audience: 'http://localhost:3000', typ: 'at+jwt' })
      expect(await status(token)).toBe(200)
    }
    const refresh = { grant_type: 'refresh_token', client_id: first.clientId, refresh_token: first.refresh_token }
    const refreshed = await post(service, '/oauth/token', refresh)
    expect(kidOf(String(refreshed.body.access_token))).toBe(kidOf(second))

    await retireDataKey(dataKeys, { purpose: 'oauth', version: 1 })
    await expect.poll(() => status(first.access_token), SOON).toBe(401)
    expect((await jwks()).keys.map(({ kid }) => kid)).toEqual([kidOf(second)])
    expect(await status(second)).toBe(200)
  } finally {
    await service.close()
  }
})
