import { afterEach, expect, it } from 'vitest'
import { greetMailServer } from '../../../src/modules/deliverability/probes.client.ts'
import { type Script, type ScriptedServer, startScriptedServer } from '../../support/servers/smtp-sink.ts'

let server: ScriptedServer
afterEach(() => server.close())

const MAIL_SERVER = { host: 'mx.example.test', address: '127.0.0.1' }
const commands: string[] = []

/** With a server that answers, on a busy machine. */
const PATIENCE_MS = 30_000
const timeoutsOf = (ms: number) => ({ connectMs: PATIENCE_MS, replyMs: ms, finalReplyMs: ms, transactionMs: ms })

async function greet(script: Partial<Script>, options: { port?: number; allowPrivateNetworks?: boolean } = {}) {
  commands.length = 0
  server = await startScriptedServer({
    greeting: '220 mx.example.test',
    reply(command) {
      commands.push(command)
      return null
    },
    ...script,
  })
  return greetMailServer(MAIL_SERVER, {
    helloName: 'mail.example.com',
    guard: { allowPrivateNetworks: options.allowPrivateNetworks ?? true },
    port: options.port ?? server.port,
    timeouts: timeoutsOf(script.greeting === null ? 500 : PATIENCE_MS),
  })
}

it('greets a mail server and quits, without a word of mail', async () => {
  expect(await greet({})).toEqual({ ...MAIL_SERVER, kind: 'ready', tls: null })
  await expect.poll(() => commands).toEqual(['EHLO', 'QUIT'])
})

it.each<[string, Partial<Script>, object]>([
  ['refuses', { greeting: '554 5.7.1 Your address is blocked' }, { kind: 'refused', code: 554, text: 'Your address is blocked' }],
  ['is busy', { greeting: '421 later' }, { kind: 'refused', code: 421, text: 'later' }],
  ['is silent', { greeting: null }, { kind: 'refused', code: null, text: expect.stringMatching(/^(?:Timeout|Greeting never received)$/) }],
  [
    'speaks something else',
    { greeting: 'SSH-2.0-OpenSSH' },
    { kind: 'refused', code: null, text: expect.stringContaining('SSH-2.0-OpenSSH') },
  ],
])('tells that a mail server %s', async (_, script, expected) => {
  expect(await greet(script)).toEqual({ ...MAIL_SERVER, ...expected })
})

it('tells that nothing listens', async () => {
  await greet({})
  await server.close()
  expect(await greetClosed(server.port)).toEqual({
    ...MAIL_SERVER,
    kind: 'unreached',
    text: `No connection to mx.example.test (127.0.0.1) port ${server.port}: ECONNREFUSED`,
  })
})

const greetClosed = (port: number) =>
  greetMailServer(MAIL_SERVER, {
    helloName: 'mail.example.com',
    guard: { allowPrivateNetworks: true },
    port,
    timeouts: timeoutsOf(PATIENCE_MS),
  })

it('connects to public addresses only', async () => {
  expect(await greet({}, { allowPrivateNetworks: false })).toEqual({
    ...MAIL_SERVER,
    kind: 'unreached',
    text: 'mx.example.test is not at a public address',
  })
  expect(commands).toEqual([])
})
