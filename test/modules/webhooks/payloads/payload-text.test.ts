import { describe, expect, it } from 'vitest'
import { exactValidator } from '../../../../src/lib/validation/body-validator.ts'
import { fieldTree, unknownFields } from '../../../../src/lib/validation/field-tree.ts'
import { WEBHOOK_EVENT_SCHEMAS } from '../../../../src/modules/webhooks/payloads/webhook-causes.ts'
import { WEBHOOK_EXAMPLES } from '../../../../src/modules/webhooks/payloads/webhook-payloads.schema.ts'
import { PAYLOAD_BYTES_MAX, payloadText } from '../../../../src/modules/webhooks/payloads/webhook-payloads.ts'

const payload = (data: Record<string, unknown>) => ({ type: 'email.sent', created_at: '2026-03-01T00:00:00.000Z', data })
const read = (data: Record<string, unknown>) => {
  const text = payloadText(payload(data))
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(PAYLOAD_BYTES_MAX)
  return JSON.parse(text)
}
const LONG = 'ä'.repeat(PAYLOAD_BYTES_MAX)

describe('the body of a request', () => {
  it('is the whole payload if it is not too long', () => {
    const data = { email_id: 'a', subject: 'x'.repeat(200_000), tags: { a: 'b' } }
    expect(read(data)).toEqual(payload(data))
  })

  const small = { email_id: 'a', headers: [{ name: 'X', value: '1' }], tags: { a: 'b' }, subject: 'Hello', to: ['a@example.com'] }

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['its headers', { headers: [{ name: 'X', value: LONG }] }, { headers: undefined }],
    ['its headers and tags', { tags: { a: LONG } }, { headers: undefined, tags: undefined }],
    ['the end of its subject', { subject: LONG }, { headers: undefined, tags: undefined, subject: 'ä'.repeat(1_000) }],
    [
      'the ends of its lists and texts',
      { to: [LONG, 'b', ...Array(30).fill('c')] },
      { headers: undefined, tags: undefined, to: ['ä'.repeat(1_000), 'b', ...Array(18).fill('c')] },
    ],
  ])('loses %s if it is too long, and says so', (_name, given, left) => {
    expect(read({ ...small, ...given })).toEqual(JSON.parse(JSON.stringify({ ...payload({ ...small, ...left }), truncated: true })))
  })

  it('loses everything but its ids if nothing else helps', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, 'x'.repeat(900)]))
    expect(read({ id: 'a', ...many })).toEqual({ ...payload({ id: 'a' }), truncated: true })
  })

  const canGrow = WEBHOOK_EVENT_SCHEMAS.filter(({ type }) => JSON.stringify(grown(WEBHOOK_EXAMPLES[type])).length > PAYLOAD_BYTES_MAX)
  it.each(canGrow)('still is what the schema of $type says when it had to be shortened', ({ type, schema }) => {
    const known = { type, created_at: '2026-03-01T00:00:00.000Z', data: grown(WEBHOOK_EXAMPLES[type]) }
    const shortened = JSON.parse(payloadText(known))
    expect(shortened.truncated).toBe(true)
    const validate = exactValidator(schema)
    validate(shortened)
    expect(validate.errors ?? []).toEqual([])
    expect(unknownFields(fieldTree(schema), shortened, 5)).toEqual([])
  })
})

/** Adds long lists, and texts that anyone may have written. */
function grown(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, grownField(name, field)]))
}

const WRITTEN_BY_OTHERS = ['subject', 'message', 'name', 'first_name', 'link', 'reason', 'userAgent', 'email']
function grownField(name: string, field: unknown): unknown {
  if (Array.isArray(field)) return Array.from({ length: 3_000 }, () => field[0] ?? 'x'.repeat(100))
  if (typeof field === 'string') return WRITTEN_BY_OTHERS.includes(name) && !field.startsWith('previous_') ? `${field}${LONG}` : field
  return typeof field === 'object' && field !== null ? grown(field) : field
}
