// One TCP connection to a service, byte by byte, for what no HTTP client would send.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type RawAnswer = { status: number; headers: Record<string, string>; body: unknown }

export type RawSocket = {
  socket: Socket
  write(text: string): void
  /** The next whole answer, however the answers are split into packets. */
  answer(): Promise<RawAnswer>
  /** Waits until the server has ended the connection. */
  ended(): Promise<void>
  close(): void
}

export async function openRawSocket(serviceUrl: string): Promise<RawSocket> {
  const { hostname, port } = new URL(serviceUrl)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  // The server may close the connection while we still write.
  socket.on('error', () => {})
  let received = Buffer.alloc(0)
  let hasEnded = false
  let wake = () => {}
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    wake()
  })
  socket.on('close', () => {
    hasEnded = true
    wake()
  })
  const more = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })

  return {
    socket,
    write: (text) => void socket.write(text),
    async answer() {
      for (;;) {
        const read = readAnswer(received)
        if (read) {
          received = received.subarray(read.bytes)
          return read.answer
        }
        if (hasEnded) throw new Error(`The connection ended after ${JSON.stringify(received.toString())}`)
        await more()
      }
    },
    async ended() {
      while (!hasEnded) await more()
    },
    close: () => void socket.destroy(),
  }
}

function readAnswer(bytes: Buffer): { answer: RawAnswer; bytes: number } | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString().split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const body =
    headers['transfer-encoding'] === 'chunked' ? readChunks(bytes, end + 4) : readLength(bytes, end + 4, headers['content-length'])
  if (!body) return null
  return {
    answer: { status: Number(statusLine.split(' ')[1]), headers, body: body.text === '' ? null : JSON.parse(body.text) },
    bytes: body.end,
  }
}

type ReadBody = { text: string; end: number }

function readLength(bytes: Buffer, start: number, length = '0'): ReadBody | null {
  const end = start + Number(length)
  return bytes.length < end ? null : { text: bytes.subarray(start, end).toString(), end }
}

function readChunks(bytes: Buffer, start: number): ReadBody | null {
  let text = ''
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return null
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString(), 16)
    const end = lineEnd + 2 + size + 2
    if (bytes.length < end) return null
    if (size === 0) return { text, end }
    text += bytes.subarray(lineEnd + 2, end - 2).toString()
    at = end
  }
}
