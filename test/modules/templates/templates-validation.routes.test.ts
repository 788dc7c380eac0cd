import { beforeAll, describe, expect, it } from 'vitest'
import { invalid, outcome } from '../../support/builders/answers.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { createTemplate, templateInput } from '../../support/builders/templates.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let id = ''

const service = shared(() => startTestService())
beforeAll(async () => {
  id = await createTemplate(service)
})

const variable = (changes: object): object => ({ variables: [{ key: 'A', type: 'string', ...changes }] })
const RESERVED = (key: string): string =>
  `The \`variables[0].key\` field must not be \`${key}\`: this name is reserved for a field of contacts.`

describe.each(['POST', 'PATCH'] as const)('%s refuses', (method) => {
  it.each<[string, object, string]>([
    ['an empty name', { name: '' }, 'The `name` field must not be empty.'],
    ['an invisible name', { name: ' \u200b' }, 'The `name` field must have at least one visible character.'],
    ['a long name', { name: 'x'.repeat(101) }, 'The `name` field must have at most 100 characters.'],
    ['an empty alias', { alias: '' }, 'The `alias` field must not be empty.'],
    ['a long alias', { alias: 'x'.repeat(101) }, 'The `alias` field must have at most 100 characters.'],
    ['an alias with a space', { alias: 'a b' }, 'The `alias` field may hold only ASCII letters, digits, hyphens and underscores.'],
    ['an alias with a slash', { alias: 'a/b' }, 'The `alias` field may hold only ASCII letters, digits, hyphens and underscores.'],
    ['an alias in another script', { alias: 'größe' }, 'The `alias` field may hold only ASCII letters, digits, hyphens and underscores.'],
    ['an alias like an id', { alias: UNKNOWN_ID }, 'The `alias` field must not have the form of an id.'],
    ['an alias like an id in upper case', { alias: UNKNOWN_ID.toUpperCase() }, 'The `alias` field must not have the form of an id.'],
    [
      'a sender that is no address',
      { from: 'Acme' },
      'The `from` field must be `name@example.com` or `Name <name@example.com>`. It is "Acme".',
    ],
    ['two senders', { from: 'a@b.example, c@d.example' }, expect.stringContaining('The `from` field ')],
    ['a subject with a line break', { subject: 'a\r\nBcc: b@c.example' }, 'The `subject` field must be one line.'],
    ['a long subject', { subject: 'x'.repeat(999) }, 'The `subject` field must have at most 998 characters.'],
    ['a subject of a megabyte', { subject: 'x'.repeat(1_000_000) }, 'The `subject` field must have at most 998 characters.'],
    ['a wrong reply_to', { reply_to: ['a@b.example', 'x'] }, expect.stringContaining('The `reply_to[1]` field ')],
    ['long HTML', { html: 'x'.repeat(1_000_001) }, 'The `html` field must have at most 1000000 characters.'],
    ['long text', { text: 'x'.repeat(1_000_001) }, 'The `text` field must have at most 1000000 characters.'],
    ['HTML that is no text', { html: 1 }, 'The `html` field must be a string.'],
    ['HTML with a NUL', { html: 'a\0' }, expect.stringContaining('The `html` field ')],
    [
      '51 variables',
      { variables: Array.from({ length: 51 }, (_, at) => ({ key: `A${at}`, type: 'string' })) },
      'The `variables` field must have at most 50 entries.',
    ],
    ['a variable without a key', { variables: [{ type: 'string' }] }, 'Missing `variables[0].key` field.'],
    ['a variable without a type', { variables: [{ key: 'A' }] }, 'Missing `variables[0].type` field.'],
    [
      'a variable of another type',
      variable({ type: 'date' }),
      'The `variables[0].type` field must be one of: `string`, `number`, `boolean`, `object`, `list`. It is "date".',
    ],
    ['an empty key', variable({ key: '' }), 'The `variables[0].key` field must not be empty.'],
    ['a long key', variable({ key: 'x'.repeat(51) }), 'The `variables[0].key` field must have at most 50 characters.'],
    ['a key with a dot', variable({ key: 'a.b' }), 'The `variables[0].key` field may hold only ASCII letters, digits and underscores.'],
    [
      'a key with braces',
      variable({ key: '{{{a}}}' }),
      'The `variables[0].key` field may hold only ASCII letters, digits and underscores.',
    ],
    ...[
      'FIRST_NAME',
      'LAST_NAME',
      'EMAIL',
      'UNSUBSCRIBE_URL',
      'RESEND_UNSUBSCRIBE_URL',
      'SERVICE_UNSUBSCRIBE_URL',
      'VIEW_URL',
      'contact',
      'this',
    ].map((key): [string, object, string] => [`the reserved key ${key}`, variable({ key }), RESERVED(key)]),
    [
      'a key twice',
      {
        variables: [
          { key: 'A', type: 'string' },
          { key: 'A', type: 'number' },
        ],
      },
      'The `variables[1].key` field names `A` more than once.',
    ],
    [
      'a number for a string',
      variable({ fallback_value: 1 }),
      'The `variables[0].fallback_value` field must be a string, as the template declares.',
    ],
    [
      'a string for a number',
      variable({ type: 'number', fallback_value: '1' }),
      'The `variables[0].fallback_value` field must be a number, as the template declares.',
    ],
    [
      'a string for a boolean',
      variable({ type: 'boolean', fallback_value: 'true' }),
      'The `variables[0].fallback_value` field must be true or false, as the template declares.',
    ],
    [
      'a list for an object',
      variable({ type: 'object', fallback_value: [] }),
      'The `variables[0].fallback_value` field must be an object, as the template declares.',
    ],
    [
      'an object for a list',
      variable({ type: 'list', fallback_value: {} }),
      'The `variables[0].fallback_value` field must be an array, as the template declares.',
    ],
    [
      'a long fallback',
      variable({ fallback_value: 'x'.repeat(10_001) }),
      'The `variables[0].fallback_value` field may not have more than 10,000 characters.',
    ],
    [
      'a long list',
      variable({ type: 'list', fallback_value: ['x'.repeat(10_000)] }),
      'The `variables[0].fallback_value` field may not have more than 10,000 characters.',
    ],
  ])('%s', async (_what, changes, message) => {
    const body = method === 'POST' ? templateInput(changes as Record<string, unknown>) : changes
    const path = method === 'POST' ? '/templates' : `/templates/${id}`
    expect(outcome(await service.call(method, path, { body }))).toEqual(invalid(message))
  })
})

it.each([
  ['name', 'Missing `name` field.'],
  ['html', 'Missing `html` field.'],
])('needs %s', async (field, message) => {
  for (const value of [undefined, null])
    expect(outcome(await service.call('POST', '/templates', { body: templateInput({ [field]: value }) }))).toEqual(invalid(message))
})

it.each(['name', 'html', 'variables'])('does not clear %s', async (field) => {
  expect(outcome(await service.call('PATCH', `/templates/${id}`, { body: { [field]: null } }))).toEqual(
    invalid(expect.stringMatching(new RegExp(`^The \`${field}\` field must be .* Leave it out to keep what is there\\.$`))),
  )
})

it('refuses a number beyond all numbers as a fallback', async () => {
  const body = `{"name":"x","html":"x","variables":[{"key":"A","type":"number","fallback_value":1e999}]}`
  const answer = await fetch(`${service.url}/templates`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    body,
  })
  expect({ status: answer.status, body: await answer.json() }).toEqual(
    invalid('The `variables[0].fallback_value` field must be a number of at most 1.7976931348623157e+308.'),
  )
})

it.each([
  ['a million braces', '{'.repeat(1_000_000)],
  ['a megabyte of placeholders', '{{{a}}}'.repeat(142_857)],
  ['a fallback of a megabyte', `{{{a|${'x'.repeat(999_000)}}}}`],
  ['a megabyte of placeholders in a link', `<a href="${'{{{a}}}'.repeat(142_000)}">`],
  ['placeholders in placeholders', '{{{a|{{{b|{{{c}}}}}}}}}'],
])('keeps and fills in %s', async (_what, html) => {
  const template = await createTemplate(service, { html })
  expect((await service.call('GET', `/templates/${template}`)).body).toMatchObject({ html })
  const { status, body } = await service.call('POST', `/templates/${template}/render`, { body: { variables: { a: 'A', b: 'B', c: 'C' } } })
  expect({ status, html: (body as { html: string }).html }).toEqual({
    status: 200,
    html: html.replaceAll(/\{\{\{a(\|x*)?\}\}\}/g, 'A').replace('{{{c}}}', 'C'),
  })
})
