import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createReceivingDomain } from '../../../support/builders/domains.ts'
import type { SmtpClient } from '../../../support/clients/smtp-client.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { MAIL_HOSTNAME, startInboundService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'

const POSTMASTER = `postmaster@${MAIL_HOSTNAME}`
const MINUTE_MS = 60_000
const LIMITS = {
  connectionsMax: 8,
  connectionsPerPeerMax: 5,
  peersPerNetwork: 4,
  awaitingMax: 2,
  uselessMsWhenFull: 10_000,
  messageBytesPerSecondMinWhenFull: 10,
  commandsWithoutMessageMax: 40,
  messagesPerConnectionMax: 2,
  commandsPerPeerPerMinute: 60,
  errorsPerConnectionMax: 5,
  errorsPerPeerPerMinute: 8,
  bytesPerPeerPerMinute: 1_000,
  waitingMessagesMax: 16,
  roleMessagesPerPeerPerMinute: 3,
  messagesPerReturnPathPerMinute: 2,
  commandMsMax: 5 * MINUTE_MS,
  messageMsMax: 10 * MINUTE_MS,
  sessionMsMax: 30 * MINUTE_MS,
  checkEveryMs: 10,
  proxyHeaderMsMax: MINUTE_MS,
}

let open: SmtpClient[] = []
const clock = createMovingClock()
const service = shared(() => startInboundService({ clock, inboundLimits: LIMITS, environment: { INBOUND_TRUST_PROXY: '127.0.8.0/24' } }))

beforeEach(() => {
  open = []
  // What an earlier test did is more than a minute ago.
  clock.advance(MINUTE_MS + 1)
})
afterEach(async () => {
  vi.restoreAllMocks()
  for (const client of open) client.close()
  await until(() => expect(service.service.inbound?.connectionCount()).toBe(0))
  await service.forget()
})

const temporaryFiles = () => readdir(join(service.config.blobFolder, 'temporary'))

/** How many were refused so far, by reason. */
async function refusals(): Promise<Record<string, number>> {
  const { values } = await service.service.context.metrics.inboundRefusals.get()
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels.reason), value]))
}

/** Each last part of a loopback address is another peer, and each third part another network. */
async function connect(peer = 1, network = 0): Promise<SmtpClient> {
  const client = await service.connect({ localAddress: `127.0.${network}.${peer}` })
  open.push(client)
  return client
}

async function greeted(peer = 1, network = 0): Promise<SmtpClient> {
  const client = await connect(peer, network)
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

    expect(await client.say('MAIL FROM:<>')).toBe('421 4.7.0 This connection has sent enough messages, please open another one')
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

  it('guesses few recipients, however many it names at once and from however many addresses, and others are heard', async () => {
    await createReceivingDomain(service, service.teamId, 'one.example')
    const asked = vi.spyOn(service.service.context.repositories.receivingDomains, 'teamOfAcrossTeams')
    const guessesOf = (peer: number) => Array.from({ length: 500 }, (_one, index) => `RCPT TO:<info@guess${peer}-${index}.example>\r\n`)
    const answers: string[] = []
    for (let peer = 1; peer <= 10; peer += 1) {
      const client = await connect(peer, 3)
      const greeting = await client.reply()
      client.write(`EHLO mx.example.net\r\nMAIL FROM:<ada@example.org>\r\n${guessesOf(peer).join('')}`)
      answers.push(`${greeting}\r\n${await client.ended()}`)
    }
    expect(answers.map((answer) => answer.split('550 5.7.1').length - 1)).toEqual([5, 5, 5, 5, 5, 5, 2, 0, 0, 0])
    expect(answers[0]).toMatch(/421 4\.7\.0 Too many errors in this connection\r\n$/)
    expect(answers[9]).toBe('421 4.7.0 Too many errors from your network, please try again in a minute\r\n')
    // Strangers guess each name once, so remembering names that receive no mail would spare none of these questions.
    expect(asked.mock.calls.length).toBe(LIMITS.errorsPerPeerPerMinute * LIMITS.peersPerNetwork)
    expect(await (await connect(1, 4)).sendMessage('anyone@one.example', 'Subject: a\r\n\r\n')).toMatch(/^250 /)
  })

  it('is not locked out by errors that strangers make it cause, if it brings what came back', async () => {
    const { address } = await service.newReturnPath()
    expect(await (await connect()).sendMessage(address, 'Subject: a\r\n\r\n')).toMatch(/^250 /)
    for (let round = 0; round < 3; round += 1) {
      const client = await greeted()
      for (let count = 1; count < LIMITS.errorsPerConnectionMax; count += 1) await client.say('RCPT TO:<who@example.net>')
      client.close()
    }
    const client = await greeted()
    client.write('WHAT\r\n'.repeat(LIMITS.errorsPerConnectionMax))
    expect(await client.ended()).toContain('421 4.7.0 Too many errors in this connection\r\n')
    await greeted()
  })

  it('has a number of commands a minute', async () => {
    const [one, other] = [await greeted(), await greeted()]
    for (let count = 0; count < 30; count += 1) await one.say('NOOP')
    other.write('NOOP\r\n'.repeat(100))
    const replies = (await other.ended()).split('\r\n').filter((line) => line !== '')
    // The greetings count too.
    expect(30 + 2 + replies.length).toBe(LIMITS.commandsPerPeerPerMinute + 2)
    expect(replies.at(-1)).toBe('421 4.7.0 Too many commands a minute from your address, please slow down')
  })

  it('has a number of commands without a message in a connection', async () => {
    const client = await greeted()
    for (let count = 1; count < LIMITS.commandsWithoutMessageMax; count += 1) await client.say('NOOP')
    client.write('RSET\r\n')
    expect(await client.ended()).toBe(
      '250 2.0.0 Flushed\r\n421 4.7.0 Too many commands without a message, please connect when you have one\r\n',
    )
  })

  it('has a number of bytes a minute: a message that exceeds it midway leaves nothing on the disk, and is refused at its end', async () => {
    const client = await connect()
    expect(await client.sendMessage(POSTMASTER, 'Subject: a\r\n\r\n')).toMatch(/^250 /)
    await client.startMessage(POSTMASTER)
    client.write(`Subject: a\r\n\r\n${'b'.repeat(LIMITS.bytesPerPeerPerMinute / 2)}`)
    await until(async () => expect(await temporaryFiles()).toHaveLength(1))
    client.write('b'.repeat(LIMITS.bytesPerPeerPerMinute / 2))
    await until(async () => expect(await temporaryFiles()).toEqual([]))
    client.write('\r\n.\r\n')

    expect(await client.ended()).toBe(
      '452 4.7.0 This is more data a minute than your address or network may send, please try again in a minute\r\n' +
        '421 4.7.0 Too much data a minute from your address, please slow down\r\n',
    )
    expect(await service.stored()).toHaveLength(1)
  })
})

it('what waits to be read has a limit: a network that has brought much of it tries again later, and others are heard', async () => {
  for (let peer = 1; peer <= LIMITS.waitingMessagesMax / 2; peer += 1) {
    const client = await connect(peer)
    expect(await client.sendMessage(POSTMASTER, 'Subject: a\r\n\r\n')).toMatch(/^250 /)
    client.close()
  }
  const client = await greeted(99)
  await client.say('EHLO mx.example.net')
  expect(await client.say('MAIL FROM:<>')).toBe('452 4.3.1 Too many messages wait to be read at the moment, please try again later')

  const other = await connect(1, 9)
  expect(await other.sendMessage(POSTMASTER, 'Subject: a\r\n\r\n')).toMatch(/^250 /)
})

describe('the messages of a minute', () => {
  const TOO_MANY = '452 4.7.0 These are more messages a minute than your address or network may send, please try again in a minute'
  const MORE_THAN_COME_BACK = '452 4.7.0 These are more messages a minute than this return path accepts, please try again in a minute'

  async function named(address: string, peer = 1): Promise<string> {
    const client = await greeted(peer)
    await client.say('EHLO mx.example.net')
    await client.say('MAIL FROM:<>')
    const reply = await client.say(`RCPT TO:<${address}>`)
    client.close()
    return reply
  }

  it('are few to addresses that everyone knows, and that leaves a peer what it brings to return paths', async () => {
    const { address } = await service.newReturnPath()
    for (let count = 0; count < LIMITS.roleMessagesPerPeerPerMinute; count += 1) expect(await named(POSTMASTER)).toMatch(/^250 /)
    expect(await named(`abuse@${MAIL_HOSTNAME}`)).toBe(TOO_MANY)
    expect([await named(address, 1), await named(POSTMASTER, 2)]).toEqual(['250 2.1.5 Accepted', '250 2.1.5 Accepted'])
    clock.advance(MINUTE_MS + 1)
    expect(await named(POSTMASTER)).toMatch(/^250 /)
  })

  it('are few to one return path, from whatever address', async () => {
    const [one, other] = [await service.newReturnPath(), await service.newReturnPath()]
    expect([await named(one.address, 1), await named(one.address, 2)]).toEqual(['250 2.1.5 Accepted', '250 2.1.5 Accepted'])
    expect([await named(one.address, 3), await named(other.address, 3)]).toEqual([MORE_THAN_COME_BACK, '250 2.1.5 Accepted'])
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

  it('is counted as refused once, even if its peer does not close its side', async () => {
    const count = async () => (await refusals()).slow ?? 0
    const before = await count()
    const client = await greeted()
    client.socket.pause()
    clock.advance(LIMITS.commandMsMax + 1)
    await until(async () => expect(await count()).toBe(before + 1))

    const looks = vi.spyOn(clock, 'monotonicMs')
    await until(() => expect(looks.mock.calls.length).toBeGreaterThan(5))
    expect(service.service.inbound?.connectionCount()).toBe(1)
    expect(await count()).toBe(before + 1)
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
  const FULL = '421 4.3.2 Too many connections, please try again in a moment\r\n'

  it('are as many as there is room for, and one that has been of no use makes room, whatever it says', async () => {
    for (let peer = 10; peer < 10 + LIMITS.connectionsMax; peer += 1) await greeted(peer)
    const [useless, ...others] = open
    expect(await (await connect(90)).ended()).toBe(FULL)

    clock.advance(LIMITS.uselessMsWhenFull / 2)
    for (const client of others) {
      await client.say('EHLO mx.example.net')
      await client.say('MAIL FROM:<>')
      expect(await client.say(`RCPT TO:<${POSTMASTER}>`)).toMatch(/^250 /)
    }
    clock.advance(LIMITS.uselessMsWhenFull / 2)
    expect(await useless?.say('NOOP')).toMatch(/^250 /)
    await greeted(91)
    expect(await useless?.ended()).toBe(FULL)
    expect(await (await connect(92)).ended()).toBe(FULL)
    expect(service.service.inbound?.connectionCount()).toBe(LIMITS.connectionsMax)
  })

  it('make no room for a peer that is not welcome', async () => {
    for (let count = 0; count < LIMITS.connectionsPerPeerMax; count += 1) await greeted(20)
    for (let peer = 21; open.length < LIMITS.connectionsMax; peer += 1) await greeted(peer)
    clock.advance(LIMITS.uselessMsWhenFull)

    expect(await (await connect(20)).ended()).toMatch(/^421 4\.7\.0 /)
    for (const client of open.slice(0, LIMITS.connectionsMax)) expect(await client.say('NOOP')).toMatch(/^250 /)
  })

  it('make room by a message that hardly arrives, and not by one that does', async () => {
    for (let peer = 30; peer < 30 + LIMITS.connectionsMax; peer += 1) await (await connect(peer)).startMessage(POSTMASTER)
    const [slow, ...fast] = open
    slow?.write('Subject: ')
    for (const client of fast) client.write(`Subject: ${'a'.repeat(200)}\r\n`)
    await until(async () => expect(await temporaryFiles()).toHaveLength(LIMITS.connectionsMax))
    clock.advance(LIMITS.uselessMsWhenFull)

    await greeted(91)
    expect(await slow?.ended()).toBe(FULL)
    for (const client of fast) expect(await client.say('\r\n.')).toMatch(/^250 /)
    expect(await service.stored()).toHaveLength(LIMITS.connectionsMax - 1)
  })

  it('make room at once for another network by the least useful one of the network that has the most of them', async () => {
    for (let peer = 1; peer < LIMITS.connectionsMax; peer += 1) await greeted(peer, 5)
    const other = await greeted(1, 6)
    const [first, second, third] = open
    await second?.startMessage(POSTMASTER)
    for (const network of [7, 9]) await greeted(1, network)

    expect([await first?.ended(), await third?.ended()]).toEqual([FULL, FULL])
    for (const client of open.filter((one) => one !== first && one !== third && one !== second))
      expect(await client.say('NOOP')).toMatch(/^250 /)
    expect(await second?.say('Subject: a\r\n\r\n.')).toMatch(/^250 /)
    expect(await other.say('NOOP')).toMatch(/^250 /)
    expect(await (await connect(50, 5)).ended()).toBe(FULL)
  })

  it('make no room for someone of whom a proxy has not said who it is, and few wait to be named', async () => {
    for (let peer = 10; peer < 10 + LIMITS.connectionsMax; peer += 1) await greeted(peer)
    clock.advance(LIMITS.uselessMsWhenFull)
    const [useless, ...others] = open
    const nameless = [await connect(1, 8), await connect(1, 8)]
    expect(await (await connect(1, 8)).ended()).toBe(FULL)
    expect(await useless?.say('NOOP')).toMatch(/^250 /)

    nameless[0]?.write('PROXY TCP4 192.0.2.9 198.51.100.1 56324 25\r\n')
    expect(await nameless[0]?.reply()).toMatch(/^220 /)
    expect(await useless?.ended()).toBe(FULL)
    for (const client of others.slice(0, LIMITS.connectionsMax - 1)) expect(await client.say('NOOP')).toMatch(/^250 /)
  })

  it('are answered or turned away when a thousand peers come at once, and those who have come before go on', async () => {
    const before = await greeted(200)
    const comers = await Promise.all(
      Array.from({ length: 1_000 }, async (_one, index) => {
        const network = 11 + (index >> 8)
        const client = await connect(index & 0xff, network)
        return { network, code: (await client.reply()).slice(0, 3) }
      }),
    )
    const welcome = comers.filter(({ code }) => code === '220')
    expect(new Set(comers.map(({ code }) => code))).toEqual(new Set(['220', '421']))
    expect(new Set(welcome.map(({ network }) => network))).toEqual(new Set([11, 12, 13, 14]))
    expect(service.service.inbound?.connectionCount()).toBe(LIMITS.connectionsMax)
    expect(await before.sendMessage(POSTMASTER, 'Subject: a\r\n\r\n')).toMatch(/^250 /)
  })
})
