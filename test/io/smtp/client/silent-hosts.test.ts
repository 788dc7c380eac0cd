import { describe, expect, it } from 'vitest'
import { createSilentHosts, type SilentHosts } from '../../../../src/io/smtp/client/silent-hosts.ts'
import { until } from '../../../support/clocks/until.ts'

/** Two places for hosts that are silent. */
function start(): {
  begin(setKey: string, isKnownSilent: boolean, wasReached?: boolean): ReturnType<SilentHosts['begin']>
  refused: string[]
} {
  const of = createSilentHosts({ connectionsMax: 8, silentAfterMs: 1 })
  const refused: string[] = []
  return {
    refused,
    begin: (setKey, isKnownSilent, wasReached = false) =>
      of({ setKey, connectionsMax: 20, onSilent: () => {} }).begin({ isKnownSilent, wasReached, onTooMany: () => refused.push(setKey) }),
  }
}

describe('a place for a silent host', () => {
  it('goes from one that is known to be silent to one that is not, which may only be slow', async () => {
    const { begin, refused } = start()
    const first = begin('known1', true)
    begin('known2', true)
    expect(begin('known3', true)).toBeNull()
    begin('slow', false)
    await until(() => expect(refused).toEqual(['known1']))
    expect(first?.end()).toBe(true)
    // All places are still taken.
    expect(begin('known3', true)).toBeNull()
    begin('slow too', false)
    await until(() => expect(refused).toEqual(['known1', 'known2']))
    begin('third', false)
    await until(() => expect(refused).toEqual(['known1', 'known2', 'third']))
  })

  it('is not taken from one that took a connection before', async () => {
    const { begin, refused } = start()
    begin('known1', true)
    expect(begin('reached', true, true)).not.toBeNull()
    expect(begin('reached too', true, true)).not.toBeNull()
    expect(refused).toEqual(['known1'])
    begin('slow', false)
    await until(() => expect(refused).toEqual(['known1', 'slow']))
  })

  it('is given back once, however often its wait ends', () => {
    const { begin } = start()
    const first = begin('known1', true)
    begin('known2', true)
    first?.end()
    first?.end()
    expect(begin('known3', true)).not.toBeNull()
    expect(begin('known4', true)).toBeNull()
  })
})
