// Background work of every process, including those that only serve the API, because all of them sign and open links: reads the data keys again and
// again.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { type DataKeys, KEYS_READ_EVERY_MS } from '../lib/signing/data-keys.ts'

/** Soon after a failure, so that a database that is available again is asked before its links are opened. */
const RETRY_MS = 1_000

/** Runs until it is stopped, so that a running process learns of versions that a command made or retired. */
export function followDataKeys(
  dataKeys: Pick<DataKeys, 'readAgain'>,
  { log, everyMs = KEYS_READ_EVERY_MS }: { log: Pick<Context['log'], 'warn' | 'error'>; everyMs?: number },
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  let isFailing = false
  let unopenedBefore = ''

  async function read(): Promise<void> {
    try {
      const unopened = (await dataKeys.readAgain()).join(', ')
      if (unopened !== '' && unopened !== unopenedBefore)
        log.error({ keys: unopened }, 'data keys not opened by this SECRET_KEY, restart with the one that the other processes have')
      unopenedBefore = unopened
      isFailing = false
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'data keys not read')
      isFailing = true
    }
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      await sleep(isFailing ? RETRY_MS : everyMs, undefined, { signal, ref: false }).catch(() => {})
      if (!signal.aborted) await read()
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
