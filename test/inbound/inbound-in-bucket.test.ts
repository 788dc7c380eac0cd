import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type InboundService, startInboundService } from '../support/servers/inbound-service.ts'
import { ACCESS_KEY_ID, SECRET_ACCESS_KEY } from '../support/servers/object-signatures.ts'
import { BUCKET, type ObjectStorage, startObjectStorage } from '../support/servers/object-storage.ts'

let storage: ObjectStorage
let service: InboundService
beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', ACCESS_KEY_ID)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET_ACCESS_KEY)
  storage = await startObjectStorage()
  service = await startInboundService({ environment: { STORAGE_URL: `s3://${BUCKET}/mail?endpoint=${storage.endpoint}` } })
})
afterAll(async () => {
  await service.close()
  await storage.close()
  vi.unstubAllEnvs()
})

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
