// Our relay and the server that it hands mail to, for one test at a time.
import type { Readable } from 'node:stream'
import { afterEach } from 'vitest'
import { createSmtpRelay, type SmtpRelay, type SmtpRelayOptions } from '../../../src/io/smtp/client/relay.ts'
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from './smtp-sink.ts'

export const MESSAGE = Buffer.from('Subject: Hello\r\n\r\nHello,\r\n.one dot at the start of a line\r\n')

type More = { message?: Buffer | Readable; from?: string; mayContinue?: () => boolean; requiresTls?: boolean }

/** Belongs to the running test, which starts both; they are closed after it. */
export const connection = {} as { sink: SmtpSink; relay: SmtpRelay }

export async function start(sinkOptions: SmtpSinkOptions = {}, relayOptions: Partial<SmtpRelayOptions> = {}, query = ''): Promise<void> {
  connection.sink = await startSmtpSink(sinkOptions)
  const scheme = sinkOptions.tls === 'implicit' ? 'smtps' : 'smtp'
  const url = `${scheme}://127.0.0.1:${connection.sink.port}${query}`
  connection.relay = createSmtpRelay({ url, helloName: 'mail.example.com', ...relayOptions })
}

export const send = (to = 'to@example.com', more: More = {}) =>
  connection.relay.send({
    envelope: { from: more.from ?? 'from@example.com', to },
    message: more.message ?? MESSAGE,
    mayContinue: more.mayContinue ?? (() => true),
    requiresTls: more.requiresTls ?? false,
  })

export const closeAfterEach = (): void =>
  afterEach(async () => {
    await connection.relay.close(0)
    await connection.sink.close()
  })

/** A sink that has the whole message and does not answer yet. */
export function heldReply() {
  const arrival = Promise.withResolvers<void>()
  const reply = Promise.withResolvers<void>()
  const beforeReply = () => {
    arrival.resolve()
    return reply.promise
  }
  return { hasArrived: arrival.promise, release: () => reply.resolve(), beforeReply }
}
