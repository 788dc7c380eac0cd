import { describe, expect, it } from 'vitest'
import { type KnownPlaces, placesToTry } from '../../../../src/io/smtp/client/direct-places.ts'
import type { MxHost } from '../../../../src/io/smtp/client/mx-directory.ts'

/** `a:3` has the addresses a1 to a3. The first is preferred. */
const hostsOf = (...texts: string[]): MxHost[] =>
  texts.map((text, preference) => {
    const [name = '', count] = text.split(':')
    return { name, preference, addresses: Array.from({ length: Number(count) }, (_, index) => `${name}${index + 1}`) }
  })

type Known = Partial<Pick<KnownPlaces, 'isAllowed'>> & {
  /** When an address failed. */
  failed?: Record<string, number>
  hurried?: string[]
  reached?: string[]
}

const placesOf = (hosts: MxHost[], { failed = {}, hurried = [], reached = [], isAllowed = () => true }: Known = {}): string =>
  placesToTry(hosts, {
    random: () => 0,
    isAllowed,
    failureOf({ address }) {
      const atMs = failed[address]
      return atMs === undefined ? null : { atMs, wasHurried: hurried.includes(address) }
    },
    wasReached: ({ address }) => reached.includes(address),
  })
    .map(({ address }) => address)
    .join(' ')

describe('an attempt', () => {
  it.each<[string, MxHost[], Known, string]>([
    ['tries the hosts in their order', hostsOf('a:1', 'b:1'), {}, 'a1 b1'],
    ['tries all addresses of an only host', hostsOf('a:3'), {}, 'a1 a2 a3'],
    ['tries the next host after two addresses of one', hostsOf('a:4', 'b:3'), {}, 'a1 a2 b1 b2 a3 a4 b3'],
    ['tries eight addresses at most', hostsOf('a:12'), {}, 'a1 a2 a3 a4 a5 a6 a7 a8'],
    ['tries four hosts at most', hostsOf('a:1', 'b:1', 'c:1', 'd:1', 'e:1'), {}, 'a1 b1 c1 d1'],
    ['tries what failed last', hostsOf('a:1', 'b:1', 'c:1'), { failed: { a1: 1 } }, 'b1 c1 a1'],
    [
      'continues after four hosts that failed',
      hostsOf('a:1', 'b:1', 'c:1', 'd:1', 'e:1', 'f:1'),
      { failed: { a1: 1, b1: 2, c1: 3, d1: 4 } },
      'e1 f1 a1 b1',
    ],
    ['begins anew with what failed longest ago', hostsOf('a:1', 'b:1', 'c:1'), { failed: { a1: 3, b1: 1, c1: 2 } }, 'b1 c1 a1'],
    ['has more time for the one that had little', hostsOf('a:1', 'b:1'), { failed: { a1: 1, b1: 2 }, hurried: ['a1'] }, 'b1 a1'],
    [
      'tries two hosts although one has many addresses that did not fail',
      hostsOf('a:9', 'b:1'),
      { failed: { b1: 1 } },
      'a1 a2 a3 a4 a5 a6 a7 b1',
    ],
    ['tries one that took mail before, after all others', hostsOf('a:1', 'b:1', 'c:1', 'd:1', 'e:1'), { reached: ['e1'] }, 'a1 b1 c1 e1'],
    ['leaves out what is not allowed', hostsOf('a:2', 'b:1'), { isAllowed: ({ address }) => address !== 'a1' }, 'a2 b1'],
    [
      'tries an address once that two hosts have',
      [
        { name: 'a', preference: 1, addresses: ['1'] },
        { name: 'b', preference: 2, addresses: ['1', '2'] },
      ],
      {},
      '1 2',
    ],
  ])('%s', (_what, hosts, known, expected) => {
    expect(placesOf(hosts, known)).toBe(expected)
  })

  it('reaches each of fifty dead hosts before it begins anew', () => {
    const names = Array.from({ length: 50 }, (_, index) => `h${index}-:1`)
    const failed: Record<string, number> = {}
    for (let attempt = 0; attempt < 13; attempt++)
      for (const address of placesOf(hostsOf(...names), { failed }).split(' ')) failed[address] = attempt
    expect(Object.keys(failed)).toHaveLength(50)
  })
})
