import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { missing, outcome, UUID } from '../../support/builders/answers.ts'
import { send, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService({ environment: { ALLOW_PRIVATE_NETWORKS: 'false', PUBLIC_URL: 'http://localhost:3000' } }))
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

const receipt = { from: 'Acme <hello@example.com>', to: 'delivered@simulator.test', subject: 'Your receipt', text: 'Thank you.' }
const ISO_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const LINK = expect.stringMatching(/^http:\/\/localhost:3000\/downloads\/[\w.-]+$/)

const attachment = (changes: Record<string, unknown>) => ({
  id: UUID,
  filename: null,
  content_type: 'application/octet-stream',
  content_disposition: 'attachment',
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
