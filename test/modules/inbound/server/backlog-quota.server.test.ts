import { describe, expect, it } from 'vitest'
import type { WaitingContents } from '../../../../src/modules/inbound/receiving.repository.ts'
import { type BacklogQuota, createBacklogQuota } from '../../../../src/modules/inbound/server/backlog-quota.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'

const LIMITS = { waitingMessagesMax: 80, waitingBytesMax: 8_000 }
const LOOKED_AT_EVERY_MS = 2_000

function newRoom(inDatabase: WaitingContents[] = []) {
  const clock = createMovingClock()
  const looks: number[] = []
  const count = async (limit: number) => {
    looks.push(limit)
    return inDatabase
  }
  return { clock, looks, room: createBacklogQuota({ limits: LIMITS, clock, count }) }
}

/** Brings messages until one is refused. */
async function bringAll(room: BacklogQuota, address: string, bytes = 10): Promise<number> {
  for (let brought = 0; ; brought += 1) {
    if (!(await room.hasRoom(address))) return brought
    const message = room.open(address)
    const isStored = await message.add(bytes)
    message.end(isStored ? 1 : 0)
    if (!isStored) return brought
  }
}

describe('room for messages that wait', () => {
  it('is left for others by a network that brings as much as it can, whatever its addresses', async () => {
    const { room } = newRoom()
    expect(await bringAll(room, '192.0.2.1')).toBe(40)
    expect(await room.hasRoom('192.0.2.99')).toBe(false)
    expect([await bringAll(room, '198.51.100.1'), await bringAll(room, '2001:db8::1')]).toEqual([20, 10])
    expect(await room.hasRoom('203.0.113.1')).toBe(true)
  })

  it('has a number of bytes, which count from when they arrive', async () => {
    const { room } = newRoom()
    const large = room.open('192.0.2.1')
    expect([await large.add(3_999), await large.add(1)]).toEqual([true, false])
    expect([await room.hasRoom('192.0.2.1'), await room.hasRoom('198.51.100.1')]).toEqual([false, true])
    large.end(0)
    expect(await room.hasRoom('192.0.2.1')).toBe(true)
  })

  it('is taken up by what other processes stored, and free again after it was read', async () => {
    const waiting = [
      { peer: '192.0.2.1', messages: 30, bytes: 300 },
      { peer: '192.0.2.2', messages: 10, bytes: 100 },
    ]
    const { room, clock } = newRoom(waiting)
    expect([await room.hasRoom('192.0.2.3'), await room.hasRoom('198.51.100.1')]).toEqual([false, true])
    waiting.length = 0
    expect(await room.hasRoom('192.0.2.3')).toBe(false)
    clock.advance(LOOKED_AT_EVERY_MS)
    expect(await room.hasRoom('192.0.2.3')).toBe(true)
  })

  it('is looked at every two seconds, however many ask, and what arrives meanwhile is not forgotten', async () => {
    const { room, clock, looks } = newRoom()
    const arriving = room.open('192.0.2.1')
    await Promise.all(Array.from({ length: 50 }, () => arriving.add(80)))
    expect(looks).toEqual([LIMITS.waitingMessagesMax])
    clock.advance(LOOKED_AT_EVERY_MS)
    expect([await room.hasRoom('192.0.2.1'), await room.hasRoom('198.51.100.1')]).toEqual([false, true])
    expect(looks).toHaveLength(2)
  })
})
