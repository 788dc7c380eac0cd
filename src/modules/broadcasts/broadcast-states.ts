// The states of a broadcast, and what may be done in each: the one table that the database statements, the API and the console follow.

export const BROADCAST_STATUSES = ['draft', 'scheduled', 'queued', 'paused', 'sent', 'canceled'] as const

export type BroadcastStatus = (typeof BROADCAST_STATUSES)[number]

/** What is being done with the emails that have not begun. */
export const BROADCAST_WALKS = ['hold', 'release', 'cancel'] as const
export type BroadcastWalk = (typeof BROADCAST_WALKS)[number]

/** `start` and `finish` are done by workers: its time has come, and every recipient has been tried. */
export type BroadcastAct = 'update' | 'rename' | 'delete' | 'schedule' | 'send' | 'start' | 'pause' | 'resume' | 'cancel' | 'finish'

/** For each act, the states in which it is allowed, and the state that follows. A deleted one has none. */
export const BROADCAST_MOVES: Record<BroadcastAct, Partial<Record<BroadcastStatus, BroadcastStatus | null>>> = {
  update: { draft: 'draft', scheduled: 'scheduled' },
  rename: { draft: 'draft', scheduled: 'scheduled', queued: 'queued', paused: 'paused', sent: 'sent', canceled: 'canceled' },
  delete: { draft: null, scheduled: null },
  schedule: { draft: 'scheduled', scheduled: 'scheduled' },
  send: { draft: 'queued', scheduled: 'queued' },
  start: { scheduled: 'queued' },
  pause: { queued: 'paused' },
  resume: { paused: 'queued' },
  cancel: { scheduled: 'draft', queued: 'canceled', paused: 'canceled' },
  finish: { queued: 'sent' },
}

/** The states in which an act is allowed. */
export const statusesFor = (act: BroadcastAct): BroadcastStatus[] => BROADCAST_STATUSES.filter((status) => status in BROADCAST_MOVES[act])

const DONE: Record<BroadcastAct, string> = {
  update: 'changed, except for its name',
  rename: 'renamed',
  delete: 'deleted',
  schedule: 'scheduled',
  send: 'sent',
  start: 'started',
  pause: 'paused',
  resume: 'resumed',
  cancel: 'canceled',
  finish: 'finished',
}

/** Why an act is refused, for the client. */
export function refusedMove(act: BroadcastAct, status: string): string {
  const allowed = statusesFor(act).map((name) => `\`${name}\``)
  return `This broadcast cannot be ${DONE[act]}: its status is \`${status}\`, and must be ${allowed.join(' or ')}.`
}
