// Bounds the connections that wait for hosts that say nothing, so that many of these delay no other mail.
import { createKeyCounts } from '../../../lib/limits/counts.ts'

export type SilentHosts = {
  /**
   * Before an address is tried. Null if it is known to be silent and too many wait already. Otherwise it counts once it has been silent for a while,
   * and takes the place of one that is known to be silent and never took a connection. `onTooMany` is called if there is no place, or if another
   * takes it.
   */
  begin(opening: { isKnownSilent: boolean; wasReached: boolean; onTooMany: () => void }): SilentWait | null
}

export type SilentWait = {
  /** Whether it was silent. */
  end(): boolean
}

export type SilentHostsLimits = {
  /** All connections of the process. A quarter of them may wait for silent hosts. */
  connectionsMax: number
  /** Some servers greet late on purpose, so silence before this is none. */
  silentAfterMs: number
}

export type SilentHostsOfSet = {
  setKey: string
  /** The limit of the set. Half of it may wait. */
  connectionsMax: number
  /** Called when one of its openings counts as silent. */
  onSilent: () => void
}

/** A pause of 6 seconds before the greeting is usual (Postfix calls it postscreen_greet_wait). */
export const SILENT_AFTER_MS = 8_000

const SHARE_OF_ALL = 1 / 4
const SHARE_OF_SET = 1 / 2

/** The limit for all sets; each set has its part of it. */
export function createSilentHosts({ connectionsMax, silentAfterMs }: SilentHostsLimits): (set: SilentHostsOfSet) => SilentHosts {
  const silentMax = shareOf(connectionsMax, SHARE_OF_ALL)
  const counts = createKeyCounts()
  /** How those that seem to be dead give up their places, the one that has waited longest first. */
  const seemDead = new Set<() => void>()

  return ({ setKey, connectionsMax: ofSetMax, onSilent }) => {
    function take({ seemsDead }: { seemsDead: boolean }): boolean {
      if (counts.of(setKey) >= shareOf(ofSetMax, SHARE_OF_SET)) return false
      // Many domains that never answer must not keep a slow server from its mail.
      if (counts.total >= silentMax && !seemsDead) for (const giveUp of [...seemDead].slice(0, 1)) giveUp()
      if (counts.total >= silentMax) return false
      counts.add(setKey)
      return true
    }

    return {
      begin({ isKnownSilent, wasReached, onTooMany }) {
        const seemsDead = isKnownSilent && !wasReached
        let isCounted = isKnownSilent && take({ seemsDead })
        if (isKnownSilent && !isCounted) return null
        let wasSilent = false
        const timer = setTimeout(() => {
          wasSilent = true
          isCounted ||= take({ seemsDead })
          if (isCounted) onSilent()
          else onTooMany()
        }, silentAfterMs)
        function end(): boolean {
          clearTimeout(timer)
          seemDead.delete(giveUp)
          if (isCounted) counts.takeAway(setKey)
          isCounted = false
          return wasSilent
        }
        function giveUp(): void {
          wasSilent = true
          end()
          onTooMany()
        }
        if (isCounted && seemsDead) seemDead.add(giveUp)
        return { end }
      },
    }
  }
}

/** At least one, so that a silent host is not given up for a limit of one connection. */
const shareOf = (count: number, share: number): number => Math.max(1, Math.floor(count * share))
