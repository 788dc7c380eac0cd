import { describe, expect, it, vi } from 'vitest'
import { createSharedRoom } from '../../../src/lib/limits/shared-room.ts'

const room = () => createSharedRoom({ bytesMax: 100, shareBytesMax: 60 })

it('gives each owner as much as a share, and all of them together as much as there is', () => {
  const { take } = room()
  expect([take('a', 40), take('a', 20), take('a', 1), take('b', 41), take('b', 40), take('c', 1)]).toEqual([
    'taken',
    'taken',
    'shareFull',
    'full',
    'taken',
    'full',
  ])
})

it('takes nothing where it refuses, and has again what is given back', () => {
  const { take, giveBack } = room()
  take('a', 60)
  expect(take('b', 50)).toBe('full')
  expect(take('b', 40)).toBe('taken')
  giveBack('a', 60)
  expect([take('b', 21), take('b', 20), take('a', 40), take('a', 1)]).toEqual(['shareFull', 'taken', 'taken', 'full'])
})

it('what is larger than the room, or than a share, has it alone', () => {
  const { take, giveBack } = room()
  expect([take('a', 200), take('b', 1)]).toEqual(['taken', 'full'])
  giveBack('a', 200)
  expect([take('b', 1), take('a', 200)]).toEqual(['taken', 'full'])
})

describe('those who wait', () => {
  const msMax = 60_000

  it('get room in their order, and a newcomer that would fit does not overtake them', async () => {
    const { take, takeSoon, giveBack } = room()
    take('a', 60)
    const order: string[] = []
    const large = takeSoon('b', 60, { msMax }).then((answer) => order.push(`large ${answer}`))
    const small = takeSoon('c', 10, { msMax }).then((answer) => order.push(`small ${answer}`))
    giveBack('a', 60)
    await Promise.all([large, small])
    expect(order).toEqual(['large taken', 'small taken'])
  })

  it('do not wait for one whose own share is taken', async () => {
    const { take, takeSoon, giveBack } = room()
    take('a', 60)
    const theirs = takeSoon('a', 10, { msMax })
    expect(await takeSoon('b', 40, { msMax })).toBe('taken')
    giveBack('a', 60)
    expect(await theirs).toBe('taken')
  })

  it('are told why when they have waited long enough, or are gone, and hold nothing then', async () => {
    vi.useFakeTimers()
    try {
      const { take, takeSoon, giveBack } = room()
      take('a', 60)
      take('b', 40)
      const gone = new AbortController()
      const answers = [takeSoon('a', 10, { msMax }), takeSoon('c', 10, { msMax }), takeSoon('d', 10, { msMax, signal: gone.signal })]
      gone.abort()
      vi.advanceTimersByTime(msMax)
      expect(await Promise.all(answers)).toEqual(['shareFull', 'full', 'full'])
      giveBack('a', 60)
      giveBack('b', 40)
      expect([take('c', 60), take('d', 40)]).toEqual(['taken', 'taken'])
    } finally {
      vi.useRealTimers()
    }
  })
})
