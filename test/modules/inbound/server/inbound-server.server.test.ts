import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { INBOUND_LIMITS } from '../../../../src/io/smtp/server/peers.ts'
import { createVerifiedDomain } from '../../../support/builders/domains.ts'
import { emailInput } from '../../../support/builders/emails.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { type InboundService, MAIL_HOSTNAME, startInboundService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'

const CONTENT = 'Subject: Undelivered\r\n\r\n..A line with dots\r\nand one more\r\n'
/** A line that begins with a dot is sent with another one. */
const SENT_CONTENT = CONTENT.replaceAll(/^\./gm, '..').trimEnd()
const STORED = /^250 2\.6\.0 Stored as [0-9a-f-]{36}$/
const NO_ROOM = '452 4.3.1 This server has no room for messages at the moment, please try again later'
const NOT_OURS = '550 5.7.1 This server takes no mail for this address'

const DISK_LOOKED_AT_EVERY_MS = 2_000

let freeBytes = Number.POSITIVE_INFINITY
const clock = createMovingClock()
const service = shared(() => startInboundService({ clock, freeBytesOf: async () => freeBytes }))
beforeAll(async () => {
  await createVerifiedDomain(service, 'example.com', {})
})

afterEach(() => service.forget())

/** Greets and names a sender. */
async function begin(): Promise<Awaited<ReturnType<InboundService['connect']>>> {
  const client = await service.connect()
  expect(await client.reply()).toBe(`220 ${MAIL_HOSTNAME} ESMTP`)
  await client.say('EHLO mx.example.net')
  expect(await client.say('MAIL FROM:<>')).toBe('250 2.1.0 Accepted')
  return client
}

describe('the SMTP server', () => {
  it('says what it can do', async () => {
    const client = await service.connect()
    await client.reply()
    expect((await client.say('EHLO mx.example.net')).split('\r\n')).toEqual([
      `250-${MAIL_HOSTNAME} greets [127.0.0.1]`,
      '250-PIPELINING',
      '250-8BITMIME',
      '250-SMTPUTF8',
      '250-ENHANCEDSTATUSCODES',
      '250-STARTTLS',
      '250 SIZE 41943040',
    ])
  })

  it('has stored a message byte by byte, with the recipients it is about, when it says 250', async () => {
    const { address, recipientId } = await service.newReturnPath()
    const client = await service.connect()

    expect(await client.sendMessage(address, SENT_CONTENT, 'mailer-daemon@example.net')).toMatch(STORED)

    expect(await service.stored()).toEqual([
      {
        id: expect.any(String),
        team_id: service.teamId,
        recipient_id: recipientId,
        purpose: 'return_path',
        mail_from: 'mailer-daemon@example.net',
        rcpt_to: address,
        blob_key: expect.any(String),
        bytes: CONTENT.length,
        content: CONTENT,
        peer: '127.0.0.1',
        helo: 'mx.example.net',
        tls: null,
        received_at: expect.any(Date),
        state: 'waiting',
        taken_at: null,
        tries: 0,
        postponed: 0,
        verdict: null,
        detail: null,
      },
    ])
  })

  it.each([
    ['in capitals', (address: string) => address.toUpperCase()],
    ['at a host whose domain was deleted', (address: string) => address.replace('example.com', 'gone.example')],
  ])('takes mail for a return path %s', async (_how, changed) => {
    const { address, recipientId } = await service.newReturnPath()
    expect(await (await service.connect()).sendMessage(changed(address), CONTENT)).toMatch(STORED)
    expect(await service.stored()).toMatchObject([{ purpose: 'return_path', recipient_id: recipientId }])
  })

  it.each([
    ['fbl@mail.example.com', 'feedback'],
    ['Postmaster@MAIL.example.com', 'postmaster'],
    ['postmaster', 'postmaster'],
    ['abuse@send.example.com', 'abuse'],
    ['fbl@send.example.com', 'feedback'],
  ])('takes mail for %s', async (address, purpose) => {
    expect(await (await service.connect()).sendMessage(address, CONTENT)).toMatch(STORED)
    expect(await service.stored()).toMatchObject([{ purpose, recipient_id: null, team_id: null, rcpt_to: address }])
  })

  it.each([
    ['someone@mail.example.com'],
    ['postmaster@example.com'],
    ['postmaster@send.example.net'],
    ['postmaster@com'],
    ['fbl@[127.0.0.1]'],
    [`${'0'.repeat(56)}@send.example.com`],
    ['fbl@xn--mnchen-3ya.example'],
    ['constructor@mail.example.com'],
    ['__proto__@mail.example.com'],
  ])('takes no mail for %s', async (address) => {
    expect(await (await begin()).say(`RCPT TO:<${address}>`)).toBe(NOT_OURS)
  })

  it('takes no mail for a token that was changed or cut short', async () => {
    const { address } = await service.newReturnPath()
    const client = await begin()
    for (const token of [address.replace(/.(?=@)/, (last) => (last === '0' ? '1' : '0')), address.slice(1)])
      expect(await client.say(`RCPT TO:<${token}>`)).toBe(NOT_OURS)
  })

  it('stores a message to several recipients once for each, with one copy of its content', async () => {
    const client = await begin()
    await client.say(`RCPT TO:<postmaster@${MAIL_HOSTNAME}>`)
    await client.say('RCPT TO:<nobody@example.com>')
    await client.say(`RCPT TO:<abuse@${MAIL_HOSTNAME}>`)
    await client.say('DATA')
    expect(await client.say(`${CONTENT}.`)).toMatch(STORED)

    const rows = await service.stored()
    expect(rows).toMatchObject([{ purpose: 'postmaster' }, { purpose: 'abuse' }])
    expect(rows[0]?.blob_key).toBe(rows[1]?.blob_key)
  })

  it('stores a message once for a return path that was named at many hosts', async () => {
    const { address, recipientId } = await service.newReturnPath()
    const client = await begin()
    for (const host of ['a', 'b', 'c']) await client.say(`RCPT TO:<${address.replace(/@.*/, `@${host}.example.com`)}>`)
    await client.say('DATA')
    expect(await client.say(`${CONTENT}.`)).toMatch(STORED)

    expect(await service.stored()).toMatchObject([{ purpose: 'return_path', recipient_id: recipientId }])
  })

  it('does not relay, and knows no login', async () => {
    const client = await begin()
    expect(await client.say('RCPT TO:<anna@example.net>')).toBe(NOT_OURS)
    expect(await client.say('AUTH PLAIN AGFubmEAaHVudGVyMg==')).toBe('500 5.5.2 Error: command not recognized')
  })

  it('refuses new messages while there is little room on the disk, and new emails still have some', async () => {
    const client = await service.connect()
    await client.reply()
    await client.say('EHLO mx.example.net')
    freeBytes = INBOUND_LIMITS.freeBytesMin - 1
    clock.advance(DISK_LOOKED_AT_EVERY_MS)
    expect(await client.say('MAIL FROM:<>')).toBe(NO_ROOM)
    expect((await service.call('POST', '/emails', { body: emailInput() })).status).toBe(200)
    freeBytes = Number.POSITIVE_INFINITY
    clock.advance(DISK_LOOKED_AT_EVERY_MS)
    expect(await client.say('MAIL FROM:<>')).toBe('250 2.1.0 Accepted')
  })

  it('refuses a message for which there is no room, also beside others, before the disk is looked at again', async () => {
    const [large, small] = [`${'a'.repeat(70)}\r\n`.repeat(1_000), `${'a'.repeat(70)}\r\n`.repeat(300)]
    freeBytes = INBOUND_LIMITS.freeBytesMin + 50_000
    clock.advance(DISK_LOOKED_AT_EVERY_MS)
    const client = await service.connect()
    const sendMessage = (content: string) => client.sendMessage(`postmaster@${MAIL_HOSTNAME}`, content)
    try {
      expect(await sendMessage(small)).toMatch(STORED)
      expect(await sendMessage(small)).toMatch(STORED)
      expect(await sendMessage(small)).toBe(NO_ROOM)
      expect(await service.stored()).toHaveLength(2)
      clock.advance(DISK_LOOKED_AT_EVERY_MS)
      expect(await sendMessage(large)).toBe(NO_ROOM)
      expect(await service.stored()).toHaveLength(2)
    } finally {
      freeBytes = Number.POSITIVE_INFINITY
      clock.advance(DISK_LOOKED_AT_EVERY_MS)
    }
    expect(await sendMessage(large)).toMatch(STORED)
  })

  it('does not say 250 when the row cannot be committed', async () => {
    const client = await service.connect()
    await client.startMessage(`postmaster@${MAIL_HOSTNAME}`)
    await service.database.execute('alter table inbound_messages add constraint nothing check (false) not valid')
    try {
      expect(await client.say(`${CONTENT}.`)).toBe('451 4.3.0 The message could not be stored, please try again later')
    } finally {
      await service.database.execute('alter table inbound_messages drop constraint nothing')
    }
  })
})
