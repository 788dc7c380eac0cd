import type { Prisma } from '../../generated/prisma/client.ts'
import type { InboundVerdict } from '../../lib/inbound-verdicts.ts'
import type { Database } from '../database.ts'

const columns = {
  id: true,
  teamId: true,
  purpose: true,
  mailFrom: true,
  rcptTo: true,
  peer: true,
  bytes: true,
  blobKey: true,
  verdict: true,
  detail: true,
  receivedAt: true,
} as const

export type InboundMessageRow = Prisma.InboundMessageGetPayload<{ select: typeof columns }>

export function inboundListRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /** What was made of messages that came back, newest first. For operators only: it crosses teams, and most of these messages belong to none. */
    listAcrossTeams(verdict: InboundVerdict, limit: number): Promise<InboundMessageRow[]> {
      return tables.inboundMessage.findMany({ where: { verdict }, select: columns, orderBy: { id: 'desc' }, take: limit })
    },

    /** Only operators may call it. */
    findAcrossTeams(id: string): Promise<InboundMessageRow | null> {
      return tables.inboundMessage.findUnique({ where: { id }, select: columns })
    },
  }
}
