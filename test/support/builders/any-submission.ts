// Messages that no one would write: made of pieces of real ones, or of those of the corpus with some bytes changed. They begin with a sender in most cases.
import fc from 'fast-check'
import { CORPUS } from './received-corpus.ts'

const FROM = 'From: Acme <a@example.com>\r\n'

const fields = [
  ...[
    'From: b@example.com',
    'To: ada@example.com',
    'To: us: a@b.c, <d@e.f>;',
    'Cc: "x, y" <x@y.z>',
    'Bcc: secret@example.com',
    'Reply-To: <>',
  ],
  ...[
    'Subject: =?utf-8?q?=00=0d=0a?=',
    'Subject: Gr\xfc\xdfe',
    'Date: now',
    'Message-ID: <a@b>',
    'Message-ID:',
    'References: <a@b> <\xfc@b>',
  ],
  ...[
    'MIME-Version: 1.0',
    'Sender: x@y.z',
    'Resent-To: a@b.c',
    'ARC-Seal: i=1',
    'DKIM-Signature: v=1',
    'Received: x',
    'X : y',
    'From a@b Mon',
  ],
  ...[
    'X-Tags: a=b; c=d',
    'X-Tags: {"a":"b"}',
    'X-Tags: [',
    'X-Topic-Id: 1',
    'X-Scheduled-At: in 1 hour',
    'Idempotency-Key: a',
    'List-Unsubscribe: <\xc3>',
  ],
  ...['Content-Type: multipart/mixed; boundary=b', 'Content-Type: multipart/signed; boundary=b', 'Content-Type: text/html; charset=utf-16'],
  ...[
    'Content-Type: text/html',
    'Content-Type: message/rfc822',
    'Content-Type: text/plain; charset=utf-7; format=flowed',
    'Content-Type: \xff/;;=',
  ],
  ...[
    'Content-Transfer-Encoding: base64',
    'Content-Transfer-Encoding: quoted-printable',
    'Content-Disposition: attachment; filename=a.txt',
  ],
  ...[
    "Content-Disposition: inline; filename*0*=utf-8''%00%2e",
    'Content-ID: <\xfc>',
    `X-Long: ${'x '.repeat(480)}`,
    `X: ${'\xfc'.repeat(900)}`,
  ],
]
const field = fc.constantFrom(...fields).map((text) => `${text}\r\n`)
const piece = fc.constantFrom(
  ...[
    '\r\n',
    '\r\n\r\n',
    ' \r\n',
    '\t',
    '--b\r\n',
    '--b--\r\n',
    '--b',
    '.\r\n',
    '..\r\n',
    '<p>Gr\xc3\xbc\xc3\x9fe</p>',
    '<a href="https://a.example/">a</a>',
  ],
  ...['aGVsbG8=\r\n', '=C3=\r\n', '=\r\n', '\xff\xfe', ':', ';', '"', '\\', '<', '>', '(', ')', ',', 'a@b.c', '=?x?q?y?=', 'x'.repeat(70)],
)

const madeOfPieces = fc
  .tuple(fc.array(fc.oneof({ weight: 4, arbitrary: field }, piece), { maxLength: 12 }), fc.array(fc.oneof(field, piece), { maxLength: 40 }))
  .map(([head, body]) => `${head.join('')}\r\n${body.join('')}`)

const small = CORPUS.map(({ content }) => Buffer.from(content)).filter(({ length }) => length < 8_000)
const damaged = fc
  .tuple(
    fc.constantFrom(...small),
    fc.array(fc.tuple(fc.nat(8_000), fc.string({ unit: 'binary-ascii', maxLength: 3 }), fc.nat(3)), { maxLength: 6 }),
  )
  .map(([message, changes]) =>
    changes.reduce(
      (text, [at, more, removed]) => {
        const place = at % (text.length + 1)
        return `${text.slice(0, place)}${more}${text.slice(place + removed)}`
      },
      message.toString('latin1').replace(/^From: .*\r\n/, ''),
    ),
  )

/** Each character a byte. */
export const anySubmission = fc
  .tuple(fc.oneof({ weight: 9, arbitrary: fc.constant(FROM) }, { weight: 1, arbitrary: fc.constant('') }), fc.oneof(madeOfPieces, damaged))
  .map(([from, rest]) => `${from}${rest}`)
