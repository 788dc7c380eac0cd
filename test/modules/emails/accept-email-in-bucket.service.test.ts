import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { emailInput } from '../../support/builders/emails.ts'
import { ACCESS_KEY_ID, BUCKET, SECRET_ACCESS_KEY, sha256, startObjectStorage } from '../../support/servers/object-storage.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

beforeAll(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', ACCESS_KEY_ID)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET_ACCESS_KEY)
})
afterAll(() => {
  vi.unstubAllEnvs()
})
const storage = shared(() => startObjectStorage())
const service = shared(() => startTestService({ environment: { STORAGE_URL: `s3://${BUCKET}/mail?endpoint=${storage.endpoint}` } }))
beforeAll(() => {
  storage.objects.clear()
})
afterEach(() => {
  storage.fault = () => null
  storage.objects.clear()
})

/** One part and several. */
const contents = [Buffer.from('small'), Buffer.alloc(9 * 1024 * 1024, 'large')]
const attachments = contents.map((content, index) => ({ filename: `${index}.bin`, content: content.toString('base64') }))
const body = emailInput({ attachments })
const UNAVAILABLE = { code: 'ServiceUnavailable', status: 503 }

describe('an email with files when they are in a bucket', () => {
  it('is accepted, and its files are as they were sent', async () => {
    const sent = await service.call('POST', '/emails', { body })
    expect(sent.status).toBe(200)

    const { id } = sent.body as { id: string }
    const { body: list } = await service.call('GET', `/emails/${id}/attachments`)
    const links = (list as { data: { download_url: string }[] }).data.map((file) => new URL(file.download_url).pathname)
    const downloads = await Promise.all(links.map(async (path) => (await fetch(`${service.url}${path}`)).arrayBuffer()))

    expect(downloads.map((bytes) => sha256(Buffer.from(bytes)))).toEqual(contents.map(sha256))
    expect(storage.objects.size).toBe(2)
  })

  it('is refused for the moment while the bucket stores nothing, and the reason is not that removing fails too', async () => {
    storage.fault = () => (storage.objects.size > 0 ? UNAVAILABLE : null)

    const { status, headers, body: refusal } = await service.call('POST', '/emails', { body })

    expect({ status, refusal, after: headers.get('retry-after') }).toEqual({
      status: 503,
      refusal: { statusCode: 503, name: 'service_unavailable', message: 'The service cannot store files at the moment. Try again later.' },
      after: '10',
    })
  })
})
