import { expect, it, vi } from 'vitest'
import { until } from '../../../support/clocks/until.ts'
import { MAIL_HOSTNAME, startInboundService, startSubmissionService } from '../../../support/servers/mail-services.ts'

const POSTMASTER = `postmaster@${MAIL_HOSTNAME}`
const STOPPING = '421 4.3.2 This server is stopping, please try again in a moment'

it('stops in good order: idle peers are told, a message that arrives may end, one that does not is not acknowledged', async () => {
  const service = await startInboundService({ inboundLimits: { lastMessagesMs: 15_000 } })
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

it('takes connections and messages while it drains, and ends each connection after its message', async () => {
  const service = await startInboundService({ environment: { DRAIN_SECONDS: '300' } })
  const [idle, sender] = [await service.connect(), await service.connect()]
  await idle.reply()
  await sender.startMessage(POSTMASTER)

  void service.service.drain()
  const newcomer = await service.connect()
  for (const client of [sender, newcomer]) {
    if (client === newcomer) await client.startMessage(POSTMASTER)
    client.write('Subject: a\r\n\r\n.\r\n')
    expect((await client.ended()).split('\r\n')).toEqual([expect.stringMatching(/^250 2\.6\.0 Stored as /), STOPPING, ''])
  }
  expect(await idle.say('NOOP')).toMatch(/^250 /)
  const closing = service.service.inbound?.close()
  expect(await idle.ended()).toBe(`${STOPPING}\r\n`)
  await closing
  await service.close()
})

it('lets a message end whose MAIL was accepted before it stops, and ends it after `lastMessagesMs`', async () => {
  const service = await startInboundService({ inboundLimits: { lastMessagesMs: 15_000 } })
  const { inbound } = service.service
  const [sender, sleeper] = [await service.connect(), await service.connect()]
  for (const client of [sender, sleeper]) {
    await client.reply()
    for (const command of ['EHLO client.example.net', 'MAIL FROM:<a@example.net>']) await client.say(command)
  }

  const closing = inbound?.close()
  expect(await sender.say(`RCPT TO:<${POSTMASTER}>`)).toMatch(/^250 /)
  expect(await sender.say('DATA')).toMatch(/^354 /)
  sender.write('Subject: a\r\n\r\n.\r\n')

  expect((await sender.ended()).split('\r\n')).toEqual([expect.stringMatching(/^250 2\.6\.0 Stored as /), STOPPING, ''])
  expect(await sleeper.ended()).toBe(`${STOPPING}\r\n`)
  await closing
  expect(await service.stored()).toHaveLength(1)
  await service.close()
})

it('answers a message that has arrived before it stops, however long that takes', async () => {
  const service = await startInboundService({ inboundLimits: { lastMessagesMs: 1 } })
  const { inbound, context } = service.service
  const { blobs } = context.gateways
  const put = blobs.put.bind(blobs)
  const [arrived, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const storing = vi.spyOn(blobs, 'put').mockImplementation(async (...given) => {
    const stored = await put(...given)
    arrived.resolve()
    await held.promise
    return stored
  })
  const [sender, sleeper] = [await service.connect(), await service.connect()]
  for (const client of [sender, sleeper]) await client.startMessage(POSTMASTER)
  sender.write('Subject: a\r\n\r\n.\r\n')
  await arrived.promise

  const closing = inbound?.close()
  expect(await sleeper.ended()).toBe('')
  held.resolve()

  expect((await sender.ended()).split('\r\n')).toEqual([expect.stringMatching(/^250 2\.6\.0 Stored as /), STOPPING, ''])
  await closing
  storing.mockRestore()
  expect(await service.stored()).toHaveLength(1)
  await service.close()
})

it('answers a message that was submitted likewise, and sends those away that would have to wait for others', async () => {
  const service = await startSubmissionService({ submissionLimits: { lastMessagesMs: 1 } })
  const { submission, context } = service.service
  const { submissions, blobs } = context.gateways
  const storing = vi.spyOn(blobs, 'put')
  const read = submissions.read.bind(submissions)
  const held = Promise.withResolvers<void>()
  vi.spyOn(submissions, 'read').mockImplementation(async (...given) => {
    await held.promise
    return read(...given)
  })
  const large = `From: a@example.com\r\nTo: ada@example.com\r\n\r\n${`${'x'.repeat(76)}\r\n`.repeat(2_000)}`
  const clients = await Promise.all(Array.from({ length: 3 }, () => service.signIn()))
  for (const client of clients) {
    for (const command of ['MAIL FROM:<a@example.com>', 'RCPT TO:<ada@example.com>', 'DATA']) await client.say(command)
    const count = storing.mock.results.length + 1
    client.write(`${large}.\r\n`)
    await until(() => expect(storing.mock.settledResults.filter(({ type }) => type === 'fulfilled')).toHaveLength(count))
  }
  const [first, second, third] = clients

  const closing = submission?.close()
  expect((await third?.ended())?.split('\r\n')).toEqual([expect.stringMatching(/^452 4\.3\.1 /), STOPPING, ''])
  held.resolve()

  for (const client of [first, second])
    expect((await client?.ended())?.split('\r\n')).toEqual([expect.stringMatching(/^250 2\.0\.0 Ok: queued as /), STOPPING, ''])
  await closing
  vi.restoreAllMocks()
  await service.close()
})
