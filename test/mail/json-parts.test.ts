import { expect, it } from 'vitest'
import { jsonParts, PART_LENGTH } from '../../src/mail/mime-fields.ts'

const LONG = 'x'.repeat(PART_LENGTH - 1)

it.each([
  ['nothing', '', 0],
  ['a short text', 'Hello "you" \\ \n\u0000\u2028é', 1],
  ['a part and no more', `${LONG}x`, 1],
  ['one more', `${LONG}xy`, 2],
  ['many parts', '<p class="a">\r\n'.repeat(60_000), 4],
  ['a character of two units where a part ends', `${LONG}😀${LONG}😀`, 2],
  ['half a character where a part ends', `${LONG}\ud83dx`, 2],
  ['two first halves where a part ends', `${LONG}\ud83d\ud83d\ude00`, 2],
  ['nothing but characters of two units', '😀'.repeat(PART_LENGTH), 2],
  ['such after one of one unit', `x${'😀'.repeat(PART_LENGTH)}`, 2],
])('writes %s as JSON does', (_, text, count) => {
  const parts = [...jsonParts(text)]
  expect(parts.length).toBe(count)
  expect(`"${Buffer.concat(parts).toString()}"` === JSON.stringify(text)).toBe(true)
})
