import { describe, expect, it } from 'vitest'
import { invalid, outcome } from '../../support/builders/answers.ts'
import { countStored, emailInput, MIB, NOTHING_STORED } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService({ environment: { ALLOW_PRIVATE_NETWORKS: 'false' } }))

describe('POST /emails refuses bad attachments and stores nothing', () => {
  const NOT_PUBLIC = 'must be a URL of a host on the public internet.'
  const BASE64 = 'must be the file in base64 (RFC 4648), complete and without other characters.'
  const CONTENT_ID = 'must be made of visible ASCII characters without `<`, `>` and spaces, such as `logo` or `logo@example.com`.'
  const MEDIA_TYPE = 'must be a media type such as `application/pdf` or `text/plain; charset=utf-8`.'
  const blocked = (extension: string) => `may not end in \`.${extension}\`: mail servers refuse that type; send a link or another format.`
  const file = (changes: Record<string, unknown>) => ({ content: 'aGk=', ...changes })
  const url = (path: string) => ({ path })

  it.each<[string, unknown, string]>([
    ['neither content nor path', { filename: 'a.txt' }, 'Missing `attachments[0].content` or `attachments[0].path` field.'],
    ['null for both', { content: null, path: null }, 'Missing `attachments[0].content` or `attachments[0].path` field.'],
    ['content and path', file(url('https://example.com/x')), 'The `attachments[0]` field must have either `content` or `path`, not both.'],
    ['null', null, 'The `attachments[0]` field must be an object.'],
    ['a string', 'aGk=', 'The `attachments[0]` field must be an object.'],
  ])('%s', async (_what, input, message) => refuses(input, message))

  it.each<[string, unknown, string]>([
    ['content', { content: 5 }, 'field must be a string, an array or an object.'],
    ['content', { content: '***' }, `field ${BASE64}`],
    ['content', { content: 'aGkxx' }, `field ${BASE64}`],
    ['content', { content: 'data:text/plain;base64,aGk=' }, 'field must be the base64 alone, without `data:...;base64,` in front.'],
    ['content', { content: [256] }, 'field must be bytes, whole numbers from 0 to 255; item 0 is not.'],
    ['content', { content: [0, -1] }, 'field must be bytes, whole numbers from 0 to 255; item 1 is not.'],
    ['content[0]', { content: [1.5] }, 'field must be a whole number.'],
    ['content[1]', { content: [1, '2'] }, 'field must be a whole number.'],
    ['content.type', { content: { type: 'Blob', data: [1] } }, 'field must be `Buffer`. It is "Blob".'],
    ['content.data', { content: { type: 'Buffer', data: 'aGk=' } }, 'field must be an array.'],
    ['filename', file({ filename: 5 }), 'field must be a string.'],
    ['filename', file({ filename: ' ' }), 'field may not be empty: give the file a name such as `invoice.pdf`.'],
    ['filename', file({ filename: 'x'.repeat(256) }), 'field may not be longer than 255 characters.'],
    ['filename', file({ filename: '../secret.txt' }), 'field must be the name of a file, without a folder or path.'],
    [
      'filename',
      file({ filename: 'a\r\nX: y.txt' }),
      'field may not hold control characters, line breaks or characters that change the direction of writing.',
    ],
    ['filename', file({ filename: 'virus.exe' }), `field ${blocked('exe')}`],
    ['filename', file({ filename: 'VIRUS.JS. ' }), `field ${blocked('js')}`],
    ['filename', { path: 'https://example.com/x', filename: 'macro.vbs' }, `field ${blocked('vbs')}`],
    ['content_type', file({ content_type: 'pdf' }), `field ${MEDIA_TYPE}`],
    ['content_type', file({ content_type: 'text/plain\r\nX: y' }), `field ${MEDIA_TYPE}`],
    ['content_type', file({ content_type: 'x'.repeat(MIB) }), `field ${MEDIA_TYPE}`],
    ['content_type', file({ content_type: 'multipart/mixed' }), 'field may not be a multipart type: an attachment is one file.'],
    ['content_id', file({ content_id: 'a b' }), `field ${CONTENT_ID}`],
    ['content_id', file({ content_id: '' }), `field ${CONTENT_ID}`],
    ['content_id', file({ content_id: 'x'.repeat(128) }), 'field must have fewer than 128 characters.'],
    ['inline_content_id', file({ inline_content_id: '<logo>' }), `field ${CONTENT_ID}`],
    ['path', url(''), 'field must be a valid URL.'],
    ['path', url('report.pdf'), 'field must be a valid URL.'],
    ['path', url('ftp://example.com/x'), 'field must be an `http` or `https` URL.'],
    ['path', url('file:///etc/passwd'), 'field must be an `http` or `https` URL.'],
    ['path', url('data:text/plain,hi'), 'field must be an `http` or `https` URL.'],
    ['path', url('https://user:password@example.com/x'), 'field must be a URL without user and password.'],
    ['path', url(`https://example.com/${'x'.repeat(2_030)}`), 'field must have at most 2048 characters.'],
    ...[
      '127.0.0.1',
      'localhost',
      'localhost.',
      'x.localhost',
      '[::1]',
      '10.0.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '0.0.0.0',
      '2130706433',
      '0x7f.1',
      '[::ffff:127.0.0.1]',
      '[fd00::1]',
    ].map((host): [string, unknown, string] => ['path', url(`http://${host}/x`), `field ${NOT_PUBLIC}`]),
  ])('in %s: %j', async (field, input, sentence) => refuses(input, `The \`attachments[0].${field}\` ${sentence}`))

  it('101 files', async () => {
    const files = Array.from({ length: 101 }, () => ({ content: 'aGk=' }))
    await refusesAll(files, 'The `attachments` field must have at most 100 entries.')
  })

  it('an array of more than 5 MB', async () => {
    const content = JSON.stringify(emailInput({ attachments: [{ content: 'HERE' }] })).replace('"HERE"', `[${'1,'.repeat(5 * MIB)}1]`)
    const answer = await service.call('POST', '/emails', { body: content })
    expect(outcome(answer)).toEqual(
      invalid('The `attachments[0].content` field may hold at most 5242880 bytes as an array: send larger files in base64.'),
    )
    expect(await countStored(service)).toEqual(NOTHING_STORED)
  })

  it('more than 40 MB with everything encoded, although each file is smaller', async () => {
    const content = 'A'.repeat(20 * MIB)
    await refusesAll([{ content }, { content }], 'The email has more than 40 MB once it is encoded. Send large files as links.')
  })

  it('the second of two files, and keeps nothing of the first', async () => {
    await refusesAll([{ content: 'aGk=' }, {}], 'Missing `attachments[1].content` or `attachments[1].path` field.')
  })

  const refuses = (input: unknown, message: string) => refusesAll([input], message)

  async function refusesAll(attachments: unknown[], message: string): Promise<void> {
    const answer = await service.call('POST', '/emails', { body: emailInput({ attachments }) })
    expect(outcome(answer)).toEqual(invalid(message))
    expect(await countStored(service)).toEqual(NOTHING_STORED)
  }
})
