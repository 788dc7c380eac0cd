// A server between us and the relay that hides STARTTLS, so that the password would pass it without TLS.
import type { LookupFunction } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSmtpRelay, type SmtpRelay, type SmtpRelayOptions } from '../../../../src/io/smtp/client/relay.ts'
import {
  type ScriptedReply,
  type ScriptedServer,
  type SmtpSink,
  startScriptedServer,
  startSmtpSink,
} from '../../../support/servers/smtp-sink.ts'

const LOGIN = 'anna:hunter2-and-more'

let commands: string[]
let server: ScriptedServer
let relay: SmtpRelay | undefined
let sink: SmtpSink | undefined
beforeEach(() => {
  commands = []
})
afterEach(async () => {
  await relay?.close(0)
  await server.close()
  await sink?.close()
})

async function startStripped(replies: Record<string, string> = {}): Promise<void> {
  const reply = (command: string): ScriptedReply => {
    commands.push(command)
    const line = replies[command]
    return line === undefined ? null : { line }
  }
  server = await startScriptedServer({
    greeting: '220 relay',
    extensions: ['AUTH PLAIN LOGIN'],
    reply: (command) =>
      reply(command) ??
      (command === 'STARTTLS' ? { line: '502 5.5.1 What is that?' } : command === 'AUTH' ? { line: '235 welcome' } : null),
  })
}

/** Every name leads to this machine without being one of its own. */
const lookup: LookupFunction = (_name, options, callback) =>
  options.all === true ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4)

const connect = (url: string, port = server.port, more: Partial<SmtpRelayOptions> = {}): SmtpRelay => {
  relay = createSmtpRelay({ url: url.replace('PORT', String(port)), helloName: 'mail.example.com', lookup, ...more })
  return relay
}

const send = (to: SmtpRelay) =>
  to.send({
    envelope: { from: 'from@example.com', to: 'to@example.com' },
    message: Buffer.from('Subject: Hello\r\n\r\n'),
    mayContinue: () => true,
  })

describe('a relay that offers no STARTTLS', () => {
  it.each([
    ['refuses STARTTLS', {}, '4.7.4', '502|What is that?', ['EHLO', 'STARTTLS']],
    ['says nothing of TLS in a refused EHLO', { EHLO: '502 5.5.1 HELO only' }, null, 'HELO only', ['EHLO']],
  ])('gets neither password nor mail when it %s', async (_what, replies, enhancedCode, words, expected) => {
    await startStripped(replies)

    const outcome = await send(connect(`smtp://${LOGIN}@relay.example:PORT`))

    expect(outcome).toMatchObject({ kind: 'delayed', stage: 'greeting', tls: null, ...(enhancedCode && { enhancedCode }) })
    expect(outcome.text).toMatch(new RegExp(words))
    expect(commands.filter((command) => command !== 'QUIT')).toEqual(expected)
  })

  it('is named with the reason in the outcome', async () => {
    await startStripped()
    expect((await send(connect(`smtp://${LOGIN}@relay.example:PORT`))).text).toBe(
      'SMTP_RELAY_URL needs TLS for its password, and relay.example gives none: What is that?',
    )
  })

  it.each([
    ['the URL says that it may', `smtp://${LOGIN}@relay.example:PORT?requireTLS=false`],
    ['it is this machine, by address', `smtp://${LOGIN}@127.0.0.1:PORT`],
    ['it is this machine, by name', `smtp://${LOGIN}@localhost:PORT`],
  ])('gets the password in the clear when %s', async (_what, url) => {
    await startStripped()
    expect(await send(connect(url))).toMatchObject({ kind: 'delivered', tls: null })
    expect(commands).toEqual(['EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA', '.'])
  })

  it('gets mail without a password in the clear, unless the URL forbids it', async () => {
    await startStripped()
    expect(await send(connect('smtp://relay.example:PORT'))).toMatchObject({ kind: 'delivered', tls: null })
    await relay?.close(0)
    expect(await send(connect('smtp://relay.example:PORT?requireTLS=true'))).toMatchObject({ kind: 'delayed', enhancedCode: '4.7.4' })
  })
})

it('logs in over STARTTLS where it is offered', async () => {
  await startStripped()
  sink = await startSmtpSink({ tls: 'starttls', credentials: { user: 'anna', password: 'hunter2-and-more' } })
  const outcome = await send(connect(`smtp://${LOGIN}@relay.example:PORT?tls.rejectUnauthorized=false`, sink.port))
  expect(outcome).toMatchObject({ kind: 'delivered', tls: 'TLSv1.3' })
  expect(sink.messages).toMatchObject([{ isTls: true, user: 'anna' }])
})

it('keeps user and password out of what a server says of them', async () => {
  await startStripped({ AUTH: '535 5.7.8 No anna with hunter2-and-more' })
  expect(await send(connect(`smtp://${LOGIN}@127.0.0.1:PORT`))).toMatchObject({
    kind: 'delayed',
    stage: 'auth',
    text: 'No [not shown] with [not shown]',
  })
})

it('keeps them out as AUTH sends them, too', async () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const sent = [base64('\0anna\0hunter2-and-more'), base64('hunter2-and-more'), base64('anna')]
  await startStripped({ AUTH: `535 5.7.8 Not ${sent.join(' ')}` })
  const { text } = await send(connect(`smtp://${LOGIN}@127.0.0.1:PORT`))
  expect(text).toMatch(/^Not (\[not shown\]=* ?){3}$/)
})

describe('the look at the relay', () => {
  it('tells of one that answers, and leaves it', async () => {
    await startStripped()
    sink = await startSmtpSink({ tls: 'starttls', credentials: { user: 'anna', password: 'hunter2-and-more' } })
    const answer = await connect(`smtp://${LOGIN}@relay.example:PORT?tls.rejectUnauthorized=false`, sink.port).check()
    expect(answer).toEqual({ isUsable: true, tls: 'TLSv1.3' })
    await expect.poll(() => sink?.openConnectionCount()).toBe(0)
    expect(sink.messages).toEqual([])
  })

  it('tells of a login that is refused, and not which', async () => {
    await startStripped({ AUTH: '535 5.7.8 No anna with hunter2-and-more' })
    expect(await connect(`smtp://${LOGIN}@127.0.0.1:PORT`).check()).toEqual({
      isUsable: false,
      isReached: true,
      reason: 'No [not shown] with [not shown]',
    })
  })

  it('reports one where no server listens', async () => {
    await startStripped()
    await server.close()
    expect(await connect('smtp://127.0.0.1:PORT').check()).toEqual({
      isUsable: false,
      isReached: false,
      reason: `No connection to 127.0.0.1 port ${server.port}: ECONNREFUSED`,
    })
  })

  it('ends in time when it says nothing, or too little', async () => {
    server = await startScriptedServer({ greeting: null, reply: () => null })
    expect(await connect('smtp://127.0.0.1:PORT').check(50)).toEqual({
      isUsable: false,
      isReached: false,
      reason: 'it was not ready within 0.05 seconds',
    })
  })
})
