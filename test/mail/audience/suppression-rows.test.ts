import { describe, expect, it } from 'vitest'
import { createSuppressionFileReader, type SuppressionFileRow } from '../../../src/mail/audience/suppression-rows.ts'

/** Reads a file that arrives in pieces of this many characters. */
function rowsOf(text: string, pieceLength = text.length || 1): SuppressionFileRow[] {
  const reader = createSuppressionFileReader(['simulator.test'])
  const rows: SuppressionFileRow[] = []
  for (let at = 0; at < text.length; at += pieceLength) rows.push(...reader.push(text.slice(at, at + pieceLength)))
  return [...rows, ...reader.end()]
}

const row = (line: number, email: string, origin = 'manual') => ({ line, email, origin })

describe('a file of suppressions', () => {
  it.each([
    ['one address on each line', 'Ada@example.com\nbob@example.com\n', [row(1, 'ada@example.com'), row(2, 'bob@example.com')]],
    ['no line end after the last', 'ada@example.com', [row(1, 'ada@example.com')]],
    [
      'Windows line ends and empty lines',
      'ada@example.com\r\n\r\nbob@example.com\r\n',
      [row(1, 'ada@example.com'), row(3, 'bob@example.com')],
    ],
    ['a header', 'email\nada@example.com\n', [row(2, 'ada@example.com')]],
    ['empty lines and a byte order mark before its header', '\ufeff\n\nemail\nada@example.com\n', [row(4, 'ada@example.com')]],
    ['a header and other columns', 'Name,E-Mail\n"Lovelace, Ada",ada@example.com\n', [row(2, 'ada@example.com')]],
    ['another delimiter', 'origin;email\nbounce;ada@example.com\n', [row(2, 'ada@example.com', 'bounce')]],
    [
      'origins in any case, or none',
      'email,origin\na@b.example,Bounce\nc@d.example,\n',
      [row(2, 'a@b.example', 'bounce'), row(3, 'c@d.example')],
    ],
    ['a domain in another script', 'ada@münchen.example\n', [row(1, 'ada@xn--mnchen-3ya.example')]],
    [
      'the apostrophe of our export',
      "email\n'+ada@example.com\n'ada@example.com\n",
      [row(2, '+ada@example.com'), row(3, "'ada@example.com")],
    ],
    ['nothing', '', []],
    ['a header alone', 'email,origin\n', []],
  ])('may have %s', (_what, text, rows) => {
    expect(rowsOf(text)).toEqual(rows)
    expect(rowsOf(text, 1)).toEqual(rows)
  })

  it.each([
    ['nobody', 'The address must be `name@example.com`. It is "nobody".'],
    ['x'.repeat(200), `The address must be \`name@example.com\`. It is "${'x'.repeat(80)}"..., which is longer.`],
    ['"ada@example.com', 'The row has a double quote that is not closed.'],
    [
      'bounced@simulator.test',
      'The address is an address of the simulator, which cannot be suppressed: mail to `suppressed@` of this domain shows what would happen. It is "bounced@simulator.test".',
    ],
    ['ada@example.com,spam', 'The origin must be `bounce`, `complaint` or `manual`, or empty. It is "spam".'],
  ])('says why a row is refused, and goes on: %s', (line, problem) => {
    expect(rowsOf(`email,origin\n${line}\nbob@example.com,bounce\n`)).toEqual([{ line: 2, problem }, row(3, 'bob@example.com', 'bounce')])
  })

  it('has no row for a first line that never ends, but a reason', () => {
    expect(rowsOf('x'.repeat(3_000_000), 50_000)).toEqual([{ line: 1, problem: 'The row is longer than 1,048,576 characters.' }])
  })
})
