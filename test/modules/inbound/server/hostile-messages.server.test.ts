import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { until } from '../../../support/clocks/until.ts'
import { MAIL_HOSTNAME, startInboundService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'

const POSTMASTER = `postmaster@${MAIL_HOSTNAME}`
const BARE = '550 5.6.0 The message has a line break that is not CR LF, which is not accepted'
const TOO_LARGE = /^552 5\.3\.4 /
const BYTES_MAX = 100_000

const service = shared(() => startInboundService({ inboundLimits: { messageBytesMax: BYTES_MAX, receivedBytesMax: BYTES_MAX } }))

afterEach(() => service.forget())

const temporaryFiles = () => readdir(join(service.config.blobFolder, 'temporary'))

describe('a message that hides another one', () => {
  const SMUGGLED = 'MAIL FROM:<a@example.net>\r\nRCPT TO:<abuse@mail.example.com>\r\nDATA\r\nSubject: hidden\r\n\r\n'

  it.each([
    ['a bare LF', '\n'],
    ['a bare CR', '\r'],
    ['a dot between bare LFs', '\n.\n'],
    ['a dot after a bare LF', '\n.\r\n'],
    ['a dot before a bare LF', '\r\n.\n'],
    ['a dot after a bare CR', '\r.\r\n'],
    ['a dot before a bare CR', '\r\n.\r'],
    ['a doubled dot after a bare LF', '\n..\r\n'],
  ])('by %s is refused as one, and nothing of it is stored or obeyed', async (_what, ending) => {
    const client = await service.connect()
    await client.startMessage(POSTMASTER)
    client.write(`Subject: a\r\n\r\nb${ending}${SMUGGLED}c\r\n.\r\nNOOP\r\n`)

    expect([await client.reply(), await client.reply()]).toEqual([BARE, '250 2.0.0 OK'])
    expect(await service.stored()).toEqual([])
    expect(await temporaryFiles()).toEqual([])
  })

  it('by commands before STARTTLS finds them thrown away', async () => {
    const client = await service.connect()
    await client.reply()
    await client.say('EHLO mx.example.net')
    client.write(`STARTTLS\r\nMAIL FROM:<a@example.net>\r\nRCPT TO:<${POSTMASTER}>\r\n`)
    expect(await client.reply()).toBe('220 2.0.0 Ready to start TLS')
    await client.upgrade()

    expect(await client.say(`RCPT TO:<${POSTMASTER}>`)).toBe('503 5.5.1 Error: send HELO/EHLO first')
    await client.say('EHLO mx.example.net')
    expect(await client.say('DATA')).toBe('503 5.5.1 Error: need RCPT command')
  })
})

describe('a message that goes around in circles', () => {
  it('is refused after 50 hops', async () => {
    const client = await service.connect()
    const reply = await client.sendMessage(POSTMASTER, `${'Received: from a by b\r\n'.repeat(50)}\r\nb`)
    expect(reply).toBe('554 5.4.6 The message has too many Received headers, it is in a mail loop')
    expect(await client.sendMessage(POSTMASTER, `${'Received: from a by b\r\n'.repeat(49)}\r\nb`)).toMatch(/^250 /)
  })
})

describe('a message that is too large', () => {
  it('is refused at MAIL if it says so, and after its end if it does not', async () => {
    const client = await service.connect()
    await client.reply()
    await client.say('EHLO mx.example.net')
    expect(await client.say(`MAIL FROM:<> SIZE=${BYTES_MAX + 1}`)).toMatch(TOO_LARGE)

    const other = await service.connect()
    expect(await other.sendMessage(POSTMASTER, `Subject: a\r\n\r\n${'b'.repeat(BYTES_MAX)}`)).toMatch(TOO_LARGE)
    expect(await service.stored()).toEqual([])
    expect(await temporaryFiles()).toEqual([])
  })

  it('ends the connection if it is far too large', async () => {
    const client = await service.connect()
    await client.startMessage(POSTMASTER)
    client.write('b'.repeat(3 * BYTES_MAX))
    expect(await client.ended()).toBe('421 4.3.4 The message is far larger than this server takes\r\n')
    expect(await temporaryFiles()).toEqual([])
  })
})

describe('a peer that vanishes in the middle of a message', () => {
  it('leaves no row and no file, and is no failure of this server', async () => {
    const { log, metrics } = service.service.context
    const [logged, counted] = [vi.spyOn(log, 'error'), vi.spyOn(metrics.inboundRefusals, 'inc')]
    const gone = vi.spyOn(log, 'debug')
    const client = await service.connect()
    await client.startMessage(POSTMASTER)
    client.write('Subject: a\r\n\r\nhalf')
    await until(async () => expect(await temporaryFiles()).toHaveLength(1))

    client.socket.resetAndDestroy()
    await once(client.socket, 'close')

    await until(async () => expect(await temporaryFiles()).toEqual([]))
    await until(() => expect(gone).toHaveBeenCalledWith({ peer: '127.0.0.1' }, 'peer gone in the middle of a message'))
    expect(await service.stored()).toEqual([])
    expect([logged.mock.calls, counted.mock.calls]).toEqual([[], []])
    vi.restoreAllMocks()
  })
})
