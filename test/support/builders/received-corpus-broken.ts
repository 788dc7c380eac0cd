// Messages of broken programs, each with what is read of it.
import { ANYTHING, body, type CorpusMessage, HEAD, mixed, part, rest } from './received-message-parts.ts'

export const BROKEN_MESSAGES: CorpusMessage[] = [
  { name: 'nothing', content: '', expected: { from: null, to: [], subject: null, text: '' } },
  { name: 'a line break alone', content: '\r\n', expected: { from: null, to: [], subject: null, text: '' } },
  { name: 'a head without an end', content: 'Subject: Hi', expected: { from: null, to: [], text: '' } },
  { name: 'no head', content: '\r\nHello', expected: { from: null, to: [], subject: null, text: 'Hello' } },
  { name: 'no sender', content: 'To: support@example.com\r\nSubject: Hi\r\n\r\nx', expected: { from: null, text: 'x' } },
  {
    name: 'a sender without an address',
    content: 'From: nobody\r\nTo: support@example.com\r\nSubject: Hi\r\n\r\nx',
    expected: { from: null, text: 'x' },
  },
  { name: 'two senders', content: `From: eve@example.net\r\n${HEAD}\r\nx`, expected: { from: 'eve@example.net', text: 'x' } },
  {
    name: 'two senders in one field',
    content: 'From: eve@example.net, ada@example.org\r\nTo: support@example.com\r\nSubject: Hi\r\n\r\nx',
    expected: { from: 'eve@example.net', text: 'x' },
  },
  {
    name: 'a group',
    content: 'From: Ada <ada@example.org>\r\nTo: Team: a@example.com, B <b@example.com>;, c@example.com\r\nSubject: Hi\r\n\r\nx',
    expected: { to: ['a@example.com', 'b@example.com', 'c@example.com'], text: 'x' },
  },
  {
    name: 'an empty group',
    content: 'From: Ada <ada@example.org>\r\nTo: undisclosed-recipients:;\r\nSubject: Hi\r\n\r\nx',
    expected: { to: [], text: 'x' },
  },
  {
    name: 'a recipient named twice',
    content: 'From: Ada <ada@example.org>\r\nTo: a@example.com, A <a@example.com>\r\nSubject: Hi\r\n\r\nx',
    expected: { to: ['a@example.com'], text: 'x' },
  },
  { name: 'two subjects', content: `${HEAD}Subject: Other\r\n\r\nx`, expected: { text: 'x' } },
  {
    name: 'an empty subject',
    content: 'From: Ada <ada@example.org>\r\nTo: support@example.com\r\nSubject:\r\n\r\nx',
    expected: { subject: '', text: 'x' },
  },
  {
    name: 'a subject in a charset that does not exist',
    content: 'From: Ada <ada@example.org>\r\nTo: support@example.com\r\nSubject: =?x-klingon?q?Hi?=\r\n\r\nx',
    expected: { subject: 'Hi', text: 'x' },
  },
  {
    name: 'a subject whose word has no end',
    content: 'From: Ada <ada@example.org>\r\nTo: support@example.com\r\nSubject: =?utf-8?q?Hi\r\n\r\nx',
    expected: { subject: '=?utf-8?q?Hi', text: 'x' },
  },
  { name: 'a line in the head that is none', content: `${HEAD}this is no field\r\n\r\nx`, expected: { text: 'x' } },
  { name: 'base64 that is none', content: body('Content-Transfer-Encoding: base64', '!!! not base64 !!!'), expected: { text: ANYTHING } },
  { name: 'base64 that is cut off', content: body('Content-Transfer-Encoding: base64', 'SGVsbG8'), expected: { text: 'Hello' } },
  {
    name: 'quoted-printable that is none',
    content: body('Content-Transfer-Encoding: quoted-printable', '100 % =ZZ ='),
    expected: { text: ANYTHING },
  },
  { name: 'an encoding that does not exist', content: body('Content-Transfer-Encoding: x-rot13', 'Uryyb'), expected: { text: 'Uryyb' } },
  {
    name: 'a binary part',
    content: mixed(part('Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary', '\0\x01\x02\xff')),
    expected: { files: [[null, 'application/octet-stream', null, null, 5]] },
  },
  {
    name: 'a bad byte in another field than the subject',
    content: Buffer.concat([
      Buffer.from('X-Mailer: M\xfcller\r\n', 'latin1'),
      Buffer.from('From: Jö <ada@example.org>\r\nTo: support@example.com\r\nSubject: Grüße 東京\r\n\r\nx'),
    ]),
    expected: { from: 'Jö <ada@example.org>', subject: 'Grüße 東京', text: 'x' },
  },
  {
    name: 'a bad byte in the subject',
    content: Buffer.concat([Buffer.from(`${HEAD.replace('Hi\r\n', 'Grüße 東京 ')}`), Buffer.from([0xa0]), Buffer.from('!\r\n\r\nx')]),
    expected: { subject: 'Grüße 東京 \ufffd!', text: 'x' },
  },
  {
    name: 'a byte in an encoded word that is not encoded',
    content: Buffer.from(`${HEAD.replace('Hi', '=?iso-8859-1?Q?Gr\xfc=DFe?=')}\r\nx`, 'latin1'),
    expected: { subject: 'Grüße', text: 'x' },
  },
  {
    name: 'an encoded word in UTF-7',
    content: `${HEAD.replace('Hi', '=?utf-7?Q?Gr+APwA3w-e?=')}\r\nx`,
    expected: { subject: 'Grüße', text: 'x' },
  },
  {
    name: 'an encoded word in a charset that does not exist',
    content: `${HEAD.replace('Hi', '=?x-klingon?Q?Gr=FC=DFe?=')}\r\nx`,
    expected: { subject: 'Grüße', text: 'x' },
  },
  {
    name: 'line ends in an encoded word',
    content: `${HEAD.replace('Hi', '=?utf-8?Q?Gr=C3=BC=C3=9Fe=0D=0ABcc:_eve@example.net?=')}\r\nx`,
    expected: { subject: 'Grüße Bcc: eve@example.net', text: 'x' },
  },
  {
    name: 'an encoded word that is folded within',
    content: `${HEAD.replace('Hi', '=?utf-8?B?R3LDvMOf\r\n ZQ==?=')}\r\nx`,
    expected: { subject: 'Grüße', text: 'x' },
  },
  {
    name: 'a line of white space in the head',
    content: `From: Ada <ada@example.org>\r\n \t\r\nTo: support@example.com\r\nSubject: Hi\r\n \r\n\r\nx`,
    expected: { text: 'x' },
  },
  { name: 'an empty type', content: body('Content-Type:', 'Hello'), expected: { text: 'Hello' } },
  { name: 'a type without a subtype', content: body('Content-Type: text', 'Hello'), expected: { text: 'Hello' } },
  { name: 'a type of three', content: body('Content-Type: text/html/plain', 'Hello'), expected: { text: 'Hello' } },
  {
    name: 'a name for its text',
    content: mixed(part(`${rest('text/plain; name=body.txt')}\r\nContent-Disposition: inline`, 'Hello')),
    expected: { text: 'Hello' },
  },
  {
    name: 'a name for its HTML, and a text that is attached',
    content: mixed(
      part(rest('text/html; name="body.html"'), '<p>Hello</p>'),
      part(`${rest('text/plain')}\r\nContent-Disposition: attachment; filename=a.txt`, 'x'),
    ),
    expected: { html: '<p>Hello</p>', files: [['a.txt', 'text/plain', 'attachment', null, 1]] },
  },
  {
    name: 'a digest',
    content: body(rest('multipart/digest; boundary=b'), `--b\r\n\r\nSubject: Inner\r\n\r\nInner\r\n--b--\r\n`),
    expected: { files: [[null, 'message/rfc822', null, null, 23]] },
  },
  {
    name: 'a uuencoded file',
    content: mixed(part('Content-Type: text/csv; name=a.csv\r\nContent-Transfer-Encoding: x-uuencode', 'begin 644 a.csv')),
    expected: { files: [['a.csv', 'text/csv', null, null, 15]] },
  },
  { name: 'NULs', content: body('X-Nul: a\0b', 'a\0b'), expected: { text: 'ab' } },
  { name: 'lone surrogates by entity', content: body(rest('text/html'), '<p>&#xD800;</p>'), expected: { html: '<p>&#xD800;</p>' } },
  {
    name: 'a boundary that never comes',
    content: body(rest('multipart/mixed; boundary=zz'), 'Only text'),
    expected: { text: 'Only text' },
  },
  { name: 'no boundary', content: body(rest('multipart/mixed'), 'Only text'), expected: { text: 'Only text' } },
  { name: 'an empty boundary', content: body(rest('multipart/mixed; boundary=""'), 'Only text'), expected: { text: 'Only text' } },
  {
    name: 'a boundary with a line break',
    content: body(rest('multipart/mixed; boundary="a\r\n b"'), 'Only text'),
    expected: { text: 'Only text' },
  },
  {
    name: 'parts without an end',
    content: body(rest('multipart/mixed; boundary=b'), `--b\r\n${rest('text/plain')}\r\n\r\nHello`),
    expected: { text: 'Hello' },
  },
  { name: 'a part without a head', content: mixed('--b\r\n\r\nHello\r\n'), expected: { text: 'Hello' } },
  { name: 'a part without a body', content: mixed(`--b\r\n${rest('text/plain')}\r\n`), expected: { text: '' } },
  {
    name: 'words before and after the parts',
    content: body(rest('multipart/mixed; boundary=b'), `before\r\n${part(rest('text/plain'), 'Hello')}--b--\r\nafter`),
    expected: { text: 'Hello' },
  },
  {
    name: 'a type that is none',
    content: mixed(part('Content-Type: nonsense\r\nContent-Disposition: attachment; filename=a', 'x')),
    expected: { files: [['a', 'application/octet-stream', 'attachment', null, 1]] },
  },
  {
    name: 'a type with a line break',
    content: mixed(part('Content-Type: text/x\0y\r\nContent-Disposition: attachment; filename=a', 'x')),
    expected: { files: [['a', 'application/octet-stream', 'attachment', null, 1]] },
  },
  {
    name: 'a disposition that does not exist',
    content: mixed(part('Content-Type: image/png\r\nContent-Disposition: floating', 'x')),
    expected: { files: [[null, 'image/png', null, null, 1]] },
  },
  {
    name: 'message/partial',
    content: body(rest('message/partial; id=a; number=1; total=2'), 'half'),
    expected: { files: [[null, 'message/partial', null, null, 4]] },
  },
  {
    name: 'a file elsewhere',
    content: mixed(part('Content-Type: message/external-body; access-type=URL; URL="http://127.0.0.1/"; size=4294967296', 'x')),
    expected: { files: [[null, 'message/external-body', null, null, 1]] },
  },
]
