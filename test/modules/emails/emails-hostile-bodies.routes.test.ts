import { afterEach, describe, expect, it } from 'vitest'
import { failure, invalid, outcome } from '../../support/builders/answers.ts'
import { countStored, emailInput, MIB, NOTHING_STORED } from '../../support/builders/emails.ts'
import { rawRequest } from '../../support/clients/raw-requests.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService({ environment: { ALLOW_PRIVATE_NETWORKS: 'false' } }))
afterEach(async () => {
  expect(await countStored(service)).toEqual(NOTHING_STORED)
})

const NOT_STORABLE = 'holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.'
type Row = [what: string, changes: Record<string, unknown>, message: string]

const STRINGS = ['from', 'subject', 'html', 'text', 'scheduled_at', 'topic_id']
const STRINGS_OR_ARRAYS = ['to', 'cc', 'bcc', 'reply_to']

describe('POST /emails never takes one type for another', () => {
  it.each(STRINGS.flatMap((field) => [5, true, {}, [], ['x']].map((value) => ({ field, value }))))(
    'refuses $value as $field',
    async ({ field, value }) => {
      const answer = await service.call('POST', '/emails', { body: emailInput({ [field]: value }) })
      expect(outcome(answer)).toEqual(invalid(`The \`${field}\` field must be a string.`))
    },
  )

  it.each(STRINGS_OR_ARRAYS.flatMap((field) => [5, false, { 0: 'a@b.co' }].map((value) => ({ field, value }))))(
    'refuses $value as $field',
    async ({ field, value }) => {
      const answer = await service.call('POST', '/emails', { body: emailInput({ [field]: value }) })
      expect(outcome(answer)).toEqual(invalid(`The \`${field}\` field must be a string or an array.`))
    },
  )

  it.each(STRINGS_OR_ARRAYS.flatMap((field) => [5, null, ['a@b.co'], {}].map((value) => ({ field, value }))))(
    'refuses $value within $field',
    async ({ field, value }) => {
      const answer = await service.call('POST', '/emails', { body: emailInput({ [field]: ['a@b.co', value] }) })
      expect(outcome(answer)).toEqual(invalid(`The \`${field}[1]\` field must be a string.`))
    },
  )

  it.each(['from', 'to', 'subject'])('takes null for %s, which must be given, as not given', async (field) => {
    const answer = await service.call('POST', '/emails', { body: emailInput({ [field]: null }) })
    expect(outcome(answer)).toEqual(invalid(`Missing \`${field}\` field.`))
  })

  it.each([
    ['headers', 'x', 'an object'],
    ['headers', [], 'an object'],
    ['tags', 'x', 'an array'],
    ['attachments', {}, 'an array'],
    ['template', 'x', 'an object'],
  ])('refuses %s as %j', async (field, value, type) => {
    const answer = await service.call('POST', '/emails', { body: emailInput({ [field]: value }) })
    expect(outcome(answer)).toEqual(invalid(`The \`${field}\` field must be ${type}.`))
  })
})

describe('POST /emails refuses what cannot be stored', () => {
  const places: [name: string, changes: (text: string) => Record<string, unknown>][] = [
    ...[...STRINGS, ...STRINGS_OR_ARRAYS].map((field): [string, (text: string) => Record<string, unknown>] => [
      field,
      (text) => ({ [field]: text }),
    ]),
    ['to[1]', (text) => ({ to: ['a@b.co', text] })],
    ['tags[0].value', (text) => ({ tags: [{ name: 'a', value: text }] })],
    ['headers.X-A', (text) => ({ headers: { 'X-A': text } })],
    ['attachments[0].filename', (text) => ({ attachments: [{ content: 'aGk=', filename: text }] })],
    ['attachments[0].content', (text) => ({ attachments: [{ content: text }] })],
    ['unknown.field', (text) => ({ unknown: { field: text } })],
  ]
  it.each(places)('a NUL or half of a surrogate pair in %s', async (name, changes) => {
    for (const text of ['a\0b', 'a\ud800', '\udc00b']) {
      const answer = await service.call('POST', '/emails', { body: emailInput(changes(text)) })
      expect(outcome(answer)).toEqual(invalid(`The \`${name}\` field ${NOT_STORABLE}`))
    }
  })

  it('a NUL or half of a surrogate pair in the name of a field', async () => {
    const nul = await service.call('POST', '/emails', { body: emailInput({ headers: { 'X-\0A': 'x' } }) })
    expect(outcome(nul)).toEqual(invalid(`The \`headers.X-A\` field ${NOT_STORABLE}`))
    const half = await service.call('POST', '/emails', { body: emailInput({ 'x\ud800': 1 }) })
    expect(outcome(half)).toEqual(invalid(`The \`x\ufffd\` field ${NOT_STORABLE}`))
    const deep = await service.call('POST', '/emails', { body: emailInput({ unknown: { 'y\udc00': null } }) })
    expect(outcome(deep)).toEqual(invalid(`The \`unknown.y\ufffd\` field ${NOT_STORABLE}`))
  })
})

describe('POST /emails accepts texts of a megabyte', () => {
  const text = 'x'.repeat(MIB)
  const LONG = ` It is "${'x'.repeat(80)}"..., which is longer.`
  it.each<Row>([
    ['from', { from: text }, `The \`from\` field may not be longer than 998 characters.${LONG}`],
    ['to', { to: [text] }, `The \`to[0]\` field may not be longer than 998 characters.${LONG}`],
    ['a display name', { to: `${text} <a@b.co>` }, `The \`to\` field may not be longer than 998 characters.${LONG}`],
    ['subject', { subject: text }, 'The `subject` field must have at most 998 characters.'],
    ['scheduled_at', { scheduled_at: text }, 'The `scheduled_at` field may not be longer than 100 characters.'],
    ['the name of a tag', { tags: [{ name: text, value: 'x' }] }, 'The `tags[0].name` field must have at most 256 characters.'],
    ['the value of a tag', { tags: [{ name: 'x', value: text }] }, 'The `tags[0].value` field must have at most 256 characters.'],
    [
      'the name of a header',
      { headers: { [text]: 'x' } },
      `The \`headers\` field has the header name \`${'x'.repeat(60)}…\`: use at most 76 characters.`,
    ],
    [
      'the value of a header',
      { headers: { 'X-A': text } },
      'The `headers` field has a value of `X-A` that is too long: a header may have at most 16 KB.',
    ],
    [
      'the name of a header whose value is wrong',
      { headers: { [text]: 5 } },
      `The \`headers.${'x'.repeat(192)}...\` field must be a string.`,
    ],
    [
      'topic_id',
      { topic_id: text },
      'The `topic_id` field must be a UUID. It is "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"..., which is longer.',
    ],
    ['template.id', { template: { id: text } }, 'The `template.id` field must have at most 100 characters.'],
  ])('in %s', async (_what, changes, message) => {
    const answer = await service.call('POST', '/emails', { body: emailInput(changes) })
    expect(outcome(answer)).toEqual(invalid(message))
  })

  it('cuts a name in an error between characters, never within one', async () => {
    const answer = await service.call('POST', '/emails', { body: emailInput({ headers: { [`x${'😀'.repeat(150)}`]: 5 } }) })
    expect(outcome(answer)).toEqual(invalid(`The \`headers.x${'😀'.repeat(95)}\ufffd...\` field must be a string.`))
  })
})

describe('POST /emails refuses bodies that are not an email', () => {
  const notJson = (column: number) => failure(400, 'validation_error', `The request body is not valid JSON at line 1, column ${column}.`)
  const notAnObject = invalid('The request body must be an object.')
  it.each([
    ['nothing', '', invalid('Missing `to` field.')],
    ['spaces', ' \n ', invalid('Missing `to` field.')],
    ['an empty object', '{}', invalid('Missing `to` field.')],
    ['half of JSON', '{"from": "a@b.co"', notJson(18)],
    ['no JSON', 'from=a@b.co', notJson(1)],
    ['JSON with a comment', '{} // email', notJson(4)],
    ['a bare line break in a string', '{"from":"a\n"}', notJson(11)],
    [
      'a poisoned prototype',
      '{"__proto__":{"from":"a@b.co"}}',
      invalid('The request body has a field called `__proto__`, or one called `prototype` within `constructor`: these names are refused.'),
    ],
    ['null', 'null', notAnObject],
    ['a number', '5', notAnObject],
    ['a string', '"hello"', notAnObject],
    ['an array', '[]', notAnObject],
    ['an array of emails', '[{"from":"a@b.co"}]', notAnObject],
    ['49 levels', `${'['.repeat(49)}${']'.repeat(49)}`, invalid('The request body is nested too deeply.')],
    ['100,000 levels', `{"html":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, invalid('The request body is nested too deeply.')],
    ['100,000 levels without an end', '[{"a":'.repeat(100_000), invalid('The request body is nested too deeply.')],
  ])('%s', async (_what, body, expected) => {
    const answer = await service.call('POST', '/emails', { body })
    expect(outcome(answer)).toEqual(expected)
  })

  it.each([
    ['in Latin-1', Buffer.from(JSON.stringify(emailInput({ text: 'Grüße' })), 'latin1')],
    ['in UTF-16', Buffer.from(JSON.stringify(emailInput({ text: '注文' })), 'utf16le')],
    [
      'with half of a surrogate pair as bytes',
      Buffer.concat([Buffer.from('{"from":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ],
  ])('%s, instead of sending replacement characters', async (_what, body) => {
    const answer = await rawRequest(service, { method: 'POST', path: '/emails', headers: { 'content-type': 'application/json' }, body })
    expect(outcome(answer)).toMatchObject({ status: 400, body: { statusCode: 400, name: 'validation_error' } })
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml'])(
    'of the type %s, whatever is in them',
    async (type) => {
      const answer = await service.call('POST', '/emails', { body: JSON.stringify(emailInput()), headers: { 'content-type': type } })
      expect(outcome(answer)).toEqual(
        failure(415, 'validation_error', 'The request body must be sent with `Content-Type: application/json`.'),
      )
    },
  )
})

describe('POST /emails handles bodies with very many entries', () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `name-${index}`)
  const values = Object.fromEntries(names.map((name) => [name, 'x']))
  it.each<Row>([
    ['headers', { headers: values }, 'The `headers` field may hold at most 50 headers, not 10000.'],
    ['tags', { tags: names.map((name) => ({ name, value: 'x' })) }, 'The `tags` field must have at most 50 entries.'],
    [
      'attachments',
      { attachments: names.map((filename) => ({ filename, content: '' })) },
      'The `attachments` field must have at most 100 entries.',
    ],
    ['recipients', { to: names.map((name) => `${name}@example.com`) }, 'The `to` field must have at most 50 entries.'],
    ['variables of a template', { template: { id: 'x', variables: values } }, 'Give either `template`, or `html` and `text`, not both.'],
    [
      'unknown fields',
      { ...values, from: 'nope' },
      'The `from` field must be `name@example.com` or `Name <name@example.com>`. It is "nope".',
    ],
  ])('10,000 %s', async (_what, changes, message) => {
    const answer = await service.call('POST', '/emails', { body: emailInput(changes) })
    expect(outcome(answer)).toEqual(invalid(message))
  })
})
