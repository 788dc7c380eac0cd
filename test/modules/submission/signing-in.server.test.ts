import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createVerifiedDomain } from '../../support/builders/domains.ts'
import { openSmtpClient, type SmtpClient } from '../../support/clients/smtp-client.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { plain, startSubmissionService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

const clock = createMovingClock()
const service = shared(() =>
  startSubmissionService({
    clock,
    environment: { INBOUND_TRUST_PROXY: '127.0.1.0/24', RATE_LIMIT_PER_SECOND: '5', SENDER_POLICY: 'verified' },
    submissionLimits: { proxyHeaderMsMax: 60_000 },
  }),
)

beforeEach(() => clock.advance(61_000))

const base64 = (text: string) => Buffer.from(text).toString('base64')
const NOT_VALID = '535 5.7.8 This API key is not valid. It may have been deleted. Use it as the password, with any user name.'
const KEY_DELETED = '535 5.7.8 The API key was deleted, please use another one'
const MAIL = 'MAIL FROM:<app@example.org>'

const storedBlobs = async () => (await Array.fromAsync(service.service.context.gateways.blobs.keysBefore(new Date('2999-01-01')))).flat()

const others: SmtpClient[] = []
afterEach(() => {
  for (const client of others.splice(0)) client.close()
})

/** Someone from another machine, whom a proxy names. */
async function connectFromElsewhere(): Promise<SmtpClient> {
  const client = await openSmtpClient(service.port, { localAddress: '127.0.1.7' })
  others.push(client)
  client.write('PROXY TCP4 192.0.2.9 198.51.100.1 56324 587\r\n')
  await client.reply()
  return client
}

describe('a client that hands in mail', () => {
  it('signs in with AUTH PLAIN or AUTH LOGIN, under any user name', async () => {
    const client = await service.connect()
    expect(await client.say(`AUTH PLAIN ${plain(service.token)}`)).toBe('235 2.7.0 Authentication successful')
    expect(await client.say(MAIL)).toBe('250 2.1.0 Accepted')

    const later = await service.connect()
    expect(await later.say('AUTH PLAIN')).toMatch(/^334/)
    expect(await later.say(plain(service.sendingToken))).toMatch(/^235 /)

    const login = await service.connect()
    expect(await login.say('AUTH LOGIN')).toBe('334 VXNlcm5hbWU6')
    expect(await login.say(base64('apikey'))).toBe('334 UGFzc3dvcmQ6')
    expect(await login.say(base64(service.token))).toMatch(/^235 /)
  })

  it('has to, before MAIL', async () => {
    const client = await service.connect()
    expect(await client.say(MAIL)).toBe('530 5.7.0 Authentication required: use AUTH with an API key as the password')
    expect(await client.say('RCPT TO:<ada@example.com>')).toMatch(/^503 /)
    expect(await client.say('DATA')).toMatch(/^503 /)
  })

  it.each([
    ['a key that does not exist', () => `re_${'x'.repeat(30)}`],
    ['what is no key', () => 'password'],
    ['an access token', () => 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln'],
    ['nothing', () => ''],
  ])('does not with %s', async (_what, password) => {
    const client = await service.connect()
    expect(await client.say(`AUTH PLAIN ${plain(password())}`)).toBe(NOT_VALID)
    expect(await client.say(MAIL)).toMatch(/^530 /)
  })

  it('does not by another mechanism', async () => {
    const client = await service.connect()
    expect(await client.say('AUTH CRAM-MD5')).toMatch(/^504 /)
    expect(await client.say('AUTH XOAUTH2 eA==')).toMatch(/^504 /)
  })

  it('sends its password over TLS only, unless it is on this machine', async () => {
    const client = await connectFromElsewhere()
    expect(await client.say('EHLO client.example.net')).not.toContain('AUTH')
    expect(await client.say(`AUTH PLAIN ${plain(service.token)}`)).toBe('538 5.7.11 Passwords are taken over TLS only: send STARTTLS first')
    expect(await client.say(MAIL)).toMatch(/^530 /)
    await client.say('STARTTLS')
    await client.upgrade()
    expect(await client.say('EHLO client.example.net')).toContain('AUTH PLAIN LOGIN')
    expect(await client.say(`AUTH PLAIN ${plain(service.token)}`)).toMatch(/^235 /)
  })

  it('is forgotten when it begins TLS', async () => {
    const client = await service.signIn()
    await client.say('STARTTLS')
    await client.upgrade()
    await client.say('EHLO client.example.net')
    expect(await client.say(MAIL)).toMatch(/^530 /)
  })

  it('may submit nothing once its key is deleted, also on a connection that is open', async () => {
    const token = await service.createKey(service.teamId)
    const client = await service.signIn(token)
    const listed = await service.call('GET', '/api-keys')
    const { data } = listed.body as { data: { id: string }[] }
    await service.call('DELETE', `/api-keys/${data[0]?.id}`)
    expect(await client.say(MAIL)).toBe(KEY_DELETED)
  })

  it.each([
    ['a small', 10],
    ['a large', 200_000],
  ])('may not end %s message after its key was deleted', async (_size, length) => {
    const token = await service.createKey(service.teamId)
    const client = await service.signIn(token)
    await client.say(MAIL)
    await client.say('RCPT TO:<ada@example.com>')
    await client.say('DATA')
    client.write('From: a@example.org\r\nTo: ada@example.com\r\n\r\n')
    client.write(`${'x'.repeat(76)}\r\n`.repeat(length / 78))
    const { data } = (await service.call('GET', '/api-keys')).body as { data: { id: string }[] }
    await service.call('DELETE', `/api-keys/${data[0]?.id}`)
    clock.advance(1_001)
    expect(await client.say('.')).toBe(KEY_DELETED)
    expect(await storedBlobs()).toEqual([])
  })

  it('that fails too often is sent away, and its failures count together with those of the API', async () => {
    const localAddress = '127.0.3.1'
    for (let count = 0; count < 50; count += 1) await service.call('GET', '/emails', { token: 're_wrong' })
    clock.advance(0)
    const client = await service.connect()
    for (let count = 0; count < 10; count += 1) expect(await client.say(`AUTH PLAIN ${plain('re_wrong')}`)).toBe(NOT_VALID)
    expect(await client.say(`AUTH PLAIN ${plain('re_wrong')}`)).toBe(
      '421 4.7.0 More than 60 requests a minute without a valid API key came from your address. Please wait and try again.',
    )
    expect((await service.call('GET', '/emails', { token: 're_wrong' })).status).toBe(429)
    // Another address may, and a valid key may from everywhere.
    const other = await service.connect({ localAddress })
    expect(await other.say(`AUTH PLAIN ${plain('re_wrong')}`)).toBe(NOT_VALID)
    const valid = await service.connect()
    expect(await valid.say(`AUTH PLAIN ${plain(service.token)}`)).toMatch(/^235 /)
  })

  it('shares the requests a second of its team with the API', async () => {
    for (let count = 0; count < 4; count += 1) await service.call('GET', '/emails')
    const client = await service.signIn()
    expect(await client.say(MAIL)).toMatch(/^250 /)
    await client.say('RSET')
    expect(await client.say(MAIL)).toBe('450 4.7.1 Your team may make 5 requests a second. Please wait and try again.')
    expect((await service.call('GET', '/emails')).status).toBe(429)
    clock.advance(1_001)
    expect(await client.say(MAIL)).toMatch(/^250 /)
  })

  it('sends from the domains of its team, and of its key', async () => {
    await createVerifiedDomain(service, 'acme.example')
    await service.database.execute(`update domains set can_send = true where name = 'acme.example'`)
    const content = (from: string) => `From: ${from}\r\nTo: ada@example.com\r\n\r\nHello`
    expect(await service.handIn(content('a@acme.example'), { token: service.sendingToken })).toMatch(/^250 2\.0\.0 Ok: queued as /)
    expect(await service.handIn(content('a@elsewhere.example'))).toMatch(/^550 5\.7\.1 .*elsewhere\.example/)
  })
})

it('SUBMISSIONS_PORT speaks TLS from the first byte', async () => {
  const client = await openSmtpClient(service.tlsPort)
  others.push(client)
  await client.upgrade()
  expect(await client.reply()).toMatch(/^220 /)
  const hello = await client.say('EHLO client.example.net')
  expect(hello).toContain('AUTH PLAIN LOGIN')
  expect(hello).toContain('SIZE 41943040')
  expect(hello).not.toMatch(/STARTTLS|SMTPUTF8|BINARYMIME/)
  expect(await client.say(`AUTH PLAIN ${plain(service.token)}`)).toMatch(/^235 /)
})

it('counts the bytes of messages: one of any size gets through, and the next waits until it is paid for', async () => {
  const limited = await startSubmissionService({ clock, environment: { RATE_LIMIT_BYTES_PER_SECOND: '100' } })
  try {
    const client = await limited.connect()
    await client.say(`AUTH PLAIN ${plain(limited.token)}`)
    await client.say(MAIL)
    await client.say('RCPT TO:<ada@example.com>')
    await client.say('DATA')
    await client.say(`Subject: x\r\n\r\n${'x'.repeat(900)}\r\n.`)
    expect(await client.say(MAIL)).toBe('450 4.7.1 Your team may send 100 bytes a second. Please wait and try again.')
    client.close()
  } finally {
    await limited.close()
  }
})
