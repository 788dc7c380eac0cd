import { expect, it } from 'vitest'
import { zoneText } from '../../../../src/modules/domains/records/wanted-records.ts'

it('writes a long value as strings of at most 255 characters that are the value together', () => {
  const value = `v=DKIM1; p=${'0123456789'.repeat(60)}`
  const text = zoneText('ph1._domainkey.example.com', value)
  expect(text.split('\n')[0]).toBe('ph1._domainkey.example.com. IN TXT (')
  const strings = [...text.matchAll(/"([^"]*)"/g)].map(([, string = '']) => string)
  expect(strings.map(({ length }) => length)).toEqual([255, 255, 101])
  expect(strings.join('')).toBe(value)
  expect(text.endsWith('" )')).toBe(true)
})

it('escapes what ends a string', () => {
  expect(zoneText('a.example', 'a "b" \\c')).toBe('a.example. IN TXT (\n  "a \\"b\\" \\\\c" )')
})
