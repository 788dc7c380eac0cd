import { Resend } from 'resend'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emailInput, invalid, MIB, missing, outcome, send, UNKNOWN_ID, UUID } from '../support/email-builders.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { countStored } from '../support/stored-rows.ts'

let service: TestService
let resend: Resend

beforeAll(async () => {
  service = await startTestService({ environment: { ALLOW_PRIVATE_NETWORKS: 'false', PUBLIC_URL: 'http://localhost:3000' } })
  resend = new Resend(service.token, { baseUrl: service.url })
})
afterAll(() => service.close())

const receipt = { from: 'Acme <hello@example.com>', to: 'delivered@simulator.test', subject: 'Your receipt', text: 'Thank you.' }
const ISO_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const LINK = expect.stringMatching(/^http:\/\/localhost:3000\/downloads\/[\w.-]+$/)

const attachment = (changes: Record<string, unknown>) => ({
  id: UUID,
  filename: null,
  content_type: 'application/octet-stream',
  content_disposition: 'attachment',
  content_id: null,
  size: 2,
  download_url: LINK,
  expires_at: ISO_TIME,
  ...changes,
})

async function bytesOf(url: string | null | undefined): Promise<Buffer> {
  const { pathname } = new URL(url ?? '')
  return Buffer.from(await (await fetch(`${service.url}${pathname}`)).arrayBuffer())
}

describe('attachments sent with the SDK', () => {
  it('are listed in the order of the request, with what they are', async () => {
    const { data: sent } = await resend.emails.send({
      ...receipt,
      html: '<img src="cid:logo">',
      attachments: [
        { filename: 'invoice.pdf', content: Buffer.from('%PDF-') },
        { filename: 'отчёт 注文.txt', content: Buffer.from('hi').toString('base64') },
        { filename: 'logo.png', content: Buffer.from([0, 1, 255]), contentId: 'logo' },
        { filename: 'plain', content: Buffer.from('x'), contentType: 'text/plain; charset=utf-8' },
      ],
    })

    const { data, error } = await resend.emails.attachments.list({ emailId: sent?.id ?? '' })
    expect({ data, error }).toEqual({
      error: null,
      data: {
        object: 'list',
        has_more: false,
        data: [
          attachment({ filename: 'invoice.pdf', content_type: 'application/pdf', size: 5 }),
          attachment({ filename: 'отчёт 注文.txt', content_type: 'text/plain' }),
          attachment({ filename: 'logo.png', content_type: 'image/png', content_disposition: 'inline', content_id: 'logo', size: 3 }),
          attachment({ filename: 'plain', content_type: 'text/plain; charset=utf-8', size: 1 }),
        ],
      },
    })
  })

  it('are read one by one, each with a link to its bytes', async () => {
    const content = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
    const { data: sent } = await resend.emails.send({ ...receipt, attachments: [{ filename: 'all.bin', content }] })
    const emailId = sent?.id ?? ''
    const { data: list } = await resend.emails.attachments.list({ emailId })
    const id = list?.data[0]?.id ?? ''

    const { data } = await resend.emails.attachments.get({ emailId, id })

    expect(data).toEqual({ object: 'attachment', ...attachment({ id, filename: 'all.bin', size: 256 }) })
    expect(await bytesOf(data?.download_url)).toEqual(content)
  })
})

describe('POST /emails', () => {
  const bytes = Buffer.from('Grüße 👋')
  it.each([
    ['base64', bytes.toString('base64')],
    ['base64 without padding', bytes.toString('base64').replace(/=+$/, '')],
    ['base64url', bytes.toString('base64url')],
    ['base64 in lines', bytes.toString('base64').replace(/.{4}/g, '$&\r\n')],
    ['an array of bytes', [...bytes]],
    ['a Node.js buffer', { type: 'Buffer', data: [...bytes] }],
    ['a Node.js buffer as it serializes itself', bytes],
  ])('takes the content of a file as %s', async (_form, content) => {
    const id = await send(service, { attachments: [{ content, filename: 'greeting.txt' }] })
    const { data } = await resend.emails.attachments.list({ emailId: id })
    expect(await bytesOf(data?.data[0]?.download_url)).toEqual(bytes)
  })

  it('takes an empty file', async () => {
    const id = await send(service, { attachments: [{ content: '', filename: 'empty.txt' }] })
    const { body } = await service.call('GET', `/emails/${id}/attachments`)
    expect(body).toMatchObject({ data: [attachment({ filename: 'empty.txt', content_type: 'text/plain', size: 0 })] })
  })

  it('takes the older name of content_id', async () => {
    const id = await send(service, { attachments: [{ content: 'aGk=', inline_content_id: 'logo@example.com' }] })
    const { body } = await service.call('GET', `/emails/${id}/attachments`)
    expect(body).toMatchObject({ data: [attachment({ content_disposition: 'inline', content_id: 'logo@example.com' })] })
  })

  it('takes 100 files', async () => {
    const files = Array.from({ length: 100 }, (_, index) => ({ content: 'aGk=', filename: `${index}.txt` }))
    const id = await send(service, { attachments: files })
    const { data } = await resend.emails.attachments.list({ emailId: id })
    expect(data?.data.map(({ filename }) => filename)).toEqual(files.map(({ filename }) => filename))
  })

  it('takes a file by URL, which has no link before it is fetched', async () => {
    const id = await send(service, { attachments: [{ path: 'https://example.com/files/report.pdf', filename: 'report.pdf' }] })
    const { body } = await service.call('GET', `/emails/${id}/attachments`)
    expect(body).toEqual({
      object: 'list',
      has_more: false,
      data: [attachment({ filename: 'report.pdf', content_type: 'application/pdf', size: 0, download_url: null })],
    })
  })
})

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
    ['content', { content: 'aGk' + 'x'.repeat(2) }, `field ${BASE64}`],
    ['content', { content: 'data:text/plain;base64,aGk=' }, 'field must be the base64 alone, without `data:...;base64,` in front.'],
    ['content', { content: [256] }, 'field must be bytes, whole numbers from 0 to 255; item 0 is not.'],
    ['content', { content: [0, -1] }, 'field must be bytes, whole numbers from 0 to 255; item 1 is not.'],
    ['content[0]', { content: [1.5] }, 'field must be a whole number.'],
    ['content[1]', { content: [1, '2'] }, 'field must be a whole number.'],
    ['content.type', { content: { type: 'Blob', data: [1] } }, 'field must be `Buffer`.'],
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
    const before = await countStored(service)
    const answer = await service.call('POST', '/emails', { body: content })
    expect(outcome(answer)).toEqual(
      invalid('The `attachments[0].content` field may hold at most 5242880 bytes as an array: send larger files in base64.'),
    )
    expect(await countStored(service)).toEqual(before)
  })

  it('more than 40 MB with everything encoded, although each file is smaller', async () => {
    const content = 'A'.repeat(20 * MIB)
    await refusesAll([{ content }, { content }], 'The email has more than 40 MB with its attachments encoded. Send large files as links.')
  })

  it('the second of two files, and keeps nothing of the first', async () => {
    await refusesAll([{ content: 'aGk=' }, {}], 'Missing `attachments[1].content` or `attachments[1].path` field.')
  })

  const refuses = (input: unknown, message: string) => refusesAll([input], message)

  async function refusesAll(attachments: unknown[], message: string): Promise<void> {
    const before = await countStored(service)
    const answer = await service.call('POST', '/emails', { body: emailInput({ attachments }) })
    expect(outcome(answer)).toEqual(invalid(message))
    expect(await countStored(service)).toEqual(before)
  }
})

describe('GET /emails/:id/attachments', () => {
  it('is an empty list for an email without files', async () => {
    const { body } = await service.call('GET', `/emails/${await send(service)}/attachments`)
    expect(body).toEqual({ object: 'list', has_more: false, data: [] })
  })

  it('pages in both directions', async () => {
    const names = ['0.txt', '1.txt', '2.txt', '3.txt']
    const id = await send(service, { attachments: names.map((filename) => ({ filename, content: 'aGk=' })) })
    const page = async (query: string) => {
      const { body } = await service.call('GET', `/emails/${id}/attachments?${query}`)
      const { data, has_more: hasMore } = body as { data: { id: string; filename: string }[]; has_more: boolean }
      return { names: data.map(({ filename }) => filename), hasMore, first: data.at(0)?.id, last: data.at(-1)?.id }
    }
    const first = await page('limit=2')
    expect(first).toMatchObject({ names: ['0.txt', '1.txt'], hasMore: true })
    const second = await page(`limit=2&after=${first.last}`)
    expect(second).toMatchObject({ names: ['2.txt', '3.txt'], hasMore: false })
    expect(await page(`limit=1&before=${second.first}`)).toMatchObject({ names: ['1.txt'], hasMore: true })
  })

  it('answers 404 for another team’s email and its files', async () => {
    const id = await send(service, { attachments: [{ content: 'aGk=' }] })
    const { body } = await service.call('GET', `/emails/${id}/attachments`)
    const [file] = (body as { data: { id: string }[] }).data
    const { token } = service.other
    expect(outcome(await service.call('GET', `/emails/${id}/attachments`, { token }))).toEqual(missing('Email'))
    expect(outcome(await service.call('GET', `/emails/${id}/attachments/${file?.id}`, { token }))).toEqual(missing('Attachment'))
  })

  it('answers 404 for a file of another email of the same team, and for unknown ones', async () => {
    const id = await send(service, { attachments: [{ content: 'aGk=' }] })
    const otherId = await send(service)
    const { body } = await service.call('GET', `/emails/${id}/attachments`)
    const [file] = (body as { data: { id: string }[] }).data
    expect(outcome(await service.call('GET', `/emails/${otherId}/attachments/${file?.id}`))).toEqual(missing('Attachment'))
    expect(outcome(await service.call('GET', `/emails/${id}/attachments/${UNKNOWN_ID}`))).toEqual(missing('Attachment'))
    expect(outcome(await service.call('GET', `/emails/${UNKNOWN_ID}/attachments`))).toEqual(missing('Email'))
  })
})
