import { describe, expect, it } from 'vitest'
import { closeAfterEach, connection, send, start } from '../../../support/servers/relay-connection.ts'

closeAfterEach()

const ANY_CERTIFICATE = '?tls.rejectUnauthorized=false'

describe('mail that requires TLS', () => {
  it.each(['starttls', 'implicit'] as const)('goes to a relay with TLS (%s)', async (tls) => {
    await start({ tls }, {}, ANY_CERTIFICATE)
    expect(await send('to@example.com', { requiresTls: true })).toMatchObject({ kind: 'delivered', tls: 'TLSv1.3' })
    expect(connection.sink.messages.map(({ isTls }) => isTls)).toEqual([true])
  })

  it('waits while the relay has none, and not even its sender is said', async () => {
    const senders: string[] = []
    await start({ tls: 'none', onMail: (from) => void senders.push(from) })
    expect(await send('to@example.com', { requiresTls: true, from: 'secret@example.com' })).toEqual({
      kind: 'delayed',
      code: null,
      enhancedCode: '4.7.4',
      text: 'TLS is required by the domain of the sender, but 127.0.0.1 offers none',
      host: '127.0.0.1',
      tls: null,
      stage: 'greeting',
      durationMs: expect.any(Number),
      unknown: false,
    })
    expect(senders).toEqual([])
  })

  it('waits while the handshake with the relay fails', async () => {
    await start({ tls: 'starttls' })
    expect(await send('to@example.com', { requiresTls: true })).toMatchObject({ kind: 'delayed', tls: null, stage: 'greeting' })
    expect(connection.sink.messages).toEqual([])
  })

  it('leaves a connection without TLS to other mail, before and after it', async () => {
    await start({ tls: 'none' })
    const kinds = []
    for (const requiresTls of [false, true, false]) kinds.push((await send('to@example.com', { requiresTls })).kind)
    expect(kinds).toEqual(['delivered', 'delayed', 'delivered'])
    expect([connection.sink.messages.length, connection.sink.connectionCount()]).toEqual([2, 1])
  })
})
