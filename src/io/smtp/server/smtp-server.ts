// What the SMTP servers have in common: who may connect, TLS, what each reply costs, and how they stop. What they do with mail differs.

import { createServer, type Server } from 'node:net'
import type { SMTPServerOptions } from 'smtp-server'
import { within } from '../../../lib/clock.ts'
import { type ConnectionCounts, createConnections, type Entrance, type SmtpContext } from './connections.ts'
import { createOpenConnections, type OpenConnections } from './open-connections.ts'
import { createPeers, type InboundLimits, type Peers } from './peers.ts'
import { SmtpSessions } from './smtp-sessions.ts'

export type SmtpServer = {
  /** @returns the port, which is a free one if 0 was given. */
  listen(place: { host: string; port: number } & Partial<Entrance>): Promise<number>
  connectionCount(): number
  /** The service will stop in a moment: connections are taken, and each ends after its message. */
  drain(): void
  /** Takes no new connections, answers messages that have arrived, lets those that were begun end for a while, and ends the rest. */
  close(): Promise<void>
}

/** A source of certificates in PEM form. `follow` calls back when there is another one. */
export type CertificateSource = {
  current(): { cert: string; key: string }
  follow(onChange: (certificate: { cert: string; key: string }) => void): void
}

/** What a server does with mail. */
export type Role = {
  hooks: Pick<SMTPServerOptions, 'onAuth' | 'onMailFrom' | 'onRcptTo' | 'onData'>
  /** The server stops: what would wait for long is refused. */
  stop(): void
  /** Resolves once nothing is being stored any longer. */
  allStored(): Promise<void>
}

type Options = {
  certificate: CertificateSource
  limits: InboundLimits
  counts: ConnectionCounts
  settings: SMTPServerOptions
  createRole: (parts: { peers: Peers; openConnections: OpenConnections }) => Role
}

/** When the service stops, peers have this time to read that it does. */
const FAREWELL_MS = 500

export function createSmtpServer(context: SmtpContext, { certificate, limits, counts, settings, createRole }: Options): SmtpServer {
  const { config, clock, log } = context
  const peers = createPeers(limits, clock)
  const openConnections = createOpenConnections({ limits, peers, clock })
  const role = createRole({ peers, openConnections })
  const connections = createConnections(context, {
    ...{ limits, peers, openConnections, counts },
    open: (socket, options) => sessions.connect(socket, options),
    secureContext: () => sessions.contextNow(),
  })
  const sessions = new SmtpSessions(
    {
      ...settingsOf(config, limits),
      ...settings,
      ...certificate.current(),
      ...role.hooks,
      onSecure(socket, { id }, callback) {
        // Its connection may have made room for another during the handshake.
        const connection = openConnections.find(id)
        if (connection && 'getProtocol' in socket) connection.tls = socket.getProtocol()
        callback()
      },
      onClose: ({ id }) => connections.left(id),
    },
    connections.replied,
  )
  certificate.follow((changed) => {
    sessions.updateSecureContext(changed)
    log.info('certificate of the SMTP server replaced')
  })
  // A single connection failed, which is the business of its peer.
  sessions.on('error', (error) => log.debug({ err: error }, 'inbound connection failed'))

  const listeners: Server[] = []
  const checking = setInterval(connections.endOverdue, limits.checkEveryMs)
  checking.unref()

  return {
    listen({ host, port, isTls = false }) {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      const listener = createServer((socket) => connections.enter(socket, { isTls }))
      listeners.push(listener)
      listener.once('error', reject)
      listener.listen(port, host, () => {
        listener.off('error', reject)
        const address = listener.address()
        resolve(typeof address === 'object' && address ? address.port : port)
      })
      return promise
    },

    connectionCount: () => openConnections.size(),

    drain: connections.drain,

    async close() {
      clearInterval(checking)
      for (const listener of listeners) listener.close()
      connections.stop()
      role.stop()
      await within(limits.lastMessagesMs, openConnections.allEnding(), () => {})
      for (const { socket, arriving } of openConnections.all()) if (arriving !== null) socket.destroy()
      connections.endUnfinished()
      // A client that has sent a whole message hears what became of it, and does not send it again.
      await role.allStored()
      await within(FAREWELL_MS, openConnections.allGone(), () => {})
      for (const { socket } of openConnections.all()) socket.destroy()
    },
  }
}

const settingsOf = ({ mailHostname }: SmtpContext['config'], limits: InboundLimits): SMTPServerOptions => ({
  minVersion: 'TLSv1.2',
  name: mailHostname,
  heloResponse: '%s greets %s',
  size: Math.max(limits.messageBytesMax, limits.receivedBytesMax),
  maxCommandLength: limits.commandBytesMax,
  maxRecipients: limits.recipientsMax,
  socketTimeout: limits.silenceMsMax,
  hideENHANCEDSTATUSCODES: false,
  authOptional: true,
  disableReverseLookup: true,
  logger: false,
})

/** Commands of the SMTP library that no server of ours offers. */
export const DISABLED_COMMANDS = ['XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL']
