// Which addresses an attempt tries, and in which order. Pure: chance and what is known of the addresses are handed in.
import type { MxHost } from './mx-directory.ts'

/** An address of a host. */
export type Place = { host: string; address: string }

export type KnownPlaces = {
  random: () => number
  isAllowed(place: Place): boolean
  /** When it failed, and whether it had only a short time, because there was a next one. Null if it did not fail. */
  failureOf(place: Place): { atMs: number; wasHurried: boolean } | null
  /** It has taken connections before. */
  wasReached(place: Place): boolean
}

/** An attempt tries no more. The next one continues after them. */
const HOSTS_TRIED_MAX = 4
const ADDRESSES_TRIED_MAX = 8

/** How many of a host come before the next host. Its others come after the last host. */
const ADDRESSES_IN_A_ROW = 2

/**
 * The order of preference first. What failed comes last: the one whose failure is longest ago first, but those that had only a short time at the end,
 * so that each becomes the last one, which has a long time, in some attempt. There are always two hosts if the domain has two, and one that took
 * connections before if there is such a one.
 */
export function placesToTry(hosts: readonly MxHost[], known: KnownPlaces): Place[] {
  const places = onceEach(inOrder(hosts, known.random)).filter(known.isAllowed)
  const failed = places.flatMap((place) => {
    const failure = known.failureOf(place)
    return failure === null ? [] : [{ place, ...failure }]
  })
  if (failed.length === 0 && hosts.length === 1) return places.slice(0, ADDRESSES_TRIED_MAX)
  failed.sort((a, b) => Number(a.wasHurried) - Number(b.wasHurried) || a.atMs - b.atMs)
  const failedPlaces = failed.map(({ place }) => place)
  const others = places.filter((place) => !failedPlaces.includes(place))
  const ordered = [...inTurns(others), ...inTurns(failedPlaces)]
  const proven = ordered.find(known.wasReached)
  const chosen = ofSomeHosts(ordered, proven)
  const first = chosen.slice(0, ADDRESSES_TRIED_MAX)
  const ofAnotherHost = chosen.find(({ host }) => host !== chosen[0]?.host)
  const missing = [ofAnotherHost, proven].filter((place) => place !== undefined).filter((place) => !first.includes(place))
  return [...first.slice(0, ADDRESSES_TRIED_MAX - missing.length), ...missing]
}

/**
 * Hosts of equal preference, and the addresses of a host, are in random order (RFC 5321, section 5.1). IPv4 comes first, because servers demand more of
 * an IPv6 sender.
 */
function inOrder(hosts: readonly MxHost[], random: () => number): Place[] {
  const drawn = hosts.map((host) => ({ host, chance: random() }))
  drawn.sort((a, b) => a.host.preference - b.host.preference || a.chance - b.chance)
  return drawn.flatMap(({ host: { name, addresses } }) => {
    const shuffled = addresses.map((address) => ({ address, chance: random() })).sort((a, b) => a.chance - b.chance)
    const ofFamily = (isIpv6: boolean) => shuffled.filter(({ address }) => address.includes(':') === isIpv6)
    return [...ofFamily(false), ...ofFamily(true)].map(({ address }) => ({ host: name, address }))
  })
}

/** Two names may lead to one machine. */
function onceEach(places: Place[]): Place[] {
  const seen = new Set<string>()
  return places.filter(({ address }) => !seen.has(address) && seen.add(address))
}

/** A few addresses of each host, then the next few. */
function inTurns(places: Place[]): Place[] {
  const byHost = Map.groupBy(places, ({ host }) => host)
  const turns = [...byHost.values()].flatMap((ofHost) =>
    ofHost.map((place, index) => ({ place, turn: Math.floor(index / ADDRESSES_IN_A_ROW) })),
  )
  return turns.sort((a, b) => a.turn - b.turn).map(({ place }) => place)
}

/** The places of the first hosts; the host of `proven` is one of them. */
function ofSomeHosts(places: Place[], proven: Place | undefined): Place[] {
  const names = [...new Set(places.map(({ host }) => host))]
  const first = names.slice(0, HOSTS_TRIED_MAX)
  if (proven !== undefined && !first.includes(proven.host)) first[HOSTS_TRIED_MAX - 1] = proven.host
  return places.filter(({ host }) => first.includes(host))
}
