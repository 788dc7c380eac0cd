// Answers tracked links over TLS, and nothing else, on a port of its own: for installations without a proxy that has the certificates.
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import { Socket } from 'node:net'
import type { CertificateFiles } from '../io/files/certificate-files.ts'
import { createKeyCounts } from '../lib/limits/counts.ts'
import { peerOf } from '../lib/peer-addresses.ts'

export type TrackingListener = {
  /** @returns the port. */
  listen(place: { host: string; port: number }): Promise<number>
  close(): Promise<void>
}

/** A tracked link is one short request, so slow ones are cut off early. */
const REQUEST_MS_MAX = 10_000
/** Someone who follows a link seldom follows another at once. */
const KEEP_ALIVE_MS = 5_000
const SILENT_CONNECTION_MS = 15_000

type TrackingLimits = { connectionsMax: number; connectionsPerPeerMax: number; handshakeMsMax: number }

export const TRACKING_LIMITS: TrackingLimits = {
  /** Each costs up to a hundred kilobytes. Those beyond are closed at once, and people try again. */
  connectionsMax: 2_000,
  /** The limit for an address of IPv4 or a /64 of IPv6. Many people may share one, but each of them is done within a moment. */
  connectionsPerPeerMax: 50,
  /** Someone who says nothing at all is not kept either. */
  handshakeMsMax: 10_000,
}

const TRACKED_PATHS = /^\/t\/[co]\//

/** @param answer as the listener of the API does */
export function createTrackingListener(
  answer: RequestListener,
  certificate: CertificateFiles,
  { connectionsMax, connectionsPerPeerMax, handshakeMsMax }: TrackingLimits = TRACKING_LIMITS,
): TrackingListener {
  const server = createServer(
    {
      ...certificate.current(),
      minVersion: 'TLSv1.2',
      handshakeTimeout: handshakeMsMax,
      requestTimeout: REQUEST_MS_MAX,
      headersTimeout: REQUEST_MS_MAX,
    },
    (request, response) => {
      if (TRACKED_PATHS.test(request.url ?? '')) return answer(request, response)
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('There is nothing at this address.\n')
    },
  )
  server.maxConnections = connectionsMax
  boundConnectionsPerPeer(server, connectionsPerPeerMax)
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.setTimeout(SILENT_CONNECTION_MS)
  certificate.follow((changed) => server.setSecureContext({ ...changed, minVersion: 'TLSv1.2' }))

  return {
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once('error', reject).listen(port, host, () => {
          const address = server.address()
          resolve(typeof address === 'object' && address ? address.port : port)
        })
      }),
    async close() {
      await certificate.stop()
      if (!server.listening) return
      await new Promise((resolve) => {
        server.close(resolve)
        server.closeIdleConnections()
        // A request takes a millisecond, and what is still open then sends nothing.
        setTimeout(() => server.closeAllConnections(), LAST_REQUESTS_MS).unref()
      })
    },
  }
}

const LAST_REQUESTS_MS = 500

function boundConnectionsPerPeer(server: Server, max: number): void {
  const open = createKeyCounts()
  server.on('connection', (socket) => {
    const peer = peerOf((socket instanceof Socket && socket.remoteAddress) || '')
    const count = open.add(peer)
    socket.once('close', () => open.takeAway(peer))
    if (count > max) socket.destroy()
  })
}
