import { type TSchema, Type } from '@sinclair/typebox'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBodyCheck, exactValidator } from '../../../src/lib/validation/body-validator.ts'
import { OptionalNotNull, visible } from '../../../src/lib/validation/common.schema.ts'
import { unstorableField, validationSentence } from '../../../src/lib/validation/validation-sentence.ts'
import { EmailSend } from '../../../src/modules/emails/emails.schema.ts'

const problemOf = (schema: TSchema, value: unknown) => createBodyCheck(schema)(value)
const field = (schema: TSchema) => Type.Object({ field: schema })
const Nothing = Type.Null()
const ONE_OF_TWO = 'The `field` field must be one of: `a`, `b`. It is 5.'
const BLANK = 'The `field` field must have at least one visible character.'

describe('a sentence about a body', () => {
  it.each<[what: string, schema: TSchema, value: unknown, sentence: string | null]>([
    ['nothing wrong', field(Type.String()), { field: 'x' }, null],
    ['a missing field', field(Type.String()), {}, 'Missing `field` field.'],
    ['a missing field inside', field(field(Type.String())), { field: {} }, 'Missing `field.field` field.'],
    ['a missing field in an entry', Type.Array(field(Type.String())), [{ field: 'x' }, {}], 'Missing `[1].field` field.'],
    ['an array for an object', field(Type.String()), [], 'The request body must be an object.'],
    ['an object for an array', Type.Array(Type.String()), {}, 'The request body must be an array.'],
    ['a number for a string', field(Type.String()), { field: 5 }, 'The `field` field must be a string.'],
    ['a string for a number', field(Type.Number()), { field: '5' }, 'The `field` field must be a number.'],
    ['a fraction for a whole number', field(Type.Integer()), { field: 1.5 }, 'The `field` field must be a whole number.'],
    ['a string for a boolean', field(Type.Boolean()), { field: 'true' }, 'The `field` field must be true or false.'],
    ['null for a string', field(Type.String()), { field: null }, 'Missing `field` field.'],
    ['null for one of two types', field(Type.Union([Type.String(), Type.Array(Type.String())])), { field: null }, 'Missing `field` field.'],
    ['null inside', field(field(Type.String())), { field: { field: null } }, 'Missing `field.field` field.'],
    ['null as an entry', field(Type.Array(Type.String())), { field: [null] }, 'The `field[0]` field must be a string.'],
    [
      'null under a key of the client’s own',
      field(Type.Record(Type.String(), Type.String())),
      { field: { own: null } },
      'The `field.own` field must be a string.',
    ],
    ['null for the whole', field(Type.String()), null, 'The request body must be an object.'],
    [
      'a wrong type where null is allowed',
      field(Type.Union([Type.String(), Nothing])),
      { field: 5 },
      'The `field` field must be a string.',
    ],
    ['something where only null is allowed', field(Nothing), { field: 5 }, 'The `field` field must be left out.'],
    [
      'none of two types',
      field(Type.Union([Type.String(), Type.Number()])),
      { field: true },
      'The `field` field must be a string or a number.',
    ],
    [
      'none of three types',
      field(Type.Union([Type.String(), Type.Boolean(), Type.Object({})])),
      { field: 5 },
      'The `field` field must be a string, true or false or an object.',
    ],
    [
      'one type twice',
      field(Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })])),
      { field: 5 },
      'The `field` field must be an object.',
    ],
    [
      'a union whose array has a bad entry',
      field(Type.Union([Type.String(), Type.Array(Type.String())])),
      { field: ['a', 5] },
      'The `field[1]` field must be a string.',
    ],
    [
      'a union whose array is too long',
      field(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 1 })])),
      { field: ['a', 'b'] },
      'The `field` field must have at most 1 entries.',
    ],
    [
      'a union of a union',
      field(Type.Union([Type.Union([Type.String(), Type.Array(Type.Integer())]), Nothing])),
      { field: [1, 'x'] },
      'The `field[1]` field must be a whole number.',
    ],
    [
      'a union inside an entry',
      Type.Array(field(Type.Union([Type.String(), Nothing]))),
      [{ field: {} }],
      'The `[0].field` field must be a string.',
    ],
    [
      'a value outside an enum',
      field(Type.Unsafe({ type: 'string', enum: ['a', 'b'] })),
      { field: 'c' },
      'The `field` field must be one of: `a`, `b`. It is "c".',
    ],
    [
      'a value outside a union of literals',
      field(Type.Union([Type.Literal(''), Type.Literal('a'), Type.Literal('b')])),
      { field: 'c' },
      'The `field` field must be one of: ``, `a`, `b`. It is "c".',
    ],
    ['a value other than the only one', field(Type.Literal('a')), { field: 'c' }, 'The `field` field must be `a`. It is "c".'],
    [
      'a value outside an enum or null',
      field(Type.Union([Type.Unsafe({ type: 'string', enum: ['a', 'b'] }), Nothing])),
      { field: 'c' },
      'The `field` field must be one of: `a`, `b`. It is "c".',
    ],
    [
      'null for an enum that is kept',
      Type.Object({ field: OptionalNotNull(Type.Unsafe<string>({ type: 'string', enum: ['a', 'b'] })) }),
      { field: null },
      'The `field` field must be one of: `a`, `b`. Leave it out to keep what is there.',
    ],
    [
      'a secret that is too long a number, and not its value',
      field(Type.Integer({ maximum: 9, 'x-secret': true })),
      { field: 10 },
      'The `field` field must be at most 9.',
    ],
    ['another type than that of an enum', field(Type.Unsafe({ type: 'string', enum: ['a', 'b'] })), { field: 5 }, ONE_OF_TWO],
    [
      'another type than that of an enum or null',
      field(Type.Union([Type.Unsafe({ type: 'string', enum: ['a', 'b'] }), Nothing])),
      { field: 5 },
      ONE_OF_TWO,
    ],
    ['another literal', field(Type.Literal('Buffer')), { field: 'x' }, 'The `field` field must be `Buffer`. It is "x".'],
    ['an empty string', field(Type.String({ minLength: 1 })), { field: '' }, 'The `field` field must not be empty.'],
    ['a short string', field(Type.String({ minLength: 3 })), { field: 'ab' }, 'The `field` field must have at least 3 characters.'],
    ['a long string', field(Type.String({ maxLength: 3 })), { field: 'abcd' }, 'The `field` field must have at most 3 characters.'],
    ['an empty array', field(Type.Array(Type.String(), { minItems: 1 })), { field: [] }, 'The `field` field must not be empty.'],
    [
      'a short array',
      field(Type.Array(Type.String(), { minItems: 2 })),
      { field: ['a'] },
      'The `field` field must have at least 2 entries.',
    ],
    ['a long array', Type.Array(Type.String(), { maxItems: 2 }), ['a', 'b', 'c'], 'The request body must have at most 2 entries.'],
    [
      'too many keys',
      field(Type.Record(Type.String(), Type.String(), { maxProperties: 1 })),
      { field: { a: 'a', b: 'b' } },
      'The `field` field must have at most 1 entries.',
    ],
    [
      'a number below a range',
      field(Type.Integer({ minimum: 1, maximum: 100 })),
      { field: 0 },
      'The `field` field must be a number from 1 to 100. It is 0.',
    ],
    [
      'a number above a range',
      field(Type.Integer({ minimum: 1, maximum: 100 })),
      { field: 101 },
      'The `field` field must be a number from 1 to 100. It is 101.',
    ],
    ['a number that is too small', field(Type.Integer({ minimum: 1 })), { field: 0 }, 'The `field` field must be at least 1. It is 0.'],
    ['a number that is too large', field(Type.Integer({ maximum: 9 })), { field: 10 }, 'The `field` field must be at most 9. It is 10.'],
    ['what is not a UUID', field(Type.String({ format: 'uuid' })), { field: 'x' }, 'The `field` field must be a UUID. It is "x".'],
    ['what is not a URL', field(Type.String({ format: 'uri' })), { field: 'x' }, 'The `field` field must be a URL. It is "x".'],
    ['what no one sees', field(Type.String({ ...visible })), { field: ' ' }, BLANK],
    ['another format', field(Type.String({ format: 'email' })), { field: 'x' }, 'The `field` field must be a valid email. It is "x".'],
    [
      'a pattern with a rule',
      field(Type.String({ pattern: '^a$', 'x-rule': 'may be only a' })),
      { field: 'x' },
      'The `field` field may be only a.',
    ],
    [
      'a pattern without a rule',
      field(Type.String({ pattern: '^a$' })),
      { field: 'x' },
      'The `field` field has characters that are not allowed here.',
    ],
    [
      'a value of the client’s own key',
      field(Type.Record(Type.String(), Type.String())),
      { field: { 'X-Own': 5 } },
      'The `field.X-Own` field must be a string.',
    ],
    [
      'a key with a slash and a tilde',
      field(Type.Record(Type.String(), Type.String())),
      { field: { 'a/b~1': 5 } },
      'The `field.a/b~1` field must be a string.',
    ],
    ['a keyword without a sentence', field(Type.Number({ multipleOf: 5 })), { field: 3 }, 'The `field` field is not valid.'],
  ])('names %s', (_what, schema, value, sentence) => expect(problemOf(schema, value)).toBe(sentence))

  it('keeps its length whatever the client calls a field', () => {
    const schema = field(Type.Record(Type.String(), Type.String()))
    for (const key of ['x'.repeat(1_000_000), '😀'.repeat(1_000)]) {
      const sentence = problemOf(schema, { field: { [key]: 5 } }) ?? ''
      expect(sentence).toMatch(/^The `field\..*\.\.\.` field must be a string\.$/u)
      expect(sentence.length).toBeLessThan(300)
      expect(sentence.isWellFormed()).toBe(true)
    }
  })

  it('is found for every value that is not valid', () => {
    const check = createBodyCheck(EmailSend)
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const sentence = check(value)
        expect(sentence).toMatch(/^(Missing `to` field\.|The request body must be an object\.)$/)
      }),
    )
    fc.assert(
      fc.property(
        fc.constantFrom('to', 'cc', 'headers', 'tags', 'attachments', 'template', 'subject', 'html'),
        fc.jsonValue({ maxDepth: 4 }),
        (name, value) => {
          const sentence = check({ from: 'a@x.example', to: 'b@x.example', subject: '', [name]: value })
          if (sentence !== null) expect(sentence).toMatch(new RegExp(`^(Missing \`|The \`)${name}[\\[\`.].*\\.$`, 's'))
        },
      ),
    )
  })
})

it.each([
  ['body', 'The `limit` field must be a whole number.', 'Missing `other` field.'],
  ['querystring', 'The `limit` parameter must be a whole number.', 'Missing `other` parameter.'],
  ['params', 'The `limit` parameter must be a whole number.', 'Missing `other` parameter.'],
  ['headers', 'The `limit` header must be a whole number.', 'Missing `other` header.'],
])('calls what a %s has by its name', (part, wrongType, missing) => {
  const validate = exactValidator(Type.Object({ limit: Type.Integer(), other: Type.String() }))
  validate({ limit: 'x', other: '' })
  expect(validationSentence([...(validate.errors ?? [])], part)).toBe(wrongType)
  validate({ limit: 1 })
  expect(validationSentence([...(validate.errors ?? [])], part)).toBe(missing)
})

it('says something even of no error at all', () => expect(validationSentence([], 'body')).toBe('The request is not valid.'))

describe('unstorableField', () => {
  it.each<[unknown, string | null]>([
    [{ a: 'fine', b: [1, null, true, 'é😀'] }, null],
    [{ a: 'x\0' }, 'a'],
    [{ a: '\ud800' }, 'a'],
    [{ a: '\udc00x' }, 'a'],
    [{ a: ['x', '\0'] }, 'a[1]'],
    [{ a: [{ b: { c: '\0' } }] }, 'a[0].b.c'],
    [['\0'], '[0]'],
    [{ 'k\0': 'x' }, 'k'],
    [{ 'k\0': 1 }, 'k'],
    [{ 'k\0': null }, 'k'],
    [{ a: { '\ud800': true } }, 'a.\ufffd'],
    [{ a: [1, 2, 3] }, null],
    [{}, null],
  ])('finds in %j: %j', (value, expected) => expect(unstorableField(value)).toBe(expected))
})
