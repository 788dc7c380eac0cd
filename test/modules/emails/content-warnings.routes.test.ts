// Warnings about broadcasts before they are sent, and about the content of emails.
import { describe, expect, it } from 'vitest'
import { emailRecord } from '../../support/builders/answers.ts'
import {
  addMembers,
  broadcastInput,
  createBroadcast,
  DOMAIN_NOT_REGISTERED,
  LINK_MISSING,
  segmentEmpty,
} from '../../support/builders/broadcasts.ts'
import { addSegment } from '../../support/builders/contacts.ts'
import { emailInput } from '../../support/builders/emails.ts'
import { publishedTemplate } from '../../support/builders/templates.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

const HTML = '<p>News</p><a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a>'

const call = async (method: string, path: string, body?: object) => {
  const answer = await service.call(method, path, { body })
  return { status: answer.status, body: answer.body as Record<string, unknown>, header: answer.headers.get('x-warnings') }
}

async function warningsOf(changes: Record<string, unknown>): Promise<unknown> {
  const created = await call('POST', '/broadcasts', broadcastInput('', changes))
  const read = await call('GET', `/broadcasts/${String(created.body.id)}/preview`)
  const changed = await call('PATCH', `/broadcasts/${String(created.body.id)}`, { subject: String(changes.subject ?? 'News') })
  expect([read.body.warnings, changed.body.warnings]).toEqual([created.body.warnings, created.body.warnings])
  return created.body.warnings
}

async function segmentWithContact(): Promise<string> {
  const segmentId = await addSegment(service)
  await addMembers(service, segmentId, { [`of-${segmentId}@example.org`]: {} })
  return segmentId
}

async function ready(): Promise<Record<string, unknown>> {
  await service.call('POST', '/domains', { body: { name: 'ready.example.com' } })
  await service.database.execute("update domains set can_send = true where name = 'ready.example.com'")
  return { segment_id: await segmentWithContact(), from: 'hello@ready.example.com', html: HTML }
}

describe('the warnings of a broadcast', () => {
  it('are none if there is nothing to warn of', async () => {
    expect(await warningsOf(await ready())).toEqual([])
    expect(await warningsOf({ ...(await ready()), html: null, text: 'News {{{RESEND_UNSUBSCRIBE_URL}}}' })).toEqual([])
  })

  it('name each part without an unsubscribe link', async () => {
    const { html: _html, ...others } = await ready()
    expect(await warningsOf({ ...others, html: '<p>{{unsubscribe_url}} UNSUBSCRIBE_URL</p>', text: '' })).toEqual([
      LINK_MISSING,
      '`{{unsubscribe_url}}` is not filled in, because it has two braces: write `{{{UNSUBSCRIBE_URL}}}`.',
    ])
    expect(await warningsOf({ ...others, html: HTML, text: 'News' })).toEqual([LINK_MISSING.replace('html', 'text')])
  })

  it('name a segment without contacts, also one with a filter', async () => {
    const found = await addSegment(service, { filter: { field: 'email', operator: 'contains', value: 'of-' } })
    const empty = await addSegment(service)
    const nobody = await addSegment(service, { filter: { field: 'email', operator: 'equals', value: 'nobody@example.org' } })
    const good = await ready()
    expect(await warningsOf({ ...good, segment_id: found })).toEqual([])
    for (const segmentId of [empty, nobody]) expect(await warningsOf({ ...good, segment_id: segmentId })).toEqual([segmentEmpty(segmentId)])
  })

  it('name a domain that is not registered, or not verified yet', async () => {
    const good = await ready()
    expect(await warningsOf({ ...good, from: 'Acme <hello@EXAMPLE.com>' })).toEqual([DOMAIN_NOT_REGISTERED])
    await service.call('POST', '/domains', { body: { name: 'unverified.example.com' } })
    expect(await warningsOf({ ...good, from: 'hello@unverified.example.com' })).toEqual([
      'The domain `unverified.example.com` of the sender is not verified: publish its DNS records, and verify it with POST /domains/{id}/verify.',
    ])
  })

  it('stand in a header when it is sent or tested, and keep it from nothing', async () => {
    const segmentId = await addSegment(service)
    const id = await createBroadcast(service, { segment_id: segmentId, text: 'Hi {{{FIRST NAME}}}' })
    const warnings = `unsubscribe_link_missing=html, unsubscribe_link_missing=text, segment_empty=${segmentId}, domain_not_registered=example.com, placeholder_not_filled=FIRST%20NAME`
    expect(await call('POST', `/broadcasts/${id}/test`, { to: 'delivered@simulator.test' })).toMatchObject({
      status: 200,
      header: warnings,
    })
    expect(await call('POST', `/broadcasts/${id}/send`, {})).toEqual({
      status: 200,
      body: { object: 'broadcast', id },
      header: warnings,
    })
  })
})

describe('the warnings of an email', () => {
  const retrieve = (id: unknown) => call('GET', `/emails/${String(id)}`)

  it('are codes in a header and in the email', async () => {
    const content = { subject: 'Hi {{name}}', html: '<a href="https://example.com/?e=%7B%7B%7BEMAIL%7D%7D%7D">{{{FIRST_NAME}}}</a>' }
    const sent = await call('POST', '/emails', emailInput(content))
    expect(sent).toMatchObject({
      status: 200,
      header: 'placeholder_not_filled=name, placeholder_not_filled=EMAIL, placeholder_not_filled=FIRST_NAME',
    })
    expect((await retrieve(sent.body.id)).body).toEqual(
      emailRecord(String(sent.body.id), {
        ...content,
        warnings: ['placeholder_not_filled=name', 'placeholder_not_filled=EMAIL', 'placeholder_not_filled=FIRST_NAME'],
      }),
    )
  })

  it('are left out if there are none, also of a template that is filled in', async () => {
    const template = await publishedTemplate(service)
    for (const body of [emailInput(), { to: 'delivered@simulator.test', template: { id: template } }]) {
      const sent = await call('POST', '/emails', body)
      expect(sent).toMatchObject({ status: 200, header: null })
      expect((await retrieve(sent.body.id)).body).not.toHaveProperty('warnings')
    }
  })

  it('are those of all accepted emails of a batch, and again of a repetition', async () => {
    const batch = [emailInput({ text: '{{a}}' }), emailInput({ text: '{{b}}', from: 'nope' }), emailInput({ text: '{{A}} {{c}}' })]
    const options = { body: batch, headers: { 'x-batch-validation': 'permissive', 'idempotency-key': 'warned' } }
    const answers = [await service.call('POST', '/emails/batch', options), await service.call('POST', '/emails/batch', options)]
    for (const { status, headers } of answers)
      expect([status, headers.get('x-warnings')]).toEqual([200, 'placeholder_not_filled=a, placeholder_not_filled=c'])
    expect((await call('POST', '/emails', emailInput({ text: '{{a}}', from: 'nope' }))).header).toBeNull()
  })
})
