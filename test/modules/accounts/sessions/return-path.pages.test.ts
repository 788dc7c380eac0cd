// The page that someone asked for before signing in, and what others may write in its place.
import { describe, expect, it } from 'vitest'
import { returnPath } from '../../../../src/modules/accounts/sessions/sessions.pages.ts'
import { createSignInLink } from '../../../../src/modules/accounts/sessions/sessions.service.ts'
import { type Seen, visit } from '../../../support/clients/console.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())

const OTHERS = [
  'https://evil.example/console',
  '//evil.example/console',
  '/\\evil.example/console',
  '\\\\evil.example',
  '/\t/evil.example',
  ' //evil.example',
  '/console/../..//evil.example',
  '/console/..\\..\\\\evil.example',
  '/console/%2e%2e//evil.example',
  '/console@evil.example',
  '/consoleevil',
  '/docs',
  '/',
  'console/emails',
  'javascript:alert(1)',
  'data:text/html,x',
  '/console/sign-in',
  '/console/sign-in/a-token-of-someone',
  '/console/emails/../sign-in/provider',
  `/console/${'x'.repeat(1_000)}`,
  '',
]

const link = async (): Promise<string> => {
  const person = await service.service.context.repositories.persons.ensureAcrossTeams('ada@people.example', 'Ada')
  return new URL(await createSignInLink(service.service.context, { personId: person.id })).pathname
}

describe('a path to return to', () => {
  it.each(OTHERS)('is not %j', async (next) => {
    expect(returnPath(next)).toBeNull()
    const { status, text } = await visit(service, 'GET', `/console/sign-in?${new URLSearchParams({ next })}`)
    expect({ status, field: text.includes('name="next"') }).toEqual({ status: 200, field: false })
    const entered = await visit(service, 'POST', await link(), { form: { next } })
    expect({ status: entered.status, location: entered.location }).toEqual({ status: 303, location: '/console' })
  })

  it.each([
    ['/console/emails?state=bounced&q=a%26b', '/console/emails?state=bounced&q=a%26b'],
    ['/console/emails#x', '/console/emails'],
    ['/console//evil.example', '/console//evil.example'],
    ['/console/\r\nSet-Cookie: a=b', '/console/Set-Cookie:%20a=b'],
    ['/console/"><script>', '/console/%22%3E%3Cscript%3E'],
    ['/console/é', '/console/%C3%A9'],
  ])('is %j', async (next, path) => {
    expect(returnPath(next)).toBe(path)
    const entered = await visit(service, 'POST', await link(), { form: { next } })
    expect(entered.location).toBe(path)
    expect(new URL(entered.location ?? '', service.url).origin).toBe(service.url)
  })

  it('is a text: other values of the query are as none', async () => {
    expect([undefined, null, 1, ['/console/emails'], { a: '/console' }].map(returnPath)).toEqual([null, null, null, null, null])
    const twice = await visit(service, 'GET', '/console/sign-in?next=/console/emails&next=/console/logs')
    expect({ status: twice.status, field: twice.text.includes('name="next"') }).toEqual({ status: 200, field: false })
  })
})

const nextIn = ({ text }: Seen) => (/name="next" value="([^"]*)"/.exec(text)?.[1] ?? '').replaceAll('&amp;', '&')

describe('signing in', () => {
  it('leads to the page that was asked for, also after a wrong address', async () => {
    const path = '/console/logs?status=4xx&path=%2Femails'
    const page = await visit(service, 'GET', `/console/sign-in?${new URLSearchParams({ next: path })}`)
    const refused = await visit(service, 'POST', '/console/sign-in', { form: { next: nextIn(page), email: 'wrong' } })
    expect(refused.status).toBe(422)
    expect(nextIn(refused)).toBe(path)
  })
})

it('is not put into the form when it would be longer than a form may be', async () => {
  const next = encodeURIComponent(`/console/emails?q=${'€'.repeat(900)}`)
  const { status, text } = await visit(service, 'GET', `/console/sign-in?next=${next}`)
  expect(status).toBe(200)
  expect(text).not.toContain('%E2%82%AC')
})
