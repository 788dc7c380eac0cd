import { describe, expect, it } from 'vitest'
import { failure, outcome } from '../../../support/builders/answers.ts'
import { securityHeaders, visit } from '../../../support/clients/console.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService({ environment: { DELIVERY: 'capture' } }))

/** What a browser sends when a person types an address. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8' }
const OF_A_PAGE = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': expect.stringMatching(
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  ),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-store',
}
const browse = (path: string, method: 'GET' | 'POST' = 'GET') => visit(service, method, path, { headers: BROWSER })
const call = (path: string, accept?: string) => service.call('GET', path, { token: null, headers: accept === undefined ? {} : { accept } })
const heading = ({ text }: { text: string }) => /<h1>([^<]*)</.exec(text)?.[1]

describe('GET /', () => {
  it('is a page in a browser that leads to everything there is', async () => {
    const seen = await browse('/')
    expect({ status: seen.status, vary: seen.headers.get('vary'), ...securityHeaders(seen) }).toEqual({
      status: 200,
      vary: 'Accept',
      ...OF_A_PAGE,
    })
    expect(heading(seen)).toBe('Posthaste')
    expect(seen.text).toContain('Mail is captured: it is stored and shown in the console, and never leaves this machine.')
    const links = [...(seen.text.split('<main')[1] ?? '').matchAll(/href="([^"]*)"/g)].map(([, address]) => address)
    expect(links).toEqual(['/console', '/docs', '/openapi.json', '/health/ready'])
  })

  it.each([
    undefined,
    '*/*',
    'application/json',
    'application/json, text/html;q=0.9',
    'text/html;q=0, */*',
    `text/html,${'x/x,'.repeat(2_000)}`,
    '"',
  ])('is JSON for a program that accepts %s', async (accept) => {
    const { status, body, headers } = await call('/', accept)
    expect({ status, body, vary: headers.get('vary'), cacheControl: headers.get('cache-control') }).toEqual({
      status: 200,
      cacheControl: 'no-store',
      body: {
        name: 'Posthaste',
        delivery: 'capture',
        links: { docs: '/docs', openapi: '/openapi.json', console: '/console', health: '/health/ready' },
      },
      vary: 'Accept',
    })
  })
})

describe('a wrong address', () => {
  it.each(['/nope', '/emails/x/y/z', '/%zz', '/contacts/%ff', `/${'x'.repeat(3_000)}`, '/<script>alert(1)</script>'])(
    'is a page in a browser with the way home: %s',
    async (path) => {
      const seen = await browse(path)
      expect({ status: seen.status, vary: seen.headers.get('vary'), ...securityHeaders(seen) }).toEqual({
        status: 404,
        vary: 'Accept',
        ...OF_A_PAGE,
      })
      expect(heading(seen)).toBe('Page not found')
      expect(seen.text).toContain('<a href="/">Go to the home page</a>')
      expect(seen.text).not.toContain('<script>')
    },
  )

  it('is a page for the form of a browser as well, and where only another method is known', async () => {
    expect(heading(await browse('/nope', 'POST'))).toBe('Page not found')
    const seen = await browse('/emails/x/cancel')
    expect({ status: seen.status, allow: seen.headers.get('allow'), heading: heading(seen) }).toEqual({
      status: 405,
      allow: 'POST',
      heading: 'Not a page',
    })
  })

  it.each([undefined, '*/*', 'application/json'])('stays JSON for a program that accepts %s', async (accept) => {
    const { headers, ...answer } = await call('/nope', accept)
    expect(outcome(answer)).toEqual(failure(404, 'not_found', 'The requested endpoint does not exist.'))
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it.each(['/nope', '/%zz', `/${'x'.repeat(3_000)}`])('keeps JSON out of a cache that could give it to a browser: %s', async (path) => {
    const { headers } = await call(path, 'application/json')
    expect([headers.get('content-type'), headers.get('vary'), headers.get('cache-control')]).toEqual([
      'application/json; charset=utf-8',
      'Accept',
      'no-store',
    ])
  })

  it('leaves the pages of the console and of links theirs', async () => {
    expect((await browse('/console/emails/a/b/c')).text).toContain('<div id="root">')
    expect(heading(await browse('/unsubscribe/'))).toBe('This link does not work')
  })

  it('leaves an address that exists its own answers, also the refusals', async () => {
    const { status, headers, body } = await service.call('GET', '/emails', { token: null, headers: BROWSER })
    expect({ status, type: headers.get('content-type'), name: (body as { name: string }).name }).toEqual({
      status: 401,
      type: 'application/json; charset=utf-8',
      name: 'missing_api_key',
    })
  })
})
