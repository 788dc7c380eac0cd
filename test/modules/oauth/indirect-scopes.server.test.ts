// What a token with one scope sees and changes of other sections.
import { beforeAll, describe, expect, it } from 'vitest'
import { chooseConsentTexts, scopeText } from '../../../src/modules/oauth/consent/texts.ts'
import { send, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { createContact } from '../../support/builders/topics.ts'
import { createWebhook } from '../../support/builders/webhooks.ts'
import { grantedToken } from '../../support/clients/oauth-client.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const MARKER = 'marker-of-mail'
const service = shared(() => startTestService())

const granted = (scope: string) => grantedToken(service, scope)

const get = async (path: string, token: string) => (await service.call('GET', path, { token })).text

beforeAll(async () => {
  await createContact(service, 'ada@example.com')
  await send(service, { to: 'ada@example.com', subject: MARKER, text: MARKER })
})

it('the export of a contact shows mail only with emails:read', async () => {
  const alone = await get('/contacts/ada@example.com/export', await granted('contacts:read'))
  expect([alone.includes('"contact_export"'), alone.includes(MARKER)]).toEqual([true, false])
  expect(await get('/contacts/ada@example.com/export', await granted('contacts:read emails:read'))).toContain(MARKER)
  expect(await get('/contacts/ada@example.com/export', service.token)).toContain(MARKER)
})

it('a log shows bodies, and a path whole, only with the scope to read their section', async () => {
  await service.call('GET', '/contacts/ada@example.com')
  const alone = await granted('logs:read')
  const both = await granted('logs:read emails:read contacts:read')
  await expect.poll(() => get('/logs', service.token)).toContain('ada@example.com')
  expect(await get('/logs', alone)).not.toContain('ada@example.com')
  expect((await service.call('GET', '/logs?path=/contacts/a', { token: alone })).status).toBe(403)
  const { data } = JSON.parse(await get('/logs', both)) as { data: { id: string; endpoint: string; method: string }[] }
  const sent = data.find(({ endpoint, method }) => endpoint === '/emails' && method === 'POST')?.id
  expect(await get(`/logs/${sent}`, both)).toContain(MARKER)
  expect(JSON.parse(await get(`/logs/${sent}`, alone))).toMatchObject({ endpoint: '/emails', request_body: null, response_body: null })
})

it('the feed of a webhook shows a payload only with the scope to read what it is about', async () => {
  const { id } = await createWebhook(service, { endpoint: 'https://hooks.example.com/x', events: ['contact.created'] })
  await createContact(service, 'fed@example.com')
  // A webhook gets an event by a worker, a moment after the request that caused it.
  await expect.poll(() => get(`/webhooks/${id}/feed`, service.token)).toContain('fed@example.com')
  expect(await get(`/webhooks/${id}/feed`, await granted('webhooks:read'))).not.toContain('fed@example.com')
  expect(await get(`/webhooks/${id}/feed`, await granted('webhooks:read contacts:read'))).toContain('fed@example.com')
})

describe('what scheduled mail is sent by cannot be changed without broadcasts:send', () => {
  it.each([
    ['templates:write', 'POST', `/templates/${UNKNOWN_ID}/publish`],
    ['templates:write', 'DELETE', `/templates/${UNKNOWN_ID}`],
    ['segments:write', 'PATCH', `/segments/${UNKNOWN_ID}`],
    ['segments:write', 'DELETE', `/segments/${UNKNOWN_ID}`],
    ['topics:write', 'PATCH', `/topics/${UNKNOWN_ID}`],
    ['topics:write', 'DELETE', `/topics/${UNKNOWN_ID}`],
  ] as const)('%s: %s %s', async (scope, method, path) => {
    const { status, body } = await service.call(method, path, {
      token: await granted(scope),
      ...(method === 'PATCH' && { body: { name: 'x' } }),
    })
    expect([status, body]).toEqual([403, expect.objectContaining({ message: expect.stringContaining('`broadcasts:send`') })])
  })
})

it('the alias of a template cannot be changed without broadcasts:send, but its next version can', async () => {
  const token = await granted('templates:write')
  const refused = await service.call('PATCH', `/templates/${UNKNOWN_ID}`, { token, body: { alias: 'other' } })
  expect([refused.status, refused.body]).toEqual([403, expect.objectContaining({ message: expect.stringContaining('`broadcasts:send`') })])
  expect((await service.call('PATCH', `/templates/${UNKNOWN_ID}`, { token, body: { subject: 'Next' } })).status).toBe(404)
})

it.each(['en', 'de', 'fr', 'es'])('the consent page says in %s that webhooks send what happens with emails and contacts', (language) => {
  expect(scopeText('webhooks:write', chooseConsentTexts(language))).toMatch(
    /E-Mails, Kontakten|emails, contacts|e-mails, aux contacts|correos, los contactos/,
  )
})
