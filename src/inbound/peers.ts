// How much each peer has done lately, and what it may not do for a while.
import type { Clock } from '../lib/clock.ts'
import { peerOf } from '../lib/inbound/peer-addresses.ts'
import { createWindowCounts } from '../lib/limits/window-counts.ts'
import type { InboundLimits } from './limits.ts'
import type { RefusalReason } from './replies.ts'

export type Peers = ReturnType<typeof createPeers>

const MINUTE_MS = 60_000
/** Peers that are counted at once. The least recently seen are forgotten. */
const PEERS_MAX = 10_000
const EVERYONE = '*'

export function createPeers(limits: InboundLimits, clock: Clock) {
  const open = new Map<string, number>()
  const windows = () => createWindowCounts({ keysMax: PEERS_MAX, clock })
  const [commands, errors, bytes, bytesInAll] = [windows(), windows(), windows(), windows()]

  return {
    /** Null if another connection from this address is welcome; then it counts until `leave`. */
    enter(address: string): RefusalReason | null {
      const peer = peerOf(address)
      const count = open.get(peer) ?? 0
      if (count >= limits.connectionsPerPeerMax) return 'peer connections'
      const problem = this.problemOf(address)
      if (problem === null) open.set(peer, count + 1)
      return problem
    },

    leave(address: string): void {
      const peer = peerOf(address)
      const count = (open.get(peer) ?? 0) - 1
      if (count > 0) open.set(peer, count)
      else open.delete(peer)
    },

    countCommand: (address: string): void => void commands.add(peerOf(address), MINUTE_MS),
    countError: (address: string): void => void errors.add(peerOf(address), MINUTE_MS),

    countBytes(address: string, count: number): void {
      bytes.add(peerOf(address), MINUTE_MS, count)
      bytesInAll.add(EVERYONE, MINUTE_MS, count)
    },

    /** Why this address may do nothing more for now; null if it may. */
    problemOf(address: string): RefusalReason | null {
      const peer = peerOf(address)
      if (errors.read(peer, MINUTE_MS).current >= limits.errorsPerPeerPerMinute) return 'peer errors'
      if (commands.read(peer, MINUTE_MS).current > limits.commandsPerPeerPerMinute) return 'peer commands'
      if (bytes.read(peer, MINUTE_MS).current >= limits.bytesPerPeerPerMinute) return 'peer bytes'
      return bytesInAll.read(EVERYONE, MINUTE_MS).current >= limits.bytesPerMinute ? 'bytes' : null
    },
  }
}
