// Messages as strangers send them: those of ordinary programs, those of broken ones, and those of people who mean harm. Each with what is read of it.
import { BROKEN_MESSAGES } from './received-corpus-broken.ts'
import { ANYTHING, base64, body, type CorpusMessage, deep, type Expected, HEAD, mixed, part, rest } from './received-message-parts.ts'

const named = (disposition: string, content = 'x'): string =>
  mixed(part(`Content-Type: text/csv\r\nContent-Disposition: ${disposition}`, content))
const filenames: [string, string, string | null][] = [
  ['a path', 'attachment; filename="../../etc/passwd"', 'passwd'],
  ['a path of Windows', 'attachment; filename="C:\\\\temp\\\\a.csv"', 'a.csv'],
  ['a device', 'attachment; filename=CON', '_CON'],
  ['a device with an ending', 'attachment; filename="nul.csv"', '_nul.csv'],
  ['nothing', 'attachment; filename=""', null],
  ['dots alone', 'attachment; filename=".."', null],
  ['no name', 'attachment', null],
  ['pieces (RFC 2231)', "attachment; filename*0*=utf-8''na%C3%AF; filename*1*=ve%2E; filename*2=csv", 'naïve.csv'],
  ['an encoded word', 'attachment; filename="=?utf-8?q?na=C3=AFve=2Ecsv?="', 'naïve.csv'],
  ['a NUL', 'attachment; filename="a\0b.csv"', 'a b.csv'],
  ['turned writing', `attachment; filename*=utf-8''${encodeURIComponent('a\u202evsc.exe')}`, 'a vsc.exe'],
  ['a thousand letters', `attachment; filename="${'n'.repeat(1_000)}.csv"`, 'n'.repeat(255)],
  ['quotes and semicolons', 'attachment; filename="a;b\\"c.csv"', 'a;b"c.csv'],
]

const charsets: [string, string, Buffer, string][] = [
  ['utf-8', 'utf-8', Buffer.from('Grüße'), 'Grüße'],
  ['iso-8859-1', 'iso-8859-1', Buffer.from('Grüße', 'latin1'), 'Grüße'],
  ['koi8-r', 'koi8-r', Buffer.from([0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]), 'Привет'],
  ['iso-2022-jp', 'iso-2022-jp', Buffer.from('\x1b$B$3$s\x1b(B', 'latin1'), 'こん'],
  ['gb18030', 'gb18030', Buffer.from([0xc4, 0xe3, 0xba, 0xc3]), '你好'],
  ['none, but is utf-8', '', Buffer.from('Grüße'), 'Grüße'],
  ['none, but is windows-1252', '', Buffer.from([0x93, 0x61, 0x94]), '“a”'],
  ['us-ascii, but is utf-8', 'us-ascii', Buffer.from('Grüße'), 'Grüße'],
  ['one that does not exist', 'x-klingon', Buffer.from('Gr'), 'Gr'],
  ['one that does not exist, but is windows-1252', 'x-klingon', Buffer.from('Gr\xfc\xdfe', 'latin1'), 'Grüße'],
  ['utf-8, with U+FFFD of its own', 'utf-8', Buffer.from('Grüße 東京 \ufffd'), 'Grüße 東京 \ufffd'],
  ['utf-8, with a bad byte', 'utf-8', Buffer.concat([Buffer.from('Grüße 東京 '), Buffer.from([0xa0])]), 'Grüße 東京 \ufffd'],
  ['utf-8, with nothing but a bad byte', 'utf-8', Buffer.from('caf\xe9!', 'latin1'), 'caf\ufffd!'],
  ['utf-8, cut within a character', 'utf8', Buffer.from('Grüße 東京').subarray(0, -1), 'Grüße 東\ufffd'],
  ['none, but is utf-8 with a bad byte', '', Buffer.concat([Buffer.from('Grüße 東京 '), Buffer.from([0xa0])]), 'Grüße 東京 \ufffd'],
  ['utf-8, with a byte order mark', 'utf-8', Buffer.from('\ufeffGrüße'), 'Grüße'],
  ['utf-7', 'utf-7', Buffer.from('Gr+APwA3w-e'), 'Grüße'],
  ['what is no charset', 'base64', Buffer.from('Grüße'), 'Grüße'],
]

const ordinary: CorpusMessage[] = [
  { name: 'plain text', content: body('', 'Hello\r\n'), expected: { text: 'Hello\n' } },
  { name: 'no body', content: `${HEAD}\r\n`, expected: { text: '' } },
  { name: 'HTML alone', content: body(rest('text/html'), '<p>Hello</p>'), expected: { html: '<p>Hello</p>' } },
  {
    name: 'quoted-printable',
    content: body(`${rest('text/plain; charset=utf-8')}\r\nContent-Transfer-Encoding: quoted-printable`, 'Gr=C3=BC=C3=9Fe =\r\nan alle'),
    expected: { text: 'Grüße an alle' },
  },
  {
    name: 'base64',
    content: body(`${rest('text/plain; charset=utf-8')}\r\nContent-Transfer-Encoding: base64`, base64('Grüße')),
    expected: { text: 'Grüße' },
  },
  {
    name: 'text and HTML',
    content: body(
      rest('multipart/alternative; boundary=b'),
      `${part(rest('text/plain'), 'Hello')}${part(rest('text/html'), '<p>Hello</p>')}--b--`,
    ),
    expected: { text: 'Hello', html: '<p>Hello</p>' },
  },
  {
    name: 'a calendar beside the text',
    content: body(
      rest('multipart/alternative; boundary=b'),
      `${part(rest('text/plain'), 'Hello')}${part(rest('text/calendar; method=REQUEST'), 'BEGIN:VCALENDAR')}--b--`,
    ),
    expected: { text: 'Hello', files: [[null, 'text/calendar', null, null, 15]] },
  },
  {
    name: 'a text with a footer of a list',
    content: mixed(part(rest('text/plain'), 'Hello'), part(rest('text/plain'), 'Footer')),
    expected: { text: 'Hello\nFooter' },
  },
  {
    name: 'alternatives with a footer of a list in text',
    content: mixed(
      `--b\r\n${rest('multipart/alternative; boundary=c')}\r\n\r\n--c\r\n${rest('text/plain')}\r\n\r\nHello\r\n--c\r\n${rest('text/html')}\r\n\r\n<p>Hello</p>\r\n--c--\r\n`,
      part(rest('text/plain'), 'Footer <1>'),
    ),
    expected: { text: 'Hello\nFooter <1>', html: '<p>Hello</p><br>\nFooter &lt;1&gt;' },
  },
  {
    name: 'a text, HTML and a text, in this order',
    content: mixed(part(rest('text/plain'), 'One'), part(rest('text/html'), '<p>Two</p>'), part(rest('text/plain'), 'Three\r\nFour')),
    expected: { text: 'One\nTwo\nThree\nFour', html: 'One<br>\n<p>Two</p><br>\nThree<br>\nFour' },
  },
  {
    name: 'HTML with files between its parts',
    content: mixed(
      part(rest('text/html'), '<p>One</p>'),
      part('Content-Type: image/gif\r\nContent-Disposition: attachment', 'GIF'),
      part(rest('text/plain'), ' '),
      part(rest('text/html'), '<p>Two</p>'),
    ),
    expected: { text: 'One\n \nTwo', html: '<p>One</p><br>\n<p>Two</p>', files: [[null, 'image/gif', 'attachment', null, 3]] },
  },
  {
    name: 'flowed text',
    content: body(rest('text/plain; format=flowed'), 'One \r\nline\r\n> quoted \r\n> line\r\n-- \r\nAda'),
    expected: { text: 'One line\n> quoted line\n-- \nAda' },
  },
  {
    name: 'flowed text whose spaces are not its own',
    content: body(rest('text/plain; format=flowed; delsp=yes'), '長 \r\n文'),
    expected: { text: '長文' },
  },
  {
    name: 'a message within',
    content: mixed(part(rest('text/plain'), 'See below'), part(rest('message/rfc822'), 'From: x@y.example\r\nSubject: Inner\r\n\r\nInner')),
    expected: { text: 'See below', files: [[null, 'message/rfc822', null, null, 42]] },
  },
  {
    name: 'a message within a message within a message',
    content: body(rest('message/rfc822'), `${rest('message/rfc822')}\r\n\r\nSubject: Inner\r\n\r\nInner`),
    expected: { files: [[null, 'message/rfc822', null, null, 55]] },
  },
  {
    name: 'TNEF',
    content: mixed(part(`${rest('application/ms-tnef; name=winmail.dat')}\r\nContent-Transfer-Encoding: base64`, base64('tnef'))),
    expected: { files: [['winmail.dat', 'application/ms-tnef', null, null, 4]] },
  },
  {
    name: 'S/MIME',
    content: body(
      `${rest('application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m')}\r\nContent-Transfer-Encoding: base64`,
      base64('secret'),
    ),
    expected: { files: [['smime.p7m', 'application/pkcs7-mime', null, null, 6]] },
  },
  {
    name: 'PGP',
    content: body(
      rest('multipart/encrypted; protocol="application/pgp-encrypted"; boundary=b'),
      `${part(rest('application/pgp-encrypted'), 'Version: 1')}${part(rest('application/octet-stream'), '-----BEGIN PGP MESSAGE-----')}--b--`,
    ),
    expected: {
      files: [
        [null, 'application/pgp-encrypted', null, null, 10],
        [null, 'application/octet-stream', null, null, 27],
      ],
    },
  },
  { name: 'an automatic reply', content: body('Auto-Submitted: auto-replied', 'Away'), expected: { text: 'Away', isAutoReply: true } },
  { name: 'an old automatic reply', content: body('Precedence: auto_reply', 'Away'), expected: { text: 'Away', isAutoReply: true } },
  { name: 'a person who says so', content: body('Auto-Submitted: no', 'Here'), expected: { text: 'Here' } },
  {
    name: 'an inline image',
    content: mixed(
      part(rest('text/html'), '<img src="cid:a@b">'),
      part('Content-Type: image/gif\r\nContent-ID: <a@b>\r\nContent-Disposition: inline', 'GIF'),
    ),
    expected: { html: '<img src="data:image/gif;base64,R0lG">', files: [[null, 'image/gif', 'inline', 'a@b', 3]] },
  },
  {
    name: 'UTF-8 in the head',
    content: `From: Jö <jö@example.org>\r\nTo: support@example.com\r\nSubject: Grüße\r\n\r\nx`,
    expected: { from: 'Jö <jö@example.org>', subject: 'Grüße', text: 'x' },
  },
  {
    name: 'an encoded subject',
    content: `From: Ada <ada@example.org>\r\nTo: support@example.com\r\nSubject: =?iso-8859-1?q?Gr=FC=DFe?= =?utf-8?b?8J+Yig==?=\r\n\r\n`,
    expected: { subject: 'Grüße😊', text: '' },
  },
  {
    name: 'a folded subject',
    content: `From: Ada <ada@example.org>\r\nTo: support@example.com\r\nSubject: one\r\n two\r\n\tthree\r\n\r\n`,
    expected: { subject: 'one two three', text: '' },
  },
]

const hostile: CorpusMessage[] = [
  {
    name: 'twenty levels',
    content: `${body('', '').replace(/\r\n$/, '')}${deep(20)}${rest('text/plain')}\r\n\r\nDeep`,
    expected: { text: 'Deep' },
  },
  {
    name: 'a hundred levels',
    content: `${body('', '').replace(/\r\n$/, '')}${deep(100)}${rest('text/plain')}\r\n\r\nDeep`,
    expected: { problem: 'The message has parts in more than 20 levels' },
  },
  {
    name: 'two thousand parts',
    content: mixed(...Array.from({ length: 2_000 }, () => part(rest('text/plain'), 'a'))),
    expected: { text: ANYTHING, problem: 'The message has more than 1000 parts' },
  },
  {
    name: 'three hundred files',
    content: mixed(...Array.from({ length: 300 }, () => part('Content-Disposition: attachment', 'a'))),
    expected: {
      files: Array.from({ length: 200 }, () => [null, 'application/octet-stream', 'attachment', null, 1]),
      problem: 'The message has more than 200 files',
    },
  },
  {
    name: 'ten thousand recipients',
    content: `From: Ada <ada@example.org>\r\nTo: ${Array.from({ length: 10_000 }, (_one, index) => `u${index}@example.com`).join(',\r\n ')}\r\nSubject: Hi\r\n\r\nx`,
    expected: {
      to: Array.from({ length: 1_000 }, (_one, index) => `u${index}@example.com`),
      text: 'x',
      problem: 'It has more than 1000 recipients',
    },
  },
  {
    name: 'a head of two megabytes',
    content: `${HEAD}X-Long: ${`${'a'.repeat(900)}\r\n `.repeat(2_300)}\r\n\r\nx`,
    expected: { from: ANYTHING, to: ANYTHING, subject: ANYTHING, text: ANYTHING, problem: ANYTHING },
  },
  { name: 'a hundred thousand fields', content: `${HEAD}${'X: y\r\n'.repeat(15_000)}\r\nx`, expected: { text: 'x' } },
  { name: 'a line of a megabyte', content: body('', 'y'.repeat(1_000_000)), expected: { text: 'y'.repeat(1_000_000) } },
  {
    name: 'a text of six megabytes',
    content: body('', 'y'.repeat(6_000_000)),
    expected: { text: 'y'.repeat(5 * 1024 * 1024), problem: 'The text is longer than 5 MB' },
  },
  {
    name: 'nothing but brackets',
    content: `From: ${'<'.repeat(50_000)}\r\nTo: ${'('.repeat(50_000)}\r\nSubject: Hi\r\n\r\nx`,
    expected: { from: null, to: [], text: 'x' },
  },
  {
    name: 'nothing but quotes',
    content: `From: ${'"'.repeat(50_001)}\r\nTo: ${'\\'.repeat(50_000)}\r\nSubject: Hi\r\n\r\nx`,
    expected: { from: null, to: [], text: 'x' },
  },
  {
    name: 'an address of ten thousand letters',
    content: `From: ${'a'.repeat(10_000)}@example.org\r\nTo: support@example.com\r\nSubject: Hi\r\n\r\nx`,
    expected: { from: null, text: 'x' },
  },
  { name: 'fields of every prototype', content: `${HEAD}__proto__: a\r\nconstructor: b\r\ntoString: c\r\n\r\nx`, expected: { text: 'x' } },
  {
    name: 'a thousand signatures',
    content: `${'DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=a; h=from; bh=eA==; b=eA==\r\n'.repeat(1_000)}${HEAD}\r\nx`,
    expected: { text: 'x' },
  },
]

export const CORPUS: CorpusMessage[] = [
  ...ordinary,
  ...BROKEN_MESSAGES,
  ...hostile,
  ...filenames.map(([name, disposition, filename]) => ({
    name: `a file named ${name}`,
    content: named(disposition),
    expected: { files: [[filename, 'text/csv', 'attachment', null, 1]] as Expected['files'] },
  })),
  ...charsets.map(([name, charset, bytes, text]) => ({
    name: `a text in ${name}`,
    content: Buffer.concat([Buffer.from(body(rest(`text/plain${charset && `; charset=${charset}`}`), '')), bytes]),
    expected: { text },
  })),
]
