// A connection over the network that can be cut: what is sent stays on the way, and no one is told.
import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '../../test/support/processes/processes.ts'

export type Link = {
  port: number
  cut(): void
  /** What was on the way arrives. */
  mend(): void
  close(): Promise<void>
}

export async function createLink(target: number): Promise<Link> {
  const port = await freePort()
  const sockets = new Set<Socket>()
  let isCut = false

  /** An end that is closed while the link is cut is not seen at the other one until it is mended, as its last packet would be. */
  function lead(from: Socket, to: Socket): void {
    sockets.add(from)
    if (isCut) from.pause()
    from.on('data', (chunk) => {
      if (to.write(chunk)) return
      from.pause()
      to.once('drain', () => isCut || from.resume())
    })
    from.on('end', () => to.end())
    from.on('error', () => to.destroy())
    from.on('close', () => sockets.delete(from))
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true })
    lead(client, upstream)
    lead(upstream, client)
  })
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))

  return {
    port,
    cut() {
      isCut = true
      for (const socket of sockets) socket.pause()
    },
    mend() {
      isCut = false
      for (const socket of sockets) socket.resume()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}
