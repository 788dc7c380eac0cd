// How much a team may receive, so that one that gets a flood of mail leaves room for the others, and how much of that a network of senders may bring, so
// that a stranger cannot use it up. What arrives counts from its first byte, and no longer if it is not stored.

import type { PlatformContext } from '../../../http/platform.context.ts'
import type { RefusalReason } from '../../../io/smtp/server/replies.ts'
import { createExpiringCache } from '../../../lib/cache.ts'
import { DAY_MS, MINUTE_MS } from '../../../lib/clock.ts'
import { createWindowCounts } from '../../../lib/limits/counts.ts'
import { networkOf } from '../../../lib/peer-addresses.ts'
import type { InboundContext } from '../inbound.context.ts'

type Context = PlatformContext & InboundContext

/** A message for these teams that arrives. */
export type ArrivingForTeams = {
  /** Null if these bytes may be stored. */
  admit(bytes: number): Promise<RefusalReason | null>
  end(outcome: 'stored' | 'refused'): void
}

type Amount = { messages: number; bytes: number }

/** Teams that are counted at once. */
const TEAMS_MAX = 10_000
/** Networks of senders that are counted at once, each for one team. */
const NETWORKS_MAX = 20_000
/** What other processes stored is seen after this time. */
const BYTES_KEPT_MS = 10_000

export function createTeamQuotas({ config, clock, repositories }: Pick<Context, 'config' | 'clock' | 'repositories'>) {
  const stored = { team: createLevel(TEAMS_MAX, clock), network: createLevel(NETWORKS_MAX, clock) }
  const bytes = createExpiringCache<{ ofDay: number }>({ entriesMax: TEAMS_MAX, clock })
  const arriving = new Map<string, Amount>()

  async function bytesOf(teamId: string): Promise<{ ofDay: number }> {
    const known = bytes.get(teamId)
    if (known !== undefined) return known
    const counted = { ofDay: (await repositories.receivedAmounts.since(teamId, new Date(clock.now().getTime() - DAY_MS))).bytes }
    bytes.set(teamId, counted, BYTES_KEPT_MS)
    return counted
  }

  /** A network may bring as much as is left: one alone half of what the team may receive, and a newcomer always finds some. */
  function findProblem(teamId: string, network: string, ofDay: number): RefusalReason | null {
    const key = networkKey(teamId, network)
    const [ofTeam, ofNetwork] = [arriving.get(teamId) ?? NOTHING, arriving.get(key) ?? NOTHING]
    const bytesOfTeam = ofDay + ofTeam.bytes
    const bytesOfNetwork = stored.network.bytes.read(key, DAY_MS).current + ofNetwork.bytes
    const messagesOfTeam = stored.team.messages.read(teamId, MINUTE_MS).current + ofTeam.messages
    const messagesOfNetwork = stored.network.messages.read(key, MINUTE_MS).current + ofNetwork.messages
    if (bytesOfTeam >= config.receivedBytesPerDay) return 'team bytes'
    if (bytesOfTeam + bytesOfNetwork >= config.receivedBytesPerDay) return 'team bytes of network'
    if (messagesOfTeam >= config.receivedPerMinute) return 'team messages'
    return messagesOfTeam + messagesOfNetwork >= config.receivedPerMinute ? 'team messages of network' : null
  }

  function change(key: string, { messages, bytes: count }: Amount): void {
    const amount = arriving.get(key) ?? NOTHING
    const changed = { messages: amount.messages + messages, bytes: amount.bytes + count }
    if (changed.messages > 0) arriving.set(key, changed)
    else arriving.delete(key)
  }

  function store(teamId: string, network: string, count: number): void {
    const known = bytes.get(teamId)
    if (known !== undefined) known.ofDay += count
    stored.team.messages.add(teamId, MINUTE_MS)
    stored.network.messages.add(networkKey(teamId, network), MINUTE_MS)
    stored.network.bytes.add(networkKey(teamId, network), DAY_MS, count)
  }

  return {
    /** Null if the team may receive a message from this address. Counts nothing, because anyone can ask. */
    async checkQuota(teamId: string, address: string): Promise<RefusalReason | null> {
      return findProblem(teamId, networkOf(address), (await bytesOf(teamId)).ofDay)
    },

    open(teamIds: readonly string[], address: string): ArrivingForTeams {
      const network = networkOf(address)
      const keys = teamIds.flatMap((teamId) => [teamId, networkKey(teamId, network)])
      let arrived: Amount = NOTHING

      function hold(amount: Amount): void {
        for (const key of keys) change(key, { messages: amount.messages - arrived.messages, bytes: amount.bytes - arrived.bytes })
        arrived = amount
      }

      return {
        async admit(count) {
          const known = await Promise.all(teamIds.map(async (teamId) => ({ teamId, ofDay: (await bytesOf(teamId)).ofDay })))
          // It is compared with the others alone. From here on nothing else is counted in between, so that of several some are taken.
          const total = arrived.bytes + count
          hold(NOTHING)
          for (const { teamId, ofDay } of known) {
            const problem = findProblem(teamId, network, ofDay)
            if (problem !== null) return problem
          }
          hold({ messages: 1, bytes: total })
          return null
        },

        end(outcome) {
          const { bytes: total } = arrived
          hold(NOTHING)
          if (outcome === 'stored') for (const teamId of teamIds) store(teamId, network, total)
        },
      }
    },
  }
}

const NOTHING: Readonly<Amount> = { messages: 0, bytes: 0 }

const networkKey = (teamId: string, network: string): string => `${teamId} ${network}`

function createLevel(keysMax: number, clock: Context['clock']) {
  return { messages: createWindowCounts({ keysMax, clock }), bytes: createWindowCounts({ keysMax, clock }) }
}
