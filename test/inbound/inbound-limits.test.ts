import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SmtpClient } from '../support/clients/smtp-client.ts'
import { createMovingClock, type MovingClock } from '../support/clocks/moving-clock.ts'
import { until } from '../support/clocks/until.ts'
import { type InboundService, MAIL_HOSTNAME, startInboundService } from '../support/servers/inbound-service.ts'

const POSTMASTER = `postmaster@${MAIL_HOSTNAME}`
const MINUTE_MS = 60_000
const LIMITS = {
  connectionsMax: 8,
  connectionsPerPeerMax: 5,
  idleMsWhenFull: 10_000,
  messagesPerConnectionMax: 2,
  commandsPerPeerPerMinute: 60,
  errorsPerConnectionMax: 5,
  errorsPerPeerPerMinute: 8,
  bytesPerPeerPerMinute: 1_000,
  commandMsMax: 5 * MINUTE_MS,
  messageMsMax: 10 * MINUTE_MS,
  sessionMsMax: 30 * MINUTE_MS,
  checkEveryMs: 10,
}

let clock: MovingClock
let service: InboundService
let open: SmtpClient[] = []
beforeAll(async () => {
  clock = createMovingClock()
  service = await startInboundService({ clock, inboundLimits: LIMITS })
})
afterAll(() => service.close())
beforeEach(() => {
  open = []
  // What an earlier test did is more than a minute ago.
  clock.advance(MINUTE_MS + 1)
})
afterEach(async () => {
  for (const client of open) client.close()
  await until(() => expect(service.service.inbound?.connectionCount()).toBe(0))
})

/** Each last part of a loopback address is another peer. */
async function connect(peer = 1): Promise<SmtpClient> {
  const client = await service.connect({ localAddress: `127.0.0.${peer}` })
  open.push(client)
  return client
}

async function greeted(peer = 1): Promise<SmtpClient> {
  const client = await connect(peer)
  expect(await client.reply()).toMatch(/^220 /)
  return client
}

describe('a peer', () => {
  it('has some connections at once, and others have theirs meanwhile', async () => {
    for (let count = 0; count < LIMITS.connectionsPerPeerMax; count += 1) await greeted()

    const refused = await (await connect()).ended()

    expect(refused).toBe('421 4.7.0 Too many connections from your address, please use fewer\r\n')
    await greeted(2)
  })

  it('is told to open another connection after its messages', async () => {
    const client = await connect()
    for (let count = 0; count < LIMITS.messagesPerConnectionMax; count += 1)
      expect(await client.sendMessage(POSTMASTER, 'Subject: a\r\n\r\n')).toMatch(/^250 /)

    expect(await client.say('MAIL FROM:<>')).toBe('421 4.7.0 This connection has brought enough messages, please open another one')
    await greeted()
  })

  it('loses a connection after its errors, and may not come back for a minute after those of several', async () => {
    const client = await greeted()
    for (let count = 1; count < LIMITS.errorsPerConnectionMax; count += 1) await client.say('WHAT')
    client.write('WHAT\r\n')
    expect(await client.ended()).toBe('500 5.5.2 Error: command not recognized\r\n421 4.7.0 Too many errors in this connection\r\n')

    const other = await greeted()
    for (let count = 0; count < 2; count += 1) await other.say('WHAT')
    other.write('WHAT\r\n')
    const tooMany = '421 4.7.0 Too many errors from your address, please try again in a minute\r\n'
    expect(await other.ended()).toContain(tooMany)
    expect(await (await connect()).ended()).toBe(tooMany)

    clock.advance(MINUTE_MS + 1)
    await greeted()
  })

  it('has a number of commands a minute', async () => {
    const client = await greeted()
    client.write('NOOP\r\n'.repeat(100))
    const replies = (await client.ended()).split('\r\n').filter((line) => line !== '')
    expect(replies).toHaveLength(LIMITS.commandsPerPeerPerMinute + 1)
    expect(replies.at(-1)).toBe('421 4.7.0 Too many commands a minute from your address, please slow down')
  })

  it('has a number of bytes a minute, and keeps what was stored', async () => {
    const client = await connect()
    const reply = await client.sendMessage(POSTMASTER, `Subject: a\r\n\r\n${'b'.repeat(LIMITS.bytesPerPeerPerMinute)}`)
    expect(reply).toMatch(/^250 /)
    expect(await client.ended()).toBe('421 4.7.0 Too much data a minute from your address, please slow down\r\n')
  })
})

describe('a connection that takes its time', () => {
  it('ends when a command is not there in time, however often a byte of it comes', async () => {
    const client = await greeted()
    client.write('NO')
    clock.advance(LIMITS.commandMsMax - 1)
    client.write('O')
    clock.advance(2)
    expect(await client.ended()).toBe('421 4.4.2 Too slow, closing the connection\r\n')
  })

  it('ends when a message is not there in time, and has longer for that', async () => {
    const client = await connect()
    await client.startMessage(POSTMASTER)
    clock.advance(LIMITS.commandMsMax + 1)
    client.write('Subject: slow\r\n')
    clock.advance(LIMITS.messageMsMax - LIMITS.commandMsMax)
    expect(await client.ended()).toBe('421 4.4.2 Too slow, closing the connection\r\n')
  })

  it('ends after a while even if it always says something', async () => {
    const client = await greeted()
    for (let ms = 0; ms < LIMITS.sessionMsMax; ms += LIMITS.commandMsMax) {
      expect(await client.say('NOOP')).toBe('250 2.0.0 OK')
      clock.advance(LIMITS.commandMsMax)
    }
    clock.advance(1)
    expect(await client.ended()).toMatch(/^421 4\.4\.2 /)
  })
})

describe('all connections', () => {
  it('are as many as there is room for, and idle ones make room for others', async () => {
    const idle = await greeted(10)
    for (let peer = 11; peer < 10 + LIMITS.connectionsMax; peer += 1) await greeted(peer)
    expect(await (await connect(90)).ended()).toBe('421 4.3.2 Too many connections, please try again in a moment\r\n')

    clock.advance(LIMITS.idleMsWhenFull)
    for (const client of open.slice(1, LIMITS.connectionsMax)) await client.say('NOOP')
    await greeted(91)
    expect(await idle.ended()).toBe('421 4.3.2 Too many connections, please try again in a moment\r\n')
    expect(service.service.inbound?.connectionCount()).toBe(LIMITS.connectionsMax)
  })

  it('are answered or turned away when a thousand peers come at once, and those who have come before go on', async () => {
    const before = await greeted(200)
    const comers = await Promise.all(
      Array.from({ length: 1_000 }, async (_one, index) => {
        const client = await service.connect({ localAddress: `127.0.${1 + (index >> 8)}.${index & 0xff}` })
        open.push(client)
        return client.reply()
      }),
    )
    const counts = Object.groupBy(comers, (reply) => reply.slice(0, 3))
    expect([counts['220']?.length, counts['421']?.length]).toEqual([LIMITS.connectionsMax - 1, 1_001 - LIMITS.connectionsMax])
    expect(await before.sendMessage(POSTMASTER, 'Subject: a\r\n\r\n')).toMatch(/^250 /)
  })
})
