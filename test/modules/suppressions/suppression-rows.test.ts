import { describe, expect, it } from 'vitest'
import {
  createSuppressionFileReader,
  type FileOptions,
  type SuppressionFileRow,
} from '../../../src/modules/suppressions/suppression-files.ts'

/** Reads a file that arrives in pieces of this many characters. */
function rowsOf(text: string, pieceLength = text.length || 1, options: FileOptions = {}): SuppressionFileRow[] {
  const reader = createSuppressionFileReader(['simulator.test'], options)
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
    ['nobody', 'The address must be an address such as `name@example.com`. It is "nobody".'],
    ['x'.repeat(200), `The address must be an address such as \`name@example.com\`. It is "${'x'.repeat(80)}"..., which is longer.`],
    ['"ada@example.com', 'The row has a double quote that is not closed.'],
    [
      'bounced@simulator.test',
      'The address is an address of the simulator, which cannot be suppressed: mail to `suppressed@` of this domain shows what would happen. It is "bounced@simulator.test".',
    ],
    ['ada@example.com,spam', 'The origin must be `bounce`, `complaint` or `manual`, or empty. It is "spam".'],
  ])('says why a row is refused, and continues: %s', (line, problem) => {
    expect(rowsOf(`email,origin\n${line}\nbob@example.com,bounce\n`)).toEqual([{ line: 2, problem }, row(3, 'bob@example.com', 'bounce')])
  })

  it('has no row for a first line that never ends, but a reason', () => {
    expect(rowsOf('x'.repeat(3_000_000), 50_000)).toEqual([{ line: 1, problem: 'The row is longer than 1,048,576 characters.' }])
  })
})

const ADA = 'ada@example.com'

describe('the list of another provider is recognized, and its reasons are ours:', () => {
  it.each([
    ['suppression list of Amazon SES', `EmailAddress,Reason,LastUpdateTime\n${ADA},BOUNCE,2026-01-05`, 'bounce'],
    ['suppression list of Amazon SES', `"Email address","Reason","Last update time"\n"${ADA}","Complaint","2026-01-05"`, 'complaint'],
    ['bounces of SendGrid', `status,reason,email,created\n5.1.1,"550, complaint",${ADA},1443651125`, 'bounce'],
    ['invalid addresses of SendGrid', `reason,email,created\nMail domain has no MX,${ADA},1443651125`, 'bounce'],
    ['spam reports of SendGrid', `ip,email,created\n192.0.2.1,${ADA},1443651125`, 'complaint'],
    ['unsubscribes of SendGrid', `email,created\n${ADA},1443651125`, 'manual'],
    ['bounces of Mailgun', `address,code,error,created_at\n${ADA},550,No such user,"Fri, 21 Oct 2011 11:02:55 GMT"`, 'bounce'],
    ['complaints of Mailgun', `address,created_at\n${ADA},"Fri, 21 Oct 2011 11:02:55 GMT"`, 'complaint'],
    ['unsubscribes of Mailgun', `address,tags,created_at\n${ADA},"[""*""]","Fri, 21 Oct 2011 11:02:55 GMT"`, 'manual'],
    ['suppressions of Postmark', `EmailAddress,SuppressionReason,Origin,CreatedAt\n${ADA},HardBounce,Recipient,2026-01-05`, 'bounce'],
    ['suppressions of Postmark', `EmailAddress;SuppressionReason;Origin;CreatedAt\n${ADA};SpamComplaint;Recipient;2026-01-05`, 'complaint'],
    ['suppressions of Postmark', `EmailAddress,SuppressionReason,Origin,CreatedAt\n${ADA},ManualSuppression,Customer,2026-01-05`, 'manual'],
    [null, `email,origin,source_id,created_at\n${ADA},complaint,,2026-01-05`, 'complaint'],
    [null, `${ADA},BOUNCE\n`, 'bounce'],
  ])('%s', (source, text, origin) => {
    let said: string | null = null
    const onSource = (name: string): void => {
      said = name
    }
    expect(rowsOf(text, 7, { onSource })).toEqual([row(source === null && !text.startsWith('email') ? 1 : 2, ADA, origin)])
    expect(said).toBe(source)
  })

  it('and a line that is no reason to send an address nothing is refused', () => {
    expect(rowsOf(`address,tags\n${ADA},newsletter\nbob@example.com,*\n`)).toEqual([
      { line: 2, problem: 'The address unsubscribed from mail with one tag only, and may get other mail. It is "newsletter".' },
      row(3, 'bob@example.com'),
    ])
    expect(rowsOf(`EmailAddress,SuppressionReason\n${ADA},Holiday\n`)).toEqual([
      { line: 2, problem: 'The origin must be `bounce`, `complaint` or `manual`, or empty. It is "Holiday".' },
    ])
  })
})

describe('a file of another kind', () => {
  const howToName = ' Name it.'
  it.each([
    [
      'no column of addresses',
      'value,type\nexample.com,domain\n',
      {},
      'The file does not say which column has the addresses; its first line has "value", "type". Name it.',
    ],
    [
      'many columns',
      `${'a,'.repeat(20)}a\n`,
      {},
      'The file does not say which column has the addresses; its first line has "a", "a", "a", "a", "a", "a", "a", "a" and more. Name it.',
    ],
    [
      'several addresses',
      `${ADA},bob@example.com\n`,
      {},
      'The first line has several addresses, and does not say which one to suppress. Name it.',
    ],
    [
      'another column than the one that was named',
      `who\n${ADA}\n`,
      { column: 'whom' },
      'The file has no column "whom"; its first line has "who".',
    ],
    ['fewer columns than that', `who,why\n${ADA},x\n`, { column: '3' }, 'The file has no column "3"; its first line has "who", "why".'],
  ])('is refused as a whole, with a sentence: %s', (_what, text, options, sentence) => {
    expect(() => rowsOf(text, 3, { howToName, ...options })).toThrow(expect.objectContaining({ kind: 'validation', message: sentence }))
  })

  it.each([
    ['named', `From,Who\nx@example.com,${ADA}\n`, { column: 'who' }, row(2, ADA)],
    ['counted', `From,Who\nx@example.com,${ADA}\n`, { column: '2' }, row(2, ADA)],
    ['counted, without names', `x@example.com;${ADA}\n`, { column: '2' }, row(1, ADA)],
    ['named, with an origin for all', `From,Who\nx@example.com,${ADA}\n`, { column: 'Who', origin: 'bounce' }, row(2, ADA, 'bounce')],
    ['beside a street', `address,email\nMain Street,${ADA}\n`, {}, row(2, ADA)],
    ['not the first', `17,${ADA},BOUNCE\n`, {}, row(1, ADA, 'bounce')],
  ] as const)('is read when its column is %s', (_what, text, options, expected) => {
    expect(rowsOf(text, 3, options)).toEqual([expected])
  })
})
