// Room for messages until they are read. Messages may arrive faster than workers read them, and someone may send many on purpose.
import { LRUCache } from 'lru-cache'
import type { InboundLimits } from '../../../io/smtp/server/peers.ts'
import type { Clock } from '../../../lib/clock.ts'
import { networkOf } from '../../../lib/peer-addresses.ts'
import type { WaitingContents } from '../receiving.repository.ts'

/** Messages and bytes by a key, and in all. */
export type Amount = { messages: number; bytes: number }

export type Amounts = ReturnType<typeof createAmounts>

const NOTHING: Readonly<Amount> = { messages: 0, bytes: 0 }

export function createAmounts() {
  const byKey = new Map<string, Amount>()
  const inAll: Amount = { ...NOTHING }
  return {
    inAll,
    of: (key: string): Readonly<Amount> => byKey.get(key) ?? NOTHING,
    add(key: string, { messages, bytes }: Amount): void {
      const own = byKey.get(key) ?? { ...NOTHING }
      for (const amount of [own, inAll]) {
        amount.messages += messages
        amount.bytes += bytes
      }
      if (own.messages > 0 || own.bytes > 0) byKey.set(key, own)
      else byKey.delete(key)
    },
  }
}

export type BacklogQuota = {
  /** Whether this address may bring another message. */
  hasRoom(address: string): Promise<boolean>
  /** A message begins to arrive. */
  open(address: string): ArrivingMessage
}

export type ArrivingMessage = {
  /** False: there is no room for these bytes. */
  add(bytes: number): Promise<boolean>
  /** It was stored in so many rows; 0 if it was refused. */
  end(rows: number): void
}

type Options = {
  limits: Pick<InboundLimits, 'waitingMessagesMax' | 'waitingBytesMax'>
  clock: Clock
  count: (limit: number) => Promise<WaitingContents[]>
}

/** Workers read some hundred messages in this time, and what this process stores meanwhile counts at once. */
const LOOKED_AT_EVERY_MS = 2_000
/** Peers whose networks are known. */
const PEERS_MAX = 10_000

export function createBacklogQuota({ limits, clock, count }: Options): BacklogQuota {
  const networks = new LRUCache<string, string>({ max: PEERS_MAX, memoMethod: networkOf })
  let known: { waiting: Amounts; atMs: number } | null = null
  let looking: Promise<Amounts> | null = null
  /** What is not in the database yet, so that no look at it forgets these. */
  const arriving = createAmounts()

  async function look(): Promise<Amounts> {
    const waiting = createAmounts()
    for (const { peer, messages, bytes } of await count(limits.waitingMessagesMax)) waiting.add(networks.memo(peer), { messages, bytes })
    known = { waiting, atMs: clock.monotonicMs() }
    return waiting
  }

  async function current(): Promise<Amounts> {
    if (known && clock.monotonicMs() - known.atMs < LOOKED_AT_EVERY_MS) return known.waiting
    looking ??= look().finally(() => {
      looking = null
    })
    return looking
  }

  /** A network may take up as much as is left: one alone half of the room, and a newcomer always finds some. */
  async function hasRoom(network: string): Promise<boolean> {
    const all = [await current(), arriving]
    const taken = (kind: keyof Amount) => all.reduce((sum, amounts) => sum + amounts.inAll[kind] + amounts.of(network)[kind], 0)
    return taken('messages') < limits.waitingMessagesMax && taken('bytes') < limits.waitingBytesMax
  }

  return {
    hasRoom: (address) => hasRoom(networks.memo(address)),

    open(address) {
      const network = networks.memo(address)
      let arrived = 0
      return {
        add(bytes) {
          arrived += bytes
          arriving.add(network, { messages: 0, bytes })
          return hasRoom(network)
        },
        end(rows) {
          arriving.add(network, { messages: 0, bytes: -arrived })
          if (rows > 0) known?.waiting.add(network, { messages: rows, bytes: arrived })
        },
      }
    },
  }
}
