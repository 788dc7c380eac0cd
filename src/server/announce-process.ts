// Tells the database that this process is alive, whatever its roles, and notices when a newer version has changed the tables so that it must end.

import { hostname } from 'node:os'
import packageJson from '../../package.json' with { type: 'json' }
import type { PlatformContext } from '../http/platform.context.ts'
import type { LimitsContext } from '../modules/limits/limits.context.ts'

type Context = PlatformContext & LimitsContext

const BEAT_EVERY_MS = 3_000
/** A process that stood still for this long is gone, or inserts its row again. */
const GONE_AFTER_MS = 60_000

export type AnnouncedProcess = { stop(): Promise<void> }

/** @param knows the last migration of this version. What it has reserved of quotas is given back once it is gone. */
export async function announceProcess(
  { config: { roles }, repositories, clock, log, newerTables }: Pick<Context, 'config' | 'repositories' | 'clock' | 'log' | 'newerTables'>,
  { id, knows }: { id: string; knows: string },
): Promise<AnnouncedProcess> {
  const { serviceProcesses } = repositories
  const row = {
    id,
    name: `Posthaste ${packageJson.version} (${roles.join(', ')}), process ${process.pid} of ${hostname()}`,
    knows,
    hasWorker: roles.includes('worker'),
  }
  const seen = new Map<string, { beat: string; sinceMs: number }>()

  async function removeGone(): Promise<void> {
    const present = await serviceProcesses.list()
    const nowMs = clock.monotonicMs()
    for (const { id, beat } of present) {
      const known = seen.get(id)
      if (known?.beat !== beat) seen.set(id, { beat, sinceMs: nowMs })
      else if (id !== row.id && nowMs - known.sinceMs >= GONE_AFTER_MS) await serviceProcesses.remove(id, beat)
    }
    for (const id of seen.keys()) if (!present.some((other) => other.id === id)) seen.delete(id)
  }

  async function releaseQuotas(): Promise<void> {
    for (const { teamId, ids } of await repositories.quotas.goneAcrossTeams()) await repositories.quotas.release(teamId, ids)
  }

  let beating: Promise<void> | null = null
  async function beat(): Promise<void> {
    try {
      await newerTables.look()
      await serviceProcesses.beat(row)
      await removeGone()
      await releaseQuotas()
    } catch (error) {
      log.debug({ err: error }, 'process not announced')
    } finally {
      beating = null
    }
  }
  await beat()
  const timer = setInterval(() => {
    beating ??= beat()
  }, BEAT_EVERY_MS)
  timer.unref()

  return {
    async stop() {
      clearInterval(timer)
      await beating
      await serviceProcesses
        .remove(row.id, null)
        .then(releaseQuotas)
        .catch((error) => log.debug({ err: error }, 'process not taken back'))
    },
  }
}
