// How the emails that a team receives are written, in the statement that stores all that the SMTP server took.

import type { FilterResult } from '../../lib/inbound/filter-results.ts'

/** A message for one team. Its blob was stored before. */
export type NewReceivedEmail = {
  id: string
  teamId: string
  mailFrom: string
  /** The addresses of the team to which it came. */
  rcptTo: string[]
  blobKey: string
  bytes: number
  peer: string
  helo: string
  tls: string | null
  createdAt: Date
  /** Null if there is no filter. */
  filter: FilterResult | null
}

export const RECEIVED_COLUMNS = {
  names: 'id, team_id, mail_from, rcpt_to, blob_key, bytes, peer, helo, tls, created_at, filter',
  values: `n.id, n."teamId", n."mailFrom", n."rcptTo", n."blobKey", n.bytes, n.peer, n.helo, n.tls, n."createdAt", n.filter`,
  types: `id uuid, "teamId" uuid, "mailFrom" text, "rcptTo" text[], "blobKey" uuid, bytes int, peer text, helo text, tls text, "createdAt" timestamptz, filter jsonb`,
}
