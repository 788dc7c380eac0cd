// A stream of server-sent events over a TCP connection of its own, as bytes arrive.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { until } from '../clocks/until.ts'

export type OpenStream = {
  socket: Socket
  status: number
  /** The head of the answer. */
  head: string
  /** All that has arrived after the head. */
  body: () => string
  /** Waits until this has arrived. */
  receives: (part: string) => Promise<void>
  /** Waits until the server has ended the connection. */
  ended: () => Promise<void>
  close: () => void
}

export async function openStream(
  { url }: { url: string },
  path: string,
  { cookie, headers = {} }: { cookie: string; headers?: Record<string, string> },
): Promise<OpenStream> {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  let text = ''
  let hasEnded = false
  socket.on('data', (chunk) => {
    text += chunk.toString()
  })
  socket.on('close', () => {
    hasEnded = true
  })
  await once(socket, 'connect')
  const lines = Object.entries({ host, cookie, accept: 'text/event-stream', ...headers }).map(([name, value]) => `${name}: ${value}`)
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  const holds = (check: () => boolean, what: string) =>
    until(() => {
      if (!check()) throw new Error(`${what} after ${JSON.stringify(text.slice(-500))}`)
    })
  await holds(() => text.includes('\r\n\r\n') || hasEnded, 'No answer')
  const end = text.indexOf('\r\n\r\n')
  const body = () => text.slice(end + 4)
  return {
    socket,
    status: Number(text.split(' ', 2)[1]),
    head: text.slice(0, end).toLowerCase(),
    body,
    receives: (part) => holds(() => body().includes(part), `No ${part}`),
    ended: () => holds(() => hasEnded, 'No end'),
    close: () => void socket.destroy(),
  }
}
