import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from '../processes/processes.ts'

export type Gate = {
  port: number
  open(): Promise<void>
  /** Ends current connections, and refuses new ones. */
  shut(): Promise<void>
  /** Ends current connections, and leads new ones to another port. */
  lead(target: number): void
}

/** A port that forwards to another one, or to none. */
export async function createGate(firstTarget: number): Promise<Gate> {
  const port = await freePort()
  const sockets = new Set<Socket>()
  let target = firstTarget
  let server: Server | null = null
  const drop = () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  const gate: Gate = {
    port,
    async open() {
      const opened = createServer((client) => {
        const upstream = connect(target, '127.0.0.1')
        for (const [socket, other] of [
          [client, upstream],
          [upstream, client],
        ] as const) {
          sockets.add(socket)
          socket.on('error', () => other.destroy())
          socket.on('close', () => {
            sockets.delete(socket)
            other.destroy()
          })
          socket.pipe(other)
        }
      })
      server = opened
      await new Promise<void>((done) => opened.listen(port, '127.0.0.1', done))
    },
    async shut() {
      const closed = new Promise<void>((done) => (server ? server.close(() => done()) : done()))
      drop()
      await closed
    },
    lead(next) {
      target = next
      drop()
    },
  }
  await gate.open()
  return gate
}
