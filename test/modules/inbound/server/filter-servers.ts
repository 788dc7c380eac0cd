// Stand-ins for the filters of an operator, which speak the protocols of rspamd and clamd.
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type Checked = { headers: IncomingHttpHeaders; rcpt: string[]; content: string }
export type FilterServer = { url: string; checked: Checked[]; close(): Promise<void> }

type RspamdAnswer = { action: string; score: number }

/** @param answerTo what it says of a message; `silence` for nothing, a text for what is no answer. */
export async function startRspamd(answerTo: (content: string) => RspamdAnswer | 'silence' | string): Promise<FilterServer> {
  const checked: Checked[] = []
  const server = createHttpServer(async (request, response) => {
    const content = (await buffer(request)).toString('latin1')
    if (request.method !== 'POST' || request.url !== '/checkv2') return response.writeHead(404).end()
    checked.push({ headers: request.headers, rcpt: request.headersDistinct.rcpt ?? [], content })
    const answer = answerTo(content)
    if (answer === 'silence') return
    response.setHeader('content-type', 'application/json')
    response.end(
      typeof answer === 'string' ? answer : JSON.stringify({ is_skipped: false, required_score: 15, symbols: {}, messages: {}, ...answer }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    checked,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** @param answerTo such as `stream: OK`. */
export async function startClamd(answerTo: (content: string) => string): Promise<FilterServer> {
  const checked: Checked[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)))
    socket.on('error', () => {})
    let bytes = Buffer.alloc(0)
    socket.on('data', (piece) => {
      bytes = Buffer.concat([bytes, piece])
      const content = streamedIn(bytes)
      if (content === null) return
      checked.push({ headers: {}, rcpt: [], content })
      socket.end(`${answerTo(content)}\0`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    checked,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const COMMAND = 'zINSTREAM\0'

/** What was sent as a stream, once it has ended: pieces with their lengths, the last of length 0. */
function streamedIn(bytes: Buffer): string | null {
  if (bytes.length < COMMAND.length) return null
  if (bytes.toString('latin1', 0, COMMAND.length) !== COMMAND) throw new Error('It is no INSTREAM command')
  const pieces: Buffer[] = []
  for (let at = COMMAND.length; at + 4 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    if (length === 0) return Buffer.concat(pieces).toString('latin1')
    pieces.push(bytes.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return null
}
