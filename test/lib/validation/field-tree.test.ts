import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isKeptWhole, NOT_KEPT, REDACTED, redact } from '../../../src/http/validation/logged-body.ts'
import { OptionalNullable, secret, secretQuery } from '../../../src/lib/validation/common.schema.ts'
import { fieldTree, unknownFields } from '../../../src/lib/validation/field-tree.ts'
import { EmailBatch, EmailSend } from '../../../src/modules/emails/emails.schema.ts'

const unknownIn = (schema: Parameters<typeof fieldTree>[0], value: unknown, namesMax = 100) =>
  unknownFields(fieldTree(schema), value, namesMax)

describe('unknownFields', () => {
  it.each<[what: string, value: unknown, names: string[]]>([
    ['nothing', { from: 'a', to: 'b' }, []],
    ['a field', { from: 'a', form: 'b' }, ['form']],
    [
      'fields of entries',
      {
        tags: [
          { name: 'a', value: 'b' },
          { name: 'a', color: 'red' },
        ],
      },
      ['tags[1].color'],
    ],
    ['fields inside a union', { attachments: [{ content: { type: 'Buffer', data: [], length: 0 } }] }, ['attachments[0].content.length']],
    ['none in a record of the client’s own keys', { headers: { 'X-A': 'b', anything: 'c' } }, []],
    ['none inside variables', { template: { id: 'a', variables: { name: 'b' } } }, []],
    ['one beside variables', { template: { id: 'a', version: 1 } }, ['template.version']],
    ['a name that every object inherits', { toString: 1, constructor: 2 }, ['toString', 'constructor']],
    ['none in a value of another type', { tags: 'x', attachments: { 0: {} }, to: 5 }, ['attachments.0']],
    ['none in what is no object', 'x', []],
    ['an undeclared field’s own fields only once', { extra: { a: 1, b: { c: 2 } } }, ['extra']],
  ])('finds %s', (_what, value, names) => expect(unknownIn(EmailSend, value)).toEqual(names))

  it('names the entries of an array body', () => {
    expect(unknownIn(EmailBatch, [{ from: 'a' }, { x: 1, tags: [{ y: 1 }] }])).toEqual(['[1].x', '[1].tags[0].y'])
  })

  it('stops at the number of names that are wanted, wherever it is', () => {
    const value = { a: 1, tags: [{ b: 1, c: 1 }, { d: 1 }], e: 1 }
    expect(unknownIn(EmailSend, value, 3)).toEqual(['a', 'tags[0].b', 'tags[0].c'])
    expect(unknownIn(EmailSend, Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`f${index}`, 1])), 10)).toHaveLength(10)
  })

  it('knows nothing better of what the schema says nothing about', () => {
    expect(unknownIn(Type.Object({ any: Type.Unknown() }), { any: { a: { b: 1 } } })).toEqual([])
  })
})

describe('redact', () => {
  const schema = Type.Object({
    name: Type.String(),
    token: OptionalNullable(Type.String(secret)),
    credentials: Type.Optional(Type.Object({ user: Type.String(), password: Type.String() }, secret)),
    nested: Type.Optional(Type.Array(Type.Object({ token: Type.String(secret), id: Type.Integer() }))),
    link: Type.Optional(Type.String(secretQuery)),
    free: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))),
  })
  const redacted = (value: unknown) => redact(fieldTree(schema), value)

  it.each<[what: string, value: unknown, expected: unknown]>([
    ['keeps what is known', { name: 'a', free: { x: 1, y: 'b' } }, { name: 'a', free: { x: 1, y: 'b' } }],
    ['keeps of a URL what signs nothing', { link: 'https://a.example/b;sig=x' }, { link: `https://a.example/b;${REDACTED}` }],
    ['knows an encoded question mark', { link: 'https://a.example/b%3Fsig=x' }, { link: `https://a.example/b%3F${REDACTED}` }],
    ['knows it in small letters', { link: 'https://a.example/b%3fsig=x' }, { link: `https://a.example/b%3f${REDACTED}` }],
    ['marks out a user with a semicolon', { link: 'https://user;x:y@a.example/b' }, { link: `https://${REDACTED}@a.example/b` }],
    ['marks out a secret', { name: 'a', token: 'x' }, { name: 'a', token: REDACTED }],
    ['keeps that a secret was null', { token: null }, { token: null }],
    ['marks out a secret of a wrong type', { token: { deep: 'x' } }, { token: REDACTED }],
    ['marks out a whole object', { credentials: { user: 'a', password: 'b', other: 'c' } }, { credentials: REDACTED }],
    [
      'marks out inside entries',
      { nested: [{ token: 'x', id: 1 }, { token: 'y' }] },
      { nested: [{ token: REDACTED, id: 1 }, { token: REDACTED }] },
    ],
    ['keeps nothing of an unknown field', { nmae: 'a', api_key: 're_1' }, { nmae: NOT_KEPT, api_key: NOT_KEPT }],
    ['keeps a known field of a wrong type', { name: 5, free: ['x', null] }, { name: 5, free: ['x', null] }],
    ['keeps no unknown field within one', { name: { token: 'x', name: 'y' } }, { name: { token: NOT_KEPT, name: NOT_KEPT } }],
    ['knows the fields of an entry that stands alone', { nested: { token: 'x', id: 'y' } }, { nested: { token: REDACTED, id: 'y' } }],
    ['knows the fields of entries within entries', { nested: [[{ token: 'x', id: 1 }]] }, { nested: [[{ token: REDACTED, id: 1 }]] }],
    ['marks out what stands where a secret should be inside', { nested: 'x' }, { nested: REDACTED }],
    ['marks it out in entries as well', { nested: ['x', 5, null, { id: 'y' }] }, { nested: [REDACTED, REDACTED, null, { id: 'y' }] }],
    [
      'marks out the query of a URL that may be signed',
      { link: 'https://files.example/a.pdf?X-Amz-Signature=x#y' },
      { link: `https://files.example/a.pdf?${REDACTED}` },
    ],
    ['marks out its fragment', { link: 'https://files.example/a#x' }, { link: `https://files.example/a#${REDACTED}` }],
    ['keeps a URL without either', { link: 'HTTP://files.example/a' }, { link: 'HTTP://files.example/a' }],
    ['marks out its user and password', { link: ' https://me:x@files.example/a@b' }, { link: `https://${REDACTED}@files.example/a@b` }],
    [
      'marks out those of a URL written otherwise',
      { link: 'https:\\\\me:x@y@files.example' },
      { link: `https:\\\\${REDACTED}@files.example` },
    ],
    ['marks out a file in the place of a URL', { link: 'data:text/plain,secret' }, { link: `data:${REDACTED}` }],
    ['marks out what is no URL', { link: 'c2VjcmV0' }, { link: REDACTED }],
    ['marks out the queries of several', { link: ['https://a.example/?x'] }, { link: [`https://a.example/?${REDACTED}`] }],
    ['keeps nothing of a wrong body', 'token=x', NOT_KEPT],
    ['keeps nothing of an array body', ['x'], NOT_KEPT],
    ['makes strings storable', { name: 'a\0\ud800', free: { 'k\0': 'v\0' } }, { name: 'a\ufffd\ufffd', free: { 'k\ufffd': 'v\ufffd' } }],
  ])('%s', (_what, value, expected) => {
    expect(redacted(value)).toEqual(expected)
    // What has a link is always copied.
    const isSame = JSON.stringify(value) === JSON.stringify(expected) && !JSON.stringify(value).includes('link')
    expect(isKeptWhole(fieldTree(schema), value, 1_000)).toBe(isSame)
  })

  it('is left out for what would be copied as it is, if it is not too long', () => {
    const any = fc.jsonValue({ stringUnit: 'binary' })
    const free = fieldTree(Type.Object({ any: Type.Unknown() }, { additionalProperties: Type.Unknown() }))
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), any), fc.nat(200), (value, lengthMax) => {
        if (isKeptWhole(free, value, lengthMax)) expect(JSON.stringify(redact(free, value))).toBe(JSON.stringify(value))
        else if (isKeptWhole(free, value, 10_000)) expect(JSON.stringify(value).length).toBeGreaterThan(lengthMax)
      }),
    )
    const long = { free: { x: 'x'.repeat(1_000) } }
    expect([999, 1_010].map((lengthMax) => isKeptWhole(fieldTree(schema), long, lengthMax))).toEqual([false, true])
  })

  it('of a part is the same as of the whole, as far as it was wanted', () => {
    const free = fieldTree(Type.Object({ any: Type.Unknown() }, { additionalProperties: Type.Unknown() }))
    const list = fieldTree(Type.Array(Type.Union([Type.Number(), Type.Object({ any: Type.String(), token: Type.String(secret) })])))
    fc.assert(
      fc.property(
        fc.oneof(
          fc.record({ tree: fc.constant(free), value: fc.jsonValue() }),
          fc.record({
            tree: fc.constant(list),
            value: fc.array(fc.oneof(fc.nat(), fc.record({ any: fc.string({ unit: 'binary' }), token: fc.string(), x: fc.nat() }))),
          }),
        ),
        fc.nat(200),
        ({ tree, value }, length) => {
          const [whole, part] = [JSON.stringify(redact(tree, value)), JSON.stringify(redact(tree, value, length))]
          expect(part.slice(0, length)).toBe(whole.slice(0, length))
          if (part !== whole) expect(part.length).toBeGreaterThan(length)
        },
      ),
    )
  })

  it('of a part keeps its order where a name that is cut would be a number', () => {
    const free = fieldTree(Type.Object({ any: Type.Unknown() }, { additionalProperties: Type.Unknown() }))
    expect(JSON.stringify(redact(free, { ' ': null, '0 ': '' }, 3))).toMatch(/^\{" "/)
  })

  it('looks at no more than was wanted, however much there is', () => {
    const tree = fieldTree(Type.Object({ numbers: Type.Array(Type.Integer()), html: Type.String() }))
    const seen: number[] = []
    const numbers = new Proxy(Array(1_000_000).fill(0), {
      get: (target, key, receiver) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) seen.push(Number(key))
        return Reflect.get(target, key, receiver)
      },
    })
    const copy = redact(tree, { numbers, html: 'x'.repeat(1_000_000) }, 1_000)
    expect(seen.length).toBeLessThan(1_010)
    expect(copy).not.toHaveProperty('html')
    expect(String((redact(tree, { html: 'x'.repeat(1_000_000) }, 1_000) as { html: string }).html).length).toBeLessThan(1_010)
  })

  it('does not change what it copies', () => {
    const value = { name: 'a', token: 'x', nested: [{ token: 'y', id: 1 }] }
    redacted(value)
    expect(value).toEqual({ name: 'a', token: 'x', nested: [{ token: 'y', id: 1 }] })
  })

  it('keeps a field called __proto__ as a field', () => {
    const value = JSON.parse('{"__proto__": {"admin": true}, "name": "a"}')
    const copy = redacted(value)
    expect(JSON.stringify(copy)).toBe(`{"__proto__":"${NOT_KEPT}","name":"a"}`)
    expect({}).not.toHaveProperty('admin')
  })
})

describe('fieldTree', () => {
  it('refuses a reference that leads nowhere', () => {
    expect(() => fieldTree(Type.Object({ a: Type.Unsafe({ $ref: 'Nobody' }) }))).toThrow('No schema is called Nobody')
  })
})
