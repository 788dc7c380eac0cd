// Adds up what was counted about emails, every second.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'

const LOOK_EVERY_MS = 1_000

type Dependencies = Pick<Context, 'repositories' | 'metrics' | 'log'>

export function startAddingUpCounts(context: Dependencies, { lookEveryMs = LOOK_EVERY_MS }: { lookEveryMs?: number } = {}) {
  const stopping = new AbortController()
  const { signal } = stopping

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      const isMoreLeft = await addUpCounts(context).catch((error) => {
        context.log.warn({ err: error }, 'counts of emails not added up')
        return false
      })
      if (!isMoreLeft) await sleep(lookEveryMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  const following = follow()
  return {
    async stop() {
      stopping.abort()
      await following
    },
  }
}

/** A bounded part of it. Returns whether more may be left. Every event is a sample of the process that adds it up. */
export async function addUpCounts({ repositories, metrics }: Dependencies): Promise<boolean> {
  const added = await repositories.countChanges.addUpAcrossTeams()
  for (const { counter, count } of added?.totals ?? []) metrics.emailEvents.inc({ event: counter }, count)
  return added?.isFull ?? false
}
