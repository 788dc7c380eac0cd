// Messages that take a processor the longest.
import { HOSTILE_PARTS } from '../../house/hostile-parts.ts'
import { CORPUS } from './received-corpus.ts'

/** That of most of them. */
export const COSTLY_HEAD = 'From: a@example.com\r\nTo: ada@example.com\r\n'
const LINE_LENGTH = 900
const MIB = 1024 * 1024

const lines = (part: string, length: number): string =>
  `${part.repeat(Math.floor(LINE_LENGTH / part.length))}\r\n`.repeat(length / LINE_LENGTH)
/** A field of so many bytes, in lines that may be sent. */
const folded = (name: string, part: string, length: number): string =>
  `${name}: x\r\n ${lines(part, length).trimEnd().replaceAll('\r\n', '\r\n ')}\r\n`
export const costlyText = (type: string, part: string, length: number): Buffer =>
  Buffer.from(`${COSTLY_HEAD}Content-Type: text/${type}\r\n\r\n${lines(part, length)}`, 'latin1')

const HOSTILE = HOSTILE_PARTS.map((part) => Buffer.from(part).toString('latin1')).filter(
  (part) => part !== '' && !/[\r\n\0]/.test(part) && part.length <= LINE_LENGTH,
)

export const COSTLY_MESSAGES: [string, string | Buffer][] = [
  ...CORPUS.map(({ name, content }): [string, string | Buffer] => [name, content]),
  ...HOSTILE.map((part): [string, Buffer] => [
    `a header of ${JSON.stringify(part)}`,
    Buffer.from(
      `${folded('To', part, 25_000)}${folded('Cc', part, 12_000)}${folded('Subject', part, 10_000)}${folded('Content-Type', part, 6_000)}${folded('X-Mailer', part, 6_000)}From: a@example.com\r\n\r\nx`,
      'latin1',
    ),
  ]),
  ['small Japanese text of no letters', costlyText('plain; charset=iso-2022-jp', '\xff', 60_000)],
  ['small Chinese text of no letters', costlyText('plain; charset=gb18030', '\xff', 60_000)],
  [
    'a thousand small parts',
    `${COSTLY_HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: text/html\r\n\r\nx\r\n'.repeat(999)}--b--`,
  ],
  [
    'a hundred small files',
    `${COSTLY_HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: image/png\r\n\r\nx\r\n'.repeat(100)}--b--`,
  ],
  [
    'Japanese text and HTML of no letters',
    Buffer.from(
      `${COSTLY_HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${['plain', 'html'].map((type) => `--b\r\nContent-Type: text/${type}; charset=iso-2022-jp\r\n\r\n${lines('\xff', 5 * MIB)}`).join('')}--b--`,
      'latin1',
    ),
  ],
  ['Japanese text', costlyText('plain; charset=iso-2022-jp', '\x1b$B$3$s\x1b(B', 5 * MIB)],
  ['Chinese text of no letters', costlyText('plain; charset=gb18030', '\xff', 5 * MIB)],
  ['flowed text', costlyText('plain; format=flowed', '> a ', 5 * MIB)],
  ['HTML', costlyText('html', '<p>a&amp;', 5 * MIB)],
  [
    'quoted-printable',
    Buffer.from(`${COSTLY_HEAD}Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${lines('=C3=A9', 8 * MIB)}`),
  ],
  [
    'a file of 30 MB',
    Buffer.from(
      `${COSTLY_HEAD}Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n${'QUJD'.repeat(19)}\r\n`.concat(
        `${'QUJD'.repeat(19)}\r\n`.repeat(390_000),
      ),
    ),
  ],
]
