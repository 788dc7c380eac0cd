import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startInboundService } from '../../../support/servers/mail-services.ts'
import { ACCESS_KEY_ID, BUCKET, SECRET_ACCESS_KEY, startObjectStorage } from '../../../support/servers/object-storage.ts'
import { shared } from '../../../support/servers/service.ts'

beforeAll(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', ACCESS_KEY_ID)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET_ACCESS_KEY)
})
afterAll(() => {
  vi.unstubAllEnvs()
})
const storage = shared(() => startObjectStorage())
const service = shared(() => startInboundService({ environment: { STORAGE_URL: `s3://${BUCKET}/mail?endpoint=${storage.endpoint}` } }))

async function send(): Promise<string> {
  const { address } = await service.newReturnPath()
  const client = await service.connect()
  await client.reply()
  for (const line of ['EHLO mx.example.net', 'MAIL FROM:<>', `RCPT TO:<${address}>`, 'DATA']) await client.say(line)
  return client.say('Subject: Undelivered\r\n\r\ntext\r\n.')
}

describe('the SMTP server with a bucket', () => {
  it('answers 452 while nothing can be stored, says why in the log, and takes the message afterwards', async () => {
    const warn = vi.spyOn(service.service.context.log, 'warn')
    storage.fault = () => ({ code: 'QuotaExceeded', status: 403 })
    expect(await send()).toMatch(/^452 4\.3\.1 /)
    expect(warn.mock.calls).toEqual([
      [{ reason: 'QuotaExceeded (403): QuotaExceeded said at length.' }, 'inbound message refused for the moment'],
    ])

    storage.fault = () => null
    expect(await send()).toMatch(/^250 /)
    expect(await service.stored()).toMatchObject([{ content: expect.stringContaining('Subject: Undelivered') }])
  })
})
