import { expect, it } from 'vitest'
import { until } from '../support/clocks/until.ts'
import { MAIL_HOSTNAME, startInboundService } from '../support/servers/inbound-service.ts'

const POSTMASTER = `postmaster@${MAIL_HOSTNAME}`
const STOPPING = '421 4.3.2 This server is stopping, please try again in a moment'

it('stops in good order: idle peers are told, a message that arrives may end, one that does not is not acknowledged', async () => {
  const service = await startInboundService({ inboundLimits: { lastMessagesMs: 1_000 } })
  const { inbound } = service.service
  const idle = await service.connect()
  await idle.reply()
  const [sender, sleeper] = [await service.connect(), await service.connect()]
  for (const client of [sender, sleeper]) {
    await client.startMessage(POSTMASTER)
    client.write('Subject: a\r\n')
  }

  const closing = inbound?.close()
  expect(await idle.ended()).toBe(`${STOPPING}\r\n`)
  await expect(service.connect()).rejects.toThrow('ECONNREFUSED')
  sender.write('\r\n.\r\n')

  expect((await sender.ended()).split('\r\n')).toEqual([expect.stringMatching(/^250 2\.6\.0 Stored as /), STOPPING, ''])
  await closing
  expect(await sleeper.ended()).not.toMatch(/^250/)
  expect(await service.stored()).toHaveLength(1)
  await until(() => expect(inbound?.connectionCount()).toBe(0))
  await service.close()
})
