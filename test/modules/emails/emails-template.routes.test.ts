import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { emailRecord, invalid, missing, outcome, UUID } from '../../support/builders/answers.ts'
import { emailInput, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { createTemplate, publishedTemplate } from '../../support/builders/templates.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

type Body = Record<string, unknown>

const TO = 'delivered@simulator.test'

const post = async (body: object, headers: Record<string, string> = {}) =>
  outcome(await service.call('POST', '/emails', { body: { to: TO, ...body }, headers }))
const email = async (id: string) => (await service.call('GET', `/emails/${id}`)).body as Body
const versionOf = async (id: string) => ((await service.call('GET', `/templates/${id}`)).body as Body).published_version_id
const patch = (id: string, body: object) => service.call('PATCH', `/templates/${id}`, { body })
const publish = (id: string) => service.call('POST', `/templates/${id}/publish`)
const countEmails = async () => (await service.database.execute('select count(*) from emails'))[0]?.count

async function sent(body: object): Promise<Body> {
  const answer = await post(body)
  expect(answer).toEqual({ status: 200, body: { id: UUID } })
  return email((answer.body as { id: string }).id)
}

const ofTemplate = async (id: string, template: string, changes: Body = {}) =>
  emailRecord(id, {
    ...{ subject: 'your order is on its way', html: '<p>Thank you for your order.</p>', text: null },
    ...{ template_id: template, template_version_id: await versionOf(template) },
    ...changes,
  })

describe('POST /emails with a template', () => {
  it('sends what the template says, as the official client asks for it', async () => {
    const template = await publishedTemplate(service)
    const { data, error } = await resend.emails.send({ to: TO, template: { id: template, variables: { PRODUCT: 'Engine <1>' } } })
    expect({ data, error }).toEqual({ data: { id: UUID }, error: null })
    expect(await email(data?.id ?? '')).toEqual(
      await ofTemplate(data?.id ?? '', template, { subject: 'Engine <1> is on its way', html: '<p>Thank you for Engine <1>.</p>' }),
    )
  })

  it('takes the alias, and fallbacks where there are no values', async () => {
    const template = await publishedTemplate(service, {
      alias: 'by-alias',
      reply_to: ['a@example.com', 'b@example.com'],
      text: '{{{PRODUCT}}}',
    })
    const body = await sent({ template: { id: 'by-alias' } })
    expect(body).toEqual(await ofTemplate(`${body.id}`, template, { reply_to: ['a@example.com', 'b@example.com'], text: 'your order' }))
  })

  it('prefers the sender, the subject and the replies of the email', async () => {
    const template = await publishedTemplate(service, { reply_to: 'a@example.com', subject: '{{{NEEDED}}}' })
    const own = { from: 'Other <other@example.com>', subject: 'Own {{{PRODUCT}}}', reply_to: 'own@example.com' }
    const body = await sent({ ...own, template: { id: template } })
    expect(body).toEqual(
      await ofTemplate(`${body.id}`, template, { ...own, reply_to: ['own@example.com'], warnings: ['placeholder_not_filled=PRODUCT'] }),
    )
  })

  it('takes an empty reply_to as not given', async () => {
    const template = await publishedTemplate(service, { reply_to: 'a@example.com' })
    const body = await sent({ reply_to: '', template: { id: template } })
    expect(body).toEqual(await ofTemplate(`${body.id}`, template, { reply_to: ['a@example.com'] }))
  })

  it('takes null for what the template has', async () => {
    const template = await publishedTemplate(service)
    const body = await sent({
      from: null,
      subject: null,
      reply_to: null,
      html: null,
      text: null,
      template: { id: template, variables: null },
    })
    expect(body).toEqual(await ofTemplate(`${body.id}`, template))
  })

  it('sends the published version, not the newest one', async () => {
    const template = await publishedTemplate(service)
    await patch(template, { html: 'Draft' })
    expect((await sent({ template: { id: template } })).html).toBe('<p>Thank you for your order.</p>')
    await publish(template)
    expect((await sent({ template: { id: template } })).html).toBe('Draft')
  })

  it('pins what it says when it is accepted, even if the template is deleted while it is scheduled', async () => {
    const template = await publishedTemplate(service)
    const body = await sent({ template: { id: template }, scheduled_at: 'in 1 hour' })
    const expected = await email(`${body.id}`)
    await patch(template, { html: 'Later' })
    await publish(template)
    await service.call('DELETE', `/templates/${template}`)
    expect(await email(`${body.id}`)).toEqual(expected)
    expect(expected).toMatchObject({ html: '<p>Thank you for your order.</p>', template_id: template, last_event: 'scheduled' })
  })

  it('names the template in the events of webhooks', async () => {
    const template = await publishedTemplate(service)
    const created = await service.call('POST', '/webhooks', { body: { endpoint: null, events: ['email.scheduled'] } })
    const { id: webhook } = created.body as { id: string }
    const { id } = await sent({ template: { id: template }, scheduled_at: 'in 1 hour' })
    const { body } = await service.call('GET', `/webhooks/${webhook}/feed?wait=20`)
    expect(
      (body as { data: { payload: { data: Body } }[] }).data.map(({ payload: { data } }) => [data.email_id, data.template_id]),
    ).toEqual([[id, template]])
  })

  it('answers a repetition with the first answer, also when the template has changed or is gone', async () => {
    const template = await publishedTemplate(service)
    const headers = { 'idempotency-key': 'with-template' }
    const body = { template: { id: template, variables: { PRODUCT: 'x' } } }
    const first = await post(body, headers)
    expect(first).toEqual({ status: 200, body: { id: UUID } })
    await patch(template, { html: '{{{NEEDED}}}' })
    await publish(template)
    expect(await post(body, headers)).toEqual(first)
    await service.call('DELETE', `/templates/${template}`)
    expect(await post(body, headers)).toEqual(first)
  })
})

describe('POST /emails refuses, and stores nothing', () => {
  it.each<[string, Body, Body, string]>([
    ['a missing value', {}, { html: '{{{A}}} {{{B}}}' }, 'Missing `template.variables.A` field: the template has no fallback for it.'],
    [
      'a missing value of a declared variable',
      {},
      { html: 'x', subject: 'x', text: '{{{A}}}', variables: [{ key: 'A', type: 'number' }] },
      'Missing `template.variables.A` field: the template has no fallback for it.',
    ],
    [
      'what only contacts have',
      {},
      { html: '{{{FIRST_NAME}}}' },
      'The template has `{{{FIRST_NAME}}}`, which is a field of contacts, and this email is to addresses. Give the placeholder a fallback, or use a variable.',
    ],
    [
      'a link that only mail to contacts has',
      {},
      { html: '<a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a>' },
      'The template has `{{{UNSUBSCRIBE_URL}}}`, the link with which a contact unsubscribes, and this email is to addresses. Use a variable of another name, with the link of GET /contacts/{contact_id}/unsubscribe-link as its value, or send the template by a broadcast or an automation.',
    ],
    [
      'a name that nothing has',
      {},
      { html: '{{{event.name}}}' },
      'The template has `{{{event.name}}}`, which no variable can fill in, because the key of a variable has no dots. Correct the name.',
    ],
    [
      'a value of another type',
      { variables: { A: '1' } },
      { variables: [{ key: 'A', type: 'number' }] },
      'The `template.variables.A` field must be a number, as the template declares.',
    ],
    [
      'a value under a reserved name',
      { variables: { FIRST_NAME: 'Ada' } },
      {},
      'The `template.variables.FIRST_NAME` field must be left out: this name is reserved for a field of contacts.',
    ],
    [
      'a line break in the subject',
      { variables: { PRODUCT: 'x\r\nBcc: eve@example.com' } },
      {},
      'The `template.variables.PRODUCT` field must be one line, because the subject of the template uses it.',
    ],
    [
      'a control character in the subject',
      { variables: { PRODUCT: 'x\u0007' } },
      {},
      'The `subject` field may not hold control characters or characters that change the direction of writing.',
    ],
    [
      'a long subject',
      { variables: { PRODUCT: 'x'.repeat(1_000) } },
      {},
      'The subject of the template has more than 998 characters once it is filled in.',
    ],
    [
      'more than a template may make',
      { variables: { A: 'x'.repeat(1_000_000) } },
      { html: '{{{A}}}'.repeat(100) },
      'The email has more than 2 MB of HTML and text once its template is filled in. Send shorter values, or use fewer placeholders.',
    ],
    ['no sender', {}, { from: null }, 'Missing `from` field: the template has none.'],
    ['no subject', {}, { subject: null }, 'Missing `subject` field: the template has none.'],
  ])('%s', async (_what, template, changes, message) => {
    const id = await publishedTemplate(service, changes)
    const before = await countEmails()
    expect(await post({ template: { id, ...template } })).toEqual(invalid(message))
    expect(await countEmails()).toEqual(before)
  })

  it('a draft, an unknown template and that of another team', async () => {
    const before = await countEmails()
    const id = await createTemplate(service, { alias: 'draft' })
    for (const name of [id, 'draft'])
      expect(await post({ template: { id: name } })).toEqual(invalid('This template is a draft. Publish it before you send it.'))
    const theirs = await createTemplate(service, { alias: 'theirs' }, { token: service.other.token })
    for (const name of [UNKNOWN_ID, 'unknown', '', theirs, 'theirs'])
      expect(await post({ template: { id: name } })).toEqual(missing('Template'))
    expect(await countEmails()).toEqual(before)
  })

  it('a body beside the template', async () => {
    const id = await publishedTemplate(service)
    for (const own of [{ html: 'x' }, { text: '' }])
      expect(await post({ ...own, template: { id } })).toEqual(invalid('Give either `template`, or `html` and `text`, not both.'))
  })

  it('no sender and no subject without a template', async () => {
    for (const field of ['from', 'subject'])
      for (const value of [undefined, null])
        expect(await post(emailInput({ [field]: value }))).toEqual(invalid(`Missing \`${field}\` field.`))
  })
})

describe('POST /emails/batch with templates', () => {
  const batch = async (body: object[], headers: Record<string, string> = {}) =>
    outcome(await service.call('POST', '/emails/batch', { body, headers }))

  it('fills in each email, beside others without a template', async () => {
    const template = await publishedTemplate(service)
    const answer = await batch([
      { to: TO, template: { id: template, variables: { PRODUCT: 'one' } } },
      emailInput(),
      { to: TO, template: { id: template.toUpperCase(), variables: { PRODUCT: 'two' } } },
    ])
    expect(answer).toEqual({ status: 200, body: { data: [{ id: UUID }, { id: UUID }, { id: UUID }] } })
    const { data } = answer.body as { data: { id: string }[] }
    const emails = await Promise.all(data.map(({ id }) => email(id)))
    expect(emails.map(({ subject, template_id }) => [subject, template_id])).toEqual([
      ['one is on its way', template],
      ['Your receipt', null],
      ['two is on its way', template],
    ])
  })

  it('refuses all when one is wrong', async () => {
    const template = await publishedTemplate(service, { html: '{{{A}}}' })
    const before = await countEmails()
    expect(await batch([emailInput(), { to: TO, template: { id: template } }])).toEqual(
      invalid('Email 1 of the batch (from 0): Missing `template.variables.A` field: the template has no fallback for it.'),
    )
    expect(await batch([emailInput(), { to: TO, template: { id: 'unknown' } }])).toEqual(missing('Email 1 of the batch (from 0): Template'))
    expect(await countEmails()).toEqual(before)
  })

  it('sends the others when it is permissive', async () => {
    const [template, draft] = [await publishedTemplate(service, { html: '{{{A}}}' }), await createTemplate(service)]
    const entries = [
      { to: TO, template: { id: template } },
      { to: TO, template: { id: 'unknown' } },
      { to: TO, template: { id: draft } },
      { to: TO, template: { id: template, variables: { A: 'x' } } },
      { to: TO, template: 5 },
      { kind: 'validation', message: 'x', refusal: 'x' },
    ]
    const permissive = await batch(entries, { 'x-batch-validation': 'permissive' })
    expect(permissive).toEqual({
      status: 200,
      body: {
        data: [{ id: UUID }],
        errors: [
          { index: 0, name: 'validation_error', message: 'Missing `template.variables.A` field: the template has no fallback for it.' },
          { index: 1, name: 'not_found', message: 'Template not found' },
          { index: 2, name: 'validation_error', message: 'This template is a draft. Publish it before you send it.' },
          { index: 4, name: 'validation_error', message: 'The `template` field must be an object.' },
          { index: 5, name: 'validation_error', message: 'Missing `to` field.' },
        ],
      },
    })
  })

  it('makes no more of many emails than of one', async () => {
    const template = await publishedTemplate(service, { html: '{{{A}}}'.repeat(19) })
    const entry = { to: TO, template: { id: template, variables: { A: 'x'.repeat(100_000) } } }
    const before = await countEmails()
    expect(await batch(Array.from({ length: 23 }, () => entry))).toEqual(
      invalid(
        'Email 22 of the batch (from 0): The emails of this request have more than 40 MB of HTML and text once their templates are filled in. Send shorter values, or fewer emails at once.',
      ),
    )
    expect(await countEmails()).toEqual(before)
  })
})
