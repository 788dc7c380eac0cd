// Receives mail by SMTP: what comes back from mail that was sent, and mail for the domains of teams. It says 250 only for what is stored.
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SMTPServerOptions } from 'smtp-server'
import type { Context } from '../context.ts'
import { createConnections } from './connections.ts'
import { INBOUND_LIMITS, type InboundLimits } from './limits.ts'
import { createPeers } from './peers.ts'
import { SmtpSessions } from './smtp-sessions.ts'
import { createTransactions } from './transactions.ts'
import { createVisits } from './visits.ts'
import { createWaitingRoom } from './waiting-room.ts'

export type InboundServer = {
  /** @returns the port, which is a free one if 0 was given. */
  listen(place: { host: string; port: number }): Promise<number>
  connectionCount(): number
  /** Takes no new connections, lets messages that are arriving end, and ends the rest. */
  close(): Promise<void>
}

/** In PEM form. `follow` calls back when there is another one. */
export type CertificateSource = {
  current(): { cert: string; key: string }
  follow(onChange: (certificate: { cert: string; key: string }) => void): void
}

export type InboundOptions = { certificate: CertificateSource; limits?: Partial<InboundLimits> }

/** When the service stops, peers have this time to read that it does. */
const FAREWELL_MS = 500

export function createInboundServer(context: Context, { certificate, limits: given }: InboundOptions): InboundServer {
  const { config, clock, log, repositories } = context
  const limits: InboundLimits = { ...INBOUND_LIMITS, ...given }
  const peers = createPeers(limits, clock)
  const visits = createVisits({ limits, peers, clock })
  const waitingRoom = createWaitingRoom({ limits, clock, count: repositories.waitingContents.countAcrossTeams })
  const transactions = createTransactions(context, { limits, peers, visits, waitingRoom })
  const connections = createConnections(context, { limits, peers, visits, open: (socket, options) => sessions.connect(socket, options) })
  const sessions = new SmtpSessions(
    {
      ...settingsOf(config, limits),
      ...certificate.current(),
      ...transactions.hooks,
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

  const listener = createServer(connections.enter)
  const checking = setInterval(connections.endOverdue, limits.checkEveryMs)
  checking.unref()

  return {
    listen({ host, port }) {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      listener.once('error', reject)
      listener.listen(port, host, () => {
        listener.off('error', reject)
        const address = listener.address()
        resolve(typeof address === 'object' && address ? address.port : port)
      })
      return promise
    },

    connectionCount: () => visits.size(),

    async close() {
      clearInterval(checking)
      listener.close()
      connections.stop()
      await Promise.race([transactions.allStored(), sleep(limits.lastMessagesMs, undefined, { ref: false })])
      await Promise.race([visits.allGone(), sleep(FAREWELL_MS, undefined, { ref: false })])
      for (const { socket } of visits.all()) socket.destroy()
      await transactions.allStored()
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
  disabledCommands: ['AUTH', 'XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'],
  logger: false,
})
