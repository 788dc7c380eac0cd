// Behind a proxy that terminates TLS and changes the host, everything is named by PUBLIC_URL, whatever a request says.

import { request } from 'node:http'
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { signIn } from '../../support/clients/console.ts'
import { authorizeQuery, BUILT_IN_CLIENT, pkce } from '../../support/clients/oauth-client.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const PUBLIC_URL = 'https://mail.example.com'
const REDIRECT_URI = 'http://127.0.0.1:1/oauth/callback'
const ODD: [string, Record<string, string>][] = [
  ['the host of the proxy', { host: 'internal:8080' }],
  ['a host of a stranger', { host: 'evil.example' }],
  ['a forwarded host of a stranger', { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }],
  [
    'another port and scheme',
    { host: 'mail.example.com', 'x-forwarded-port': '80', 'x-forwarded-proto': 'ftp', forwarded: 'host=evil.example' },
  ],
]

describe.each([
  ['a proxy that is trusted', '127.0.0.1'],
  ['no proxy', ''],
])('with %s', (_who, TRUST_PROXY) => {
  const service = shared(() => startTestService({ environment: { PUBLIC_URL, TRUST_PROXY } }))

  type Seen = { status: number; headers: Record<string, string | string[] | undefined>; text: string }
  /** `fetch` sends no other Host than that of its address. */
  const go = (method: string, path: string, headers: Record<string, string>, form?: Record<string, string>): Promise<Seen> =>
    new Promise((resolve, reject) => {
      const type: Record<string, string> = form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
      request(new URL(path, service.url), { method, headers: { ...type, ...headers } }, async (response) => {
        const pieces: Buffer[] = []
        for await (const piece of response) pieces.push(piece)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(pieces).toString() })
      })
        .on('error', reject)
        .end(form && new URLSearchParams(form).toString())
    })

  it.each(ODD)('says its own name in descriptions and challenges when a request has %s', async (_what, headers) => {
    const described = JSON.parse((await go('GET', '/.well-known/oauth-authorization-server', headers)).text)
    const addresses = Object.entries(described).filter(([name]) => /^issuer$|_endpoint$|_uri$/.test(name))
    expect(addresses.length).toBe(7)
    for (const [, address] of addresses) expect(new URL(String(address)).origin).toBe(PUBLIC_URL)
    expect(JSON.parse((await go('GET', '/.well-known/oauth-protected-resource', headers)).text)).toMatchObject({
      resource: PUBLIC_URL,
      authorization_servers: [PUBLIC_URL],
    })
    const refused = await go('GET', '/emails', headers)
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([
      401,
      `Bearer resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource"`,
    ])
  })

  it.each(ODD)('gives access under its own name when requests have %s', async (_what, odd) => {
    const jar = new Map<string, string>()
    const lines: string[] = []
    const browse = async (method: string, path: string, form?: Record<string, string>) => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const seen = await go(method, path, { ...odd, cookie, ...(form && { origin: PUBLIC_URL }) }, form)
      for (const line of seen.headers['set-cookie'] ?? []) {
        const [name = '', value = ''] = line.split(';', 1)[0]?.split('=', 2) ?? []
        if (value !== '') lines.push(line)
        jar.set(name, value)
      }
      return { status: seen.status, location: String(seen.headers.location ?? ''), text: seen.text }
    }
    const [name = '', value = ''] = (await signIn(service)).split('=', 2)
    jar.set(name, value)
    const { verifier, challenge } = pkce()
    const asked = await browse('GET', `/oauth/authorize?${authorizeQuery(BUILT_IN_CLIENT, challenge, { redirect_uri: REDIRECT_URI })}`)
    expect(asked.location).toMatch(/^\/console\/connect\/[\w-]+$/)
    const decided = await browse('POST', asked.location, { act: 'allow', team: service.teamId })
    expect(decided.location).toMatch(/^\/oauth\/authorize\/[\w-]+$/)
    const answer = new URL((await browse('GET', decided.location)).location)
    expect({ to: `${answer.origin}${answer.pathname}`, iss: answer.searchParams.get('iss') }).toEqual({ to: REDIRECT_URI, iss: PUBLIC_URL })
    expect(lines.length).toBeGreaterThan(2)
    for (const line of lines) {
      expect(line).toMatch(/; secure(?:;|$)/i)
      expect(line).not.toMatch(/domain=/i)
    }
    expect(lines.filter((line) => line.startsWith('__Host-posthaste-browser=')).length).toBe(1)
    const fields = { grant_type: 'authorization_code', client_id: BUILT_IN_CLIENT, redirect_uri: REDIRECT_URI, code_verifier: verifier }
    const { text } = await go('POST', '/oauth/token', odd, { ...fields, code: answer.searchParams.get('code') ?? '' })
    const { access_token: token } = JSON.parse(text)
    expect(decodeJwt(token)).toMatchObject({ iss: PUBLIC_URL, aud: PUBLIC_URL })
    expect((await go('GET', '/domains', { ...odd, authorization: `Bearer ${token}` })).status).toBe(200)
  })
})
