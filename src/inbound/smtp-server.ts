// What the SMTP servers have in common: who may connect, TLS, what each reply costs, and how they stop. What they do with mail differs.
import { createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SMTPServerOptions } from 'smtp-server'
import type { Context } from '../context.ts'
import { type ConnectionCounts, createConnections, type Entrance } from './connections.ts'
import type { InboundLimits } from './limits.ts'
import { createPeers, type Peers } from './peers.ts'
import { SmtpSessions } from './smtp-sessions.ts'
import { createVisits, type Visits } from './visits.ts'

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
  play: (parts: { peers: Peers; visits: Visits }) => Role
}

/** When the service stops, peers have this time to read that it does. */
const FAREWELL_MS = 500

export function createSmtpServer(context: Context, { certificate, limits, counts, settings, play }: Options): SmtpServer {
  const { config, clock, log } = context
  const peers = createPeers(limits, clock)
  const visits = createVisits({ limits, peers, clock })
  const role = play({ peers, visits })
  const connections = createConnections(context, {
    ...{ limits, peers, visits, counts },
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
        const visit = visits.find(id)
        if (visit && 'getProtocol' in socket) visit.tls = socket.getProtocol()
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

    connectionCount: () => visits.size(),

    drain: connections.drain,

    async close() {
      clearInterval(checking)
      for (const listener of listeners) listener.close()
      connections.stop()
      role.stop()
      await Promise.race([visits.allTold(), sleep(limits.lastMessagesMs, undefined, { ref: false })])
      for (const { socket, arriving } of visits.all()) if (arriving !== null) socket.destroy()
      connections.endUnfinished()
      // Who has sent a whole message hears what became of it, and does not send it again.
      await role.allStored()
      await Promise.race([visits.allGone(), sleep(FAREWELL_MS, undefined, { ref: false })])
      for (const { socket } of visits.all()) socket.destroy()
    },
  }
}

const settingsOf = ({ mailHostname }: Context['config'], limits: InboundLimits): SMTPServerOptions => ({
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
