import { describe, expect, it } from 'vitest'
import { createPeers, INBOUND_LIMITS, type InboundLimits, type Peers, type RecipientKind } from '../../../../src/io/smtp/server/peers.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'

const LIMITS: InboundLimits = {
  ...INBOUND_LIMITS,
  peersPerNetwork: 4,
  connectionsPerPeerMax: 5,
  commandsPerPeerPerMinute: 60,
  errorsPerPeerPerMinute: 8,
  returnPathMessagesPerPeerPerMinute: 40,
  roleMessagesPerPeerPerMinute: 5,
  bytesPerPeerPerMinute: 1_000,
  bytesPerMinute: 16_000,
  shareOfBytesLeft: 1 / 8,
}

const newPeers = () => {
  const clock = createMovingClock()
  return { clock, peers: createPeers(LIMITS, clock) }
}

/** What the peers of a network do, each less than one of them may do. */
const DEEDS: [string, (peers: Peers, address: string) => void][] = [
  ['connections', (peers, address) => void repeat(4, () => peers.enter(address))],
  ['commands', (peers, address) => repeat(50, () => peers.countCommand(address))],
  ['errors', (peers, address) => repeat(7, () => peers.countError(address))],
  ['bytes', (peers, address) => repeat(9, () => void peers.takeBytes(address, 100))],
]

function repeat(times: number, act: () => void): void {
  for (let count = 0; count < times; count += 1) act()
}

describe.each([
  ['a /24 of IPv4', (peer: number) => `192.0.2.${peer}`, '192.0.3.1'],
  ['a /48 of IPv6', (peer: number) => `2001:db8:7:${peer.toString(16)}::1`, '2001:db8:8::1'],
])('%s', (_what, addressOf, elsewhere) => {
  it.each(DEEDS)('may have as many %s as four of its addresses, however many it has', (what, act) => {
    const { peers } = newPeers()
    let entered = 0
    for (let peer = 1; peer <= 100 && peers.enter(addressOf(peer)) === null; peer += 1) {
      peers.leave(addressOf(peer))
      act(peers, addressOf(peer))
      entered = peer
    }

    expect(peers.enter(addressOf(200))).toBe(`network ${what}`)
    expect(entered).toBeLessThan(10)
    expect(peers.enter(elsewhere)).toBeNull()
  })

  it('is remembered however many of its addresses come', () => {
    const { peers, clock } = newPeers()
    for (let peer = 0; peer < 255 && peer < 4 * LIMITS.errorsPerPeerPerMinute; peer += 1) peers.countError(addressOf(peer))
    for (let other = 0; other < 10_500; other += 1) peers.countCommand(`2001:db8:9:${other.toString(16)}::1`)

    expect(peers.enter(addressOf(200))).toBe('network errors')
    clock.advance(60_001)
    expect(peers.enter(addressOf(200))).toBeNull()
  })
})

it('the errors of a minute do not lock out an address, or its network, that brought what came back within a day', () => {
  const { peers, clock } = newPeers()
  const err = (address: string) => repeat(40, () => peers.countError(address))
  peers.trust('192.0.2.1')
  err('192.0.2.1')
  expect([peers.checkPeer('192.0.2.1'), peers.checkPeer('192.0.2.2')]).toEqual([null, null])
  err('192.0.2.2')
  expect([peers.checkPeer('192.0.2.1'), peers.checkPeer('192.0.2.2'), peers.checkPeer('192.0.2.3')]).toEqual([null, 'peer errors', null])

  clock.advance(LIMITS.goodStandingMs)
  err('192.0.2.1')
  expect([peers.checkPeer('192.0.2.1'), peers.checkPeer('192.0.2.3')]).toEqual(['peer errors', 'network errors'])
})

describe('the recipients of a minute', () => {
  const count = (peers: Peers, address: string, kind: RecipientKind): number => {
    let taken = 0
    while (peers.takeRecipient(address, kind)) taken += 1
    return taken
  }

  it('are many at return paths and few at roles, and those that are refused use up nothing of the network', () => {
    const { peers } = newPeers()
    expect([count(peers, '192.0.2.1', 'role'), count(peers, '192.0.2.1', 'return path')]).toEqual([5, 40])
    repeat(100, () => void peers.takeRecipient('192.0.2.1', 'role'))
    const others = ['192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5'].map((address) => count(peers, address, 'role'))
    expect(others).toEqual([5, 5, 5, 0])
    expect([count(peers, '192.0.3.1', 'role'), peers.enter('192.0.2.1')]).toEqual([5, null])
  })
})

describe('the bytes of a minute', () => {
  const bringAll = (peers: Peers, address: string): number => {
    let brought = 0
    while (peers.takeBytes(address, 10)) brought += 10
    return brought
  }
  const HUNGRY = Array.from({ length: 40 }, (_one, index) => `198.51.${index}.1`)

  it('are as many for one peer as it may bring, and for many what is left for each', () => {
    const { peers } = newPeers()
    const brought = HUNGRY.map((address) => bringAll(peers, address))

    expect(brought[0]).toBe(LIMITS.bytesPerPeerPerMinute)
    expect(brought.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(LIMITS.bytesPerMinute)
    expect(peers.checkPeer('198.51.0.1')).toBe('peer bytes')
    expect(peers.checkPeer('198.51.30.1')).toBe('bytes')
  })

  it('are shared evenly by those who bring them at the same time, and a newcomer has nearly as many', () => {
    const { peers } = newPeers()
    const brought = new Map(HUNGRY.map((address) => [address, 0]))
    for (let round = 0; round < 200; round += 1)
      for (const address of HUNGRY) if (peers.takeBytes(address, 10)) brought.set(address, (brought.get(address) ?? 0) + 10)

    const most = Math.max(...brought.values())
    expect(most - Math.min(...brought.values())).toBeLessThanOrEqual(10)
    expect(peers.enter('203.0.113.1')).toBeNull()
    expect(bringAll(peers, '203.0.113.1')).toBeGreaterThan(0.8 * most)
  })

  it('are not used up for others by what is thrown away', () => {
    const [quiet, loud] = [newPeers().peers, newPeers().peers]
    bringAll(quiet, '192.0.2.1')
    bringAll(loud, '192.0.2.1')
    repeat(1_000, () => loud.takeBytes('192.0.2.1', 10_000))

    expect(bringAll(loud, '203.0.113.1')).toBe(bringAll(quiet, '203.0.113.1'))
  })
})
