import { expect, it } from 'vitest'
import { createSignInLink } from '../../../../src/modules/accounts/sessions/sessions.service.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { visit } from '../../../support/clients/console.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())

it.each([
  ['/inbox', '/console/emails'],
  ['/inbox/', '/console/emails'],
  ['/inbox?q=a%20b&state=bounced', '/console/emails?q=a%20b&state=bounced'],
  ['/inbox/?after=x', '/console/emails?after=x'],
  ['//inbox//lines', '/console/emails/lines'],
  [`/inbox/${UNKNOWN_ID}`, `/console/emails/${UNKNOWN_ID}`],
  [`/inbox/${UNKNOWN_ID}?view=source`, `/console/emails/${UNKNOWN_ID}?view=source`],
  [`/inbox/${UNKNOWN_ID}/html?remote=yes`, `/console/emails/${UNKNOWN_ID}/html?remote=yes`],
  [`/inbox/${UNKNOWN_ID}/attachments/${UNKNOWN_ID}`, `/console/emails/${UNKNOWN_ID}/attachments/${UNKNOWN_ID}`],
  ['/inbox/sign-in', '/console/sign-in'],
  ['/inbox/sign-in/token-token', '/console/sign-in/token-token'],
  ['/inbox/sign-in?x=y', '/console/sign-in?x=y'],
  ['/inbox/sign-inside', '/console/emails/sign-inside'],
  // Never to another site.
  ['/inbox///evil.example', '/console/emails/evil.example'],
  ['/inbox/https://evil.example', '/console/emails/https://evil.example'],
  ['/inbox/%2f%2fevil.example', '/console/emails/%2f%2fevil.example'],
])('%s redirects for good to %s, forms included', async (from, to) => {
  for (const method of ['GET', 'POST'] as const) {
    const { status, location } = await visit(service, method, from, { ...(method === 'POST' && { form: { email: 'x' } }) })
    expect({ method, status, location }).toEqual({ method, status: 308, location: to })
  }
})

it.each([
  ['operation', 'queue'],
  ['operation/health', 'health'],
  ['sessions', 'account'],
])('/console/%s is /console/%s now', async (from, to) => {
  expect(await visit(service, 'GET', `/console/${from}`)).toMatchObject({ status: 308, location: `/console/${to}` })
})

/** As a browser does: it repeats what it sent. */
const follow = (path: string, body: URLSearchParams | null) =>
  fetch(`${service.url}${path}`, { method: 'POST', headers: { origin: service.url }, body, redirect: 'manual' }).then((moved) =>
    fetch(`${service.url}${moved.headers.get('location')}`, {
      method: 'POST',
      headers: { origin: service.url },
      body,
      redirect: 'manual',
    }),
  )

it('signs in by the form of a page and by a link that were there before', async () => {
  const byForm = await follow('/inbox/sign-in', new URLSearchParams({ email: 'ada@people.example' }))
  expect(byForm.status).toBe(200)

  const { context } = service.service
  const person = await context.repositories.persons.ensureAcrossTeams('ada@people.example', 'Ada')
  const link = new URL(await createSignInLink(context, { personId: person.id })).pathname.replace('/console/', '/inbox/')
  const byLink = await follow(link, null)
  expect([byLink.status, byLink.headers.get('location')]).toEqual([303, '/console'])
})

it('is no address for anything that only begins with it', async () => {
  expect((await visit(service, 'GET', '/inboxes')).status).toBe(404)
})
