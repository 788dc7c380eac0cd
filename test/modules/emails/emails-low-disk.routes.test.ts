import { beforeAll, expect, it, vi } from 'vitest'
import { countStored, emailInput } from '../../support/builders/emails.ts'
import { sendEmail, stateOf } from '../../support/builders/engine.ts'
import { until } from '../../support/clocks/until.ts'
import { startRelayService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

let isLow = false

const service = shared(() => startRelayService())
beforeAll(() => {
  // The disk of the machine, which no test can fill.
  vi.spyOn(service.service.context.gateways.diskSpace, 'isLow').mockImplementation(async () => isLow)
})

it('on an almost full disk new emails are refused for a while, nothing of them is stored, and those accepted before are delivered', async () => {
  const before = await sendEmail(service)
  const stored = await countStored(service)
  isLow = true
  const attachments = [{ filename: 'a.txt', content: 'aGk=' }]

  for (const [path, body] of [
    ['/emails', emailInput({ attachments })],
    ['/emails/batch', [emailInput(), emailInput()]],
  ] as const) {
    const answer = await service.call('POST', path, { body, headers: { 'idempotency-key': 'low' } })
    expect(answer).toMatchObject({
      status: 503,
      body: { statusCode: 503, message: expect.stringContaining('almost out of disk space') },
    })
    expect(answer.headers.get('retry-after')).toBe('60')
  }
  expect(await countStored(service)).toEqual(stored)

  service.startWorker()
  await until(async () => expect((await stateOf(service, before)).lastEvent).toBe('delivered'))
  isLow = false
  const answer = await service.call('POST', '/emails', { body: emailInput(), headers: { 'idempotency-key': 'low' } })
  expect(answer.status).toBe(200)
})
