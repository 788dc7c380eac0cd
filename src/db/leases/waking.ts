// Tells workers of other processes that there is work; in SQL, because Prisma has no NOTIFY. It is only a hint: they look every second anyway.
import type pg from 'pg'
import { createId } from '../../lib/ids.ts'
import type { Database } from '../database.ts'

const CHANNEL = 'posthaste_work'
/** Notifying more often would serialize commits for nothing. */
const NOTIFY_EVERY_MS = 50
const RECONNECT_AFTER_MS = 1_000

/** What the database sends by itself, when it has something to tell to automations (migration 0046). */
const OF_AUTOMATIONS = 'automations'

export type OnWork = (work: 'all' | 'automations') => void
export type Waking = { notifyOthers(): void; listen(onWork: OnWork): void; close(): Promise<void> }

export function createWaking({ execute, connect }: Pick<Database, 'execute' | 'connect'>): Waking {
  const self = createId()
  let timer: NodeJS.Timeout | null = null
  let listener: pg.PoolClient | null = null
  let isClosed = false
  let isWanted = false

  /** At once. What comes within the next moments follows together at their end. */
  function notify(): void {
    isWanted = false
    timer = setTimeout(() => {
      timer = null
      if (isWanted) notify()
    }, NOTIFY_EVERY_MS).unref()
    execute('select pg_notify($1, $2)', [CHANNEL, self]).catch(() => {
      // They look by themselves within a second.
    })
  }

  function listenLater(onWork: OnWork): void {
    if (!isClosed) setTimeout(() => void listen(onWork), RECONNECT_AFTER_MS).unref()
  }

  async function listen(onWork: OnWork): Promise<void> {
    const client = await connect().catch(() => null)
    if (!client) return listenLater(onWork)
    if (isClosed) return client.release(true)
    listener = client
    // A connection that dies fails its statement and reports an error. It is released once, and replaced once.
    const giveUp = (): void => {
      if (listener !== client) return
      listener = null
      client.release(true)
      listenLater(onWork)
    }
    client.on('notification', ({ payload }) => {
      if (payload !== self) onWork(payload === OF_AUTOMATIONS ? 'automations' : 'all')
    })
    client.once('error', giveUp)
    await client.query(`listen ${CHANNEL}`).catch(giveUp)
  }

  return {
    notifyOthers() {
      if (timer) isWanted = true
      else notify()
    },
    listen: (onWork) => void listen(onWork),
    async close() {
      isClosed = true
      if (timer) clearTimeout(timer)
      listener?.release(true)
      listener = null
    },
  }
}
