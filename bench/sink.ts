import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export type CountingSink = {
  port: number
  /** Starts counting anew. */
  reset(): void
  count(): number
  /** From the first message since `reset` to the last, in seconds. */
  seconds(): number
  close(): Promise<void>
}

/** A mail server that reads and forgets. */
export async function startCountingSink(): Promise<CountingSink> {
  let count = 0
  let firstAtMs = 0
  let lastAtMs = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onMailFrom(_address, _session, callback) {
      if (firstAtMs === 0) firstAtMs = performance.now()
      callback()
    },
    onData(stream, _session, callback) {
      stream.resume()
      stream.once('end', () => {
        count++
        lastAtMs = performance.now()
        callback()
      })
    },
  })
  // Connections that their client drops are none of our business.
  server.on('error', () => {})
  const listener = server.listen(0, '127.0.0.1')
  await new Promise<void>((resolve) => listener.once('listening', resolve))
  return {
    port: (listener.address() as AddressInfo).port,
    reset() {
      count = 0
      firstAtMs = 0
    },
    count: () => count,
    seconds: () => (lastAtMs - firstAtMs) / 1_000,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
