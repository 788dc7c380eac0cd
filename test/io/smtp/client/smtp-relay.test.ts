import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createSmtpRelay } from '../../../../src/io/smtp/client/relay.ts'
import { closeAfterEach, connection, MESSAGE, send, start } from '../../../support/servers/relay-connection.ts'
import { type SinkFault, type SmtpSinkOptions, startScriptedServer } from '../../../support/servers/smtp-sink.ts'

closeAfterEach()

describe('delivering', () => {
  it('hands one message to one recipient and tells the reply', async () => {
    await start()
    expect(await send()).toEqual({
      kind: 'delivered',
      code: 250,
      enhancedCode: null,
      text: expect.stringContaining('OK'),
      host: '127.0.0.1',
      tls: null,
      stage: 'end',
      durationMs: expect.any(Number),
      unknown: false,
    })
    expect(connection.sink.messages).toEqual([
      {
        from: 'from@example.com',
        to: ['to@example.com'],
        raw: MESSAGE.toString(),
        isTls: false,
        user: null,
        sessionId: expect.any(String),
      },
    ])
  })

  it('sends a stream as it sends a buffer', async () => {
    await start()
    expect(await send('to@example.com', { message: Readable.from([MESSAGE.subarray(0, 20), MESSAGE.subarray(20)]) })).toMatchObject({
      kind: 'delivered',
    })
    expect(connection.sink.messages[0]?.raw).toBe(MESSAGE.toString())
  })

  it('sends a large stream whole', async () => {
    await start()
    const line = `${'x'.repeat(98)}\r\n`
    const message = Readable.from(Array.from({ length: 500 }, () => Buffer.from(line.repeat(100))))
    expect(await send('to@example.com', { message })).toMatchObject({ kind: 'delivered' })
    expect(connection.sink.messages[0]?.raw.length).toBe(5_000_000)
  })

  it('sends from the null sender', async () => {
    await start()
    expect(await send('to@example.com', { from: '' })).toMatchObject({ kind: 'delivered' })
    expect(connection.sink.messages[0]?.from).toBe('')
  })

  it('sends without PIPELINING too', async () => {
    await start({ server: { hidePIPELINING: true } })
    expect(await send()).toMatchObject({ kind: 'delivered' })
  })

  it('uses one connection again and again, and leaves it after its share of messages', async () => {
    await start({}, { messagesPerConnectionMax: 3 })
    for (let index = 0; index < 7; index++) await send(`to${index}@example.com`)
    expect(connection.sink.messages.map(({ to }) => to[0])).toEqual(Array.from({ length: 7 }, (_, index) => `to${index}@example.com`))
    expect(connection.sink.connectionCount()).toBe(3)
  })

  it('opens as many connections as it may, and no more', async () => {
    await start({ replyDelayMs: 20 }, { connectionsMax: 4 })
    const outcomes = await Promise.all(Array.from({ length: 40 }, (_, index) => send(`to${index}@example.com`)))
    expect(outcomes.every(({ kind }) => kind === 'delivered')).toBe(true)
    expect(new Set(connection.sink.messages.map(({ to }) => to[0])).size).toBe(40)
    expect(connection.sink.connectionCount()).toBe(4)
  })

  it('goes over a new connection when the server had closed the idle one', async () => {
    await start()
    await send()
    connection.sink.dropConnections()
    expect(await send()).toMatchObject({ kind: 'delivered' })
    expect(connection.sink.messages).toHaveLength(2)
  })

  it('delivers all over a server that closes after each message, also when every connection that comes free is a closed one', async () => {
    const server = await startScriptedServer({
      greeting: '220 sink',
      reply: (command) => (command === '.' ? { line: '250 taken', isLast: true } : null),
    })
    await start()
    const closing = createSmtpRelay({ url: `smtp://127.0.0.1:${server.port}`, helloName: 'mail.example.com', connectionsMax: 4 })
    const transaction = { envelope: { from: 'from@example.com', to: 'to@example.com' }, message: MESSAGE, mayContinue: () => true }
    const outcomes = await Promise.all(Array.from({ length: 60 }, () => closing.send(transaction)))
    await closing.close(0)
    await server.close()
    expect(outcomes.filter(({ kind }) => kind !== 'delivered')).toEqual([])
  })
})

describe('refusals', () => {
  const refusals: [string, SmtpSinkOptions, object][] = [
    [
      '450 at RCPT',
      { onRecipient: () => ({ code: 450, text: '4.2.1 Mailbox busy' }) },
      { kind: 'delayed', code: 450, enhancedCode: '4.2.1', text: 'Mailbox busy', stage: 'rcpt' },
    ],
    [
      '550 at RCPT',
      { onRecipient: () => ({ code: 550, text: '5.1.1 Nobody here' }) },
      { kind: 'bounced', code: 550, enhancedCode: '5.1.1', text: 'Nobody here', stage: 'rcpt' },
    ],
    ['421 at RCPT', { onRecipient: () => ({ code: 421, text: 'Closing' }) }, { kind: 'delayed', code: 421, stage: 'rcpt' }],
    [
      '550 at MAIL',
      { onMail: () => ({ code: 550, text: '5.7.1 Not from you' }) },
      { kind: 'bounced', code: 550, enhancedCode: '5.7.1', text: 'Not from you', stage: 'mail' },
    ],
    ['450 at MAIL', { onMail: () => ({ code: 450 }) }, { kind: 'delayed', code: 450, stage: 'mail' }],
    ['530 at MAIL', { onMail: () => ({ code: 530, text: 'Log in first' }) }, { kind: 'delayed', code: 530, stage: 'mail' }],
    [
      '554 after the message',
      { onMessage: () => ({ code: 554, text: '5.7.1 Spam' }) },
      { kind: 'bounced', code: 554, enhancedCode: '5.7.1', text: 'Spam', stage: 'end', unknown: false },
    ],
    ['451 after the message', { onMessage: () => ({ code: 451 }) }, { kind: 'delayed', code: 451, stage: 'end', unknown: false }],
    ['421 after the message', { onMessage: () => ({ code: 421 }) }, { kind: 'delayed', code: 421, stage: 'end', unknown: false }],
    [
      '421 as greeting',
      { onConnect: () => ({ code: 421, text: 'Too many of you' }) },
      { kind: 'delayed', code: 421, text: 'Too many of you', stage: 'greeting' },
    ],
    ['554 as greeting', { onConnect: () => ({ code: 554 }) }, { kind: 'delayed', code: 554, stage: 'greeting' }],
    ['a connection that ends without greeting', { onConnect: () => 'drop' }, { kind: 'delayed', code: null, stage: 'greeting' }],
    ['a connection that ends at MAIL', { onMail: () => 'drop' }, { kind: 'delayed', code: null, stage: 'mail', unknown: false }],
    ['a connection that ends in the body', { dropInBody: true }, { kind: 'delayed', code: null, stage: 'data', unknown: false }],
    [
      'a connection that ends after the final dot',
      { onMessage: () => 'drop' },
      { kind: 'delayed', code: null, stage: 'end', unknown: true },
    ],
    ['a message above the size that the server announces', { server: { size: 10 } }, { kind: 'bounced', code: null, stage: 'mail' }],
  ]

  for (const [name, sinkOptions, expected] of refusals) {
    it.each([
      ['with', {}],
      ['without', { hidePIPELINING: true }],
    ])(`answers ${name} as ${Object.values(expected)[0]} (%s PIPELINING)`, async (_, server) => {
      await start({ ...sinkOptions, server: { ...sinkOptions.server, ...server } })
      const message = sinkOptions.dropInBody ? endlessMessage() : MESSAGE
      expect(await send('to@example.com', { message })).toMatchObject(expected)
      expect(connection.sink.messages).toEqual([])
    })
  }

  it.each([
    ['RCPT', (fault: SinkFault): SmtpSinkOptions => ({ onRecipient: (to) => (to.startsWith('bad') ? fault : undefined) })],
    ['the message', (fault: SinkFault): SmtpSinkOptions => ({ onMessage: ({ to }) => (to[0]?.startsWith('bad') ? fault : undefined) })],
  ])('keeps the connection for the next message after a refusal of %s', async (_, misbehave) => {
    await start(misbehave({ code: 550 }))
    expect([await send('bad@example.com'), await send(), await send('bad@example.com'), await send()].map(({ kind }) => kind)).toEqual([
      'bounced',
      'delivered',
      'bounced',
      'delivered',
    ])
    expect(connection.sink.connectionCount()).toBe(1)
  })

  it('leaves the connection after 421', async () => {
    await start({ onRecipient: (to) => (to.startsWith('bad') ? { code: 421 } : undefined) })
    expect([await send(), await send('bad@example.com'), await send()].map(({ kind }) => kind)).toEqual([
      'delivered',
      'delayed',
      'delivered',
    ])
    expect(connection.sink.connectionCount()).toBe(2)
  })

  it('bounces an address outside ASCII when the server does not support SMTPUTF8', async () => {
    await start({ server: { hideSMTPUTF8: true } })
    expect(await send('jörg@example.com')).toMatchObject({
      kind: 'bounced',
      code: null,
      stage: 'mail',
      text: expect.stringContaining('SMTPUTF8'),
    })
    expect(await send()).toMatchObject({ kind: 'delivered' })
  })

  it('sends to an address outside ASCII when the server supports SMTPUTF8', async () => {
    await start({ server: { hideSMTPUTF8: false } })
    expect(await send('jörg@example.com')).toMatchObject({ kind: 'delivered' })
    expect(connection.sink.messages[0]?.to).toEqual(['jörg@example.com'])
  })

  it.each(['a@example.com>\r\nRCPT TO:<b@example.com', 'a@example.com> SIZE=1', ''])('sends nothing to %j', async (to) => {
    await start()
    expect(await send(to)).toMatchObject({ kind: 'bounced', code: null, stage: 'mail' })
    expect(connection.sink.messages).toEqual([])
  })

  it('delays a message that cannot be read, and breaks the transaction off', async () => {
    await start()
    const message = new Readable({
      read() {
        this.push('Subject: half\r\n\r\n')
        this.destroy(new Error('the disk is gone'))
      },
    })
    expect(await send('to@example.com', { message })).toMatchObject({
      kind: 'delayed',
      stage: 'data',
      text: expect.stringContaining('the disk is gone'),
    })
    expect(await send()).toMatchObject({ kind: 'delivered' })
    expect(connection.sink.messages).toHaveLength(1)
  })

  it('destroys a message stream that it did not need', async () => {
    await start({ onRecipient: () => ({ code: 550 }) })
    const message = Readable.from([MESSAGE])
    await send('to@example.com', { message })
    expect(message.destroyed).toBe(true)
  })
})

describe('the right to go on', () => {
  it.each([
    ['before MAIL FROM', 0, MESSAGE, 'mail'],
    ['before the body', 1, MESSAGE, 'data'],
    ['before the final dot', 2, MESSAGE, 'data'],
  ])('is asked for %s; without it nothing is delivered', async (_, allowed, message) => {
    await start()
    let asked = 0
    expect(await send('to@example.com', { message, mayContinue: () => asked++ < allowed })).toMatchObject({
      kind: 'abandoned',
      code: null,
      unknown: false,
    })
    expect(asked).toBe(allowed + 1)
    await expect.poll(() => connection.sink.openConnectionCount()).toBe(0)
    expect(connection.sink.messages).toEqual([])
  })

  it('is asked for streams in the same places', async () => {
    for (const allowed of [0, 1, 2]) {
      await start()
      let asked = 0
      const message = Readable.from([MESSAGE])
      expect(await send('to@example.com', { message, mayContinue: () => asked++ < allowed })).toMatchObject({ kind: 'abandoned' })
      await expect.poll(() => connection.sink.openConnectionCount()).toBe(0)
      expect([asked, connection.sink.messages]).toEqual([allowed + 1, []])
      await connection.relay.close(0)
      await connection.sink.close()
    }
    await start()
  })
})

describe('TLS and login', () => {
  it('uses STARTTLS when it is offered', async () => {
    await start({ tls: 'starttls' }, {}, '?tls.rejectUnauthorized=false')
    expect(await send()).toMatchObject({ kind: 'delivered', tls: 'TLSv1.3' })
    expect(connection.sink.messages[0]?.isTls).toBe(true)
  })

  it('speaks TLS from the first byte with smtps', async () => {
    await start({ tls: 'implicit' }, {}, '?tls.rejectUnauthorized=false')
    expect(await send()).toMatchObject({ kind: 'delivered', tls: 'TLSv1.3' })
  })

  it.each(['starttls', 'implicit'] as const)('delays when the certificate is not valid (%s)', async (tls) => {
    await start({ tls })
    expect(await send()).toMatchObject({ kind: 'delayed', stage: 'greeting', text: expect.stringContaining('certificate') })
    expect(connection.sink.messages).toEqual([])
  })

  it('delays when TLS is demanded and not offered', async () => {
    await start({}, {}, '?requireTLS=true')
    expect(await send()).toMatchObject({ kind: 'delayed', stage: 'greeting' })
  })

  it('logs in with the user and password of the URL', async () => {
    await start({ credentials: { user: 'me@example.com', password: 'p@ss:word' } })
    connection.relay = createSmtpRelay({
      url: `smtp://me%40example.com:p%40ss%3Aword@127.0.0.1:${connection.sink.port}`,
      helloName: 'mail.example.com',
    })
    expect(await send()).toMatchObject({ kind: 'delivered' })
    expect(connection.sink.messages[0]?.user).toBe('me@example.com')
  })

  it('delays, and does not bounce, when the login is refused: the recipient is not at fault', async () => {
    await start({ credentials: { user: 'me', password: 'right' } })
    connection.relay = createSmtpRelay({ url: `smtp://me:wrong@127.0.0.1:${connection.sink.port}`, helloName: 'mail.example.com' })
    expect(await send()).toMatchObject({ kind: 'delayed', code: 535, stage: 'auth' })
  })
})

function endlessMessage(): Readable {
  return new Readable({
    read() {
      this.push('x'.repeat(70).concat('\r\n'))
    },
  })
}
