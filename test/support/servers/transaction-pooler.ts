// The part of a connection pooler in transaction mode that shows what it does to sessions: between transactions a client has no server connection,
// and gets the one that was used last. Like pgbouncer in every mode, it refuses settings in the first message. Statements that do not wait for each
// other only by one connection; frames as in PostgreSQL's documentation, "Message Formats".
import { createServer, type Socket } from 'node:net'
import pg from 'pg'

export type TransactionPooler = { url: string; close(): Promise<void> }

type Upstream = { client: pg.Client; socket: Socket }

/** Listens on 127.0.0.1 and asks for no password. */
export async function startTransactionPooler(
  databaseUrl: string,
  { connections, mode = 'transaction' }: { connections: number; mode?: 'transaction' | 'statement' },
): Promise<TransactionPooler> {
  const upstreams = await Promise.all(Array.from({ length: connections }, () => connectUpstream(databaseUrl)))
  const free = [...upstreams]
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    serve(socket, free, mode)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('A TCP server has a port')
  return {
    url: `postgresql://anybody@127.0.0.1:${address.port}/pooled?sslmode=disable`,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      for (const { socket } of upstreams) socket.destroy()
    },
  }
}

async function connectUpstream(databaseUrl: string): Promise<Upstream> {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  await client.connect()
  // From here on we handle the bytes: pg has done the authentication. Its type hides the connection.
  const { connection } = client as unknown as { connection: { stream: Socket } }
  connection.stream.removeAllListeners('data')
  return { client, socket: connection.stream }
}

const AUTHENTICATION_OK = frame('R', Buffer.from([0, 0, 0, 0]))
const READY = frame('Z', Buffer.from('I'))

function serve(socket: Socket, free: Upstream[], mode: 'transaction' | 'statement'): void {
  let upstream: Upstream | undefined
  let isGreeted = false
  let received: Buffer = Buffer.alloc(0)
  const answer = (reply: Buffer) => {
    socket.write(reply)
    for (const { type, body } of framesOf(reply).frames) {
      if (type !== 'Z' || body.toString() !== 'I' || !upstream) continue
      upstream.socket.removeListener('data', answer)
      free.unshift(upstream)
      upstream = undefined
    }
  }
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, Buffer.from(bytes)])
    if (!isGreeted) {
      isGreeted = true
      const refused = settingsOf(received.subarray(8, received.readUInt32BE(0))).find((name) => !TAKEN.has(name))
      if (refused !== undefined) return void socket.end(refusal(`unsupported startup parameter: ${refused}`))
      received = received.subarray(received.readUInt32BE(0))
      socket.write(Buffer.concat([AUTHENTICATION_OK, READY]))
    }
    const { frames, rest } = framesOf(received)
    received = rest
    for (const { type, whole } of frames) {
      // The end of the client is not passed on, because the server connection is for the next one.
      if (type === 'X') return
      // As pgbouncer 1.18 does.
      if (mode === 'statement' && type === 'Q' && /\bbegin\b/.test(whole.toString()))
        return void socket.end(refusal('transaction blocks not allowed in statement pooling mode'))
      if (!upstream) {
        upstream = free.shift()
        upstream?.socket.on('data', answer)
      }
      upstream?.socket.write(whole)
    }
  })
  socket.on('close', () => {
    // An open transaction is rolled back before another client gets it.
    if (!upstream) return
    upstream.socket.removeListener('data', answer)
    upstream.socket.write(frame('Q', Buffer.from('rollback\0')))
    free.push(upstream)
    upstream = undefined
  })
}

/** What pgbouncer takes, as long as `ignore_startup_parameters` is not set. */
const TAKEN = new Set(['user', 'database', 'client_encoding', 'datestyle', 'timezone', 'standard_conforming_strings', 'application_name'])

/** The names in the first message of a client, in lower case. */
const settingsOf = (body: Buffer): string[] =>
  body
    .toString()
    .split('\0')
    .filter((name, index) => index % 2 === 0 && name !== '')
    .map((name) => name.toLowerCase())

const refusal = (message: string): Buffer => frame('E', Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`))

function frame(type: string, body: Buffer): Buffer {
  const header = Buffer.alloc(5)
  header.write(type)
  header.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}

type Frame = { type: string; body: Buffer; whole: Buffer }

function framesOf(bytes: Buffer): { frames: Frame[]; rest: Buffer } {
  const frames: Frame[] = []
  let from = 0
  while (bytes.length >= from + 5) {
    const to = from + 1 + bytes.readUInt32BE(from + 1)
    if (bytes.length < to) break
    frames.push({ type: bytes.toString('latin1', from, from + 1), body: bytes.subarray(from + 5, to), whole: bytes.subarray(from, to) })
    from = to
  }
  return { frames, rest: bytes.subarray(from) }
}
