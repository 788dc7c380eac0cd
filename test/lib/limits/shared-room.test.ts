import { expect, it } from 'vitest'
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
