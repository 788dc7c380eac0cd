// Receives mail by SMTP: what comes back from mail that was sent, and mail for the domains of teams. It says 250 only for what is stored.
import type { Context } from '../context.ts'
import { INBOUND_LIMITS, type InboundLimits } from './limits.ts'
import { type CertificateSource, createSmtpServer, DISABLED_COMMANDS, type SmtpServer } from './smtp-server.ts'
import { createTransactions } from './transactions.ts'
import { createWaitingRoom } from './waiting-room.ts'

export type InboundOptions = { certificate: CertificateSource; limits?: Partial<InboundLimits> }

export function createInboundServer(context: Context, { certificate, limits: given }: InboundOptions): SmtpServer {
  const { clock, metrics, repositories } = context
  const limits: InboundLimits = { ...INBOUND_LIMITS, ...given }
  const waitingRoom = createWaitingRoom({ limits, clock, count: repositories.waitingContents.countAcrossTeams })
  return createSmtpServer(context, {
    ...{ certificate, limits },
    counts: { connections: metrics.inboundConnections, refusals: metrics.inboundRefusals },
    settings: { disabledCommands: ['AUTH', ...DISABLED_COMMANDS] },
    play: (parts) => createTransactions(context, { limits, waitingRoom, ...parts }),
  })
}
