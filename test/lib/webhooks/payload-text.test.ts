import { describe, expect, it } from 'vitest'
import { PAYLOAD_BYTES_MAX, payloadText } from '../../../src/lib/webhooks/payload-text.ts'

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
    ['all lists', { to: [LONG] }, { headers: undefined, tags: undefined, to: undefined }],
  ])('loses %s if it is too long, and says so', (_name, given, left) => {
    expect(read({ ...small, ...given })).toEqual(JSON.parse(JSON.stringify({ ...payload({ ...small, ...left }), truncated: true })))
  })

  it('loses everything but its ids if nothing else helps', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field${index}`, 'x'.repeat(900)]))
    expect(read({ id: 'a', ...many })).toEqual({ ...payload({ id: 'a' }), truncated: true })
  })

  it('loses the records of a domain and the segments of a contact before the rest', () => {
    expect(read({ id: 'a', name: 'b', records: [LONG] }).data).toEqual({ id: 'a', name: 'b' })
    expect(read({ id: 'a', email: 'b', segment_ids: [LONG], to: ['c'] }).data).toEqual({ id: 'a', email: 'b', to: ['c'] })
  })
})
