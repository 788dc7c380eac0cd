import { describe, expect, it } from 'vitest'
import { HEADER_CODES_BYTES_MAX, headerOfNames, headerOfWarnings } from '../../src/lib/header-codes.ts'

describe('the header of warnings', () => {
  it('names each once, with what it is about', () =>
    expect(
      headerOfWarnings([{ code: 'link_missing' }, { code: 'placeholder_unknown', about: 'a b,Ü\r\n' }, { code: 'link_missing' }]),
    ).toBe('link_missing, placeholder_unknown=a%20b%2C%C3%9C%0D%0A'))

  it.each([9, 10, 11, 1_000])('has at most 512 bytes, and says how many of %i are left out', (count) => {
    const value = headerOfWarnings(
      Array.from({ length: count }, (_, index) => ({ code: 'automation_disabled', about: `${index}`.padStart(36, '0') })),
    )
    const named = value.split(', ').filter((text) => text.startsWith('automation_disabled='))
    expect(value.length).toBeLessThanOrEqual(HEADER_CODES_BYTES_MAX)
    expect(named.length).toBeGreaterThanOrEqual(8)
    expect(value.endsWith(named.length < count ? `, more=${count - named.length}` : (named.at(-1) ?? ''))).toBe(true)
  })
})

describe('the header of names', () => {
  it('leaves out a name that does not fit', () =>
    expect(headerOfNames(['a'.repeat(500), 'b'.repeat(20), 'c'])).toBe(`${'a'.repeat(500)}, c`))
})
