import { describe, expect, it } from 'vitest'
import { BROADCAST_MOVES, BROADCAST_STATUSES, refusedMove, statusesFor } from '../../../src/modules/broadcasts/broadcast-states.ts'

const MOVES = Object.entries(BROADCAST_MOVES).flatMap(([act, moves]) =>
  Object.entries(moves).map(([from, to]) => `${act}: ${from} -> ${to}`),
)

it('allows these moves and no others', () => {
  expect(MOVES).toEqual([
    'update: draft -> draft',
    'update: scheduled -> scheduled',
    'rename: draft -> draft',
    'rename: scheduled -> scheduled',
    'rename: queued -> queued',
    'rename: paused -> paused',
    'rename: sent -> sent',
    'rename: canceled -> canceled',
    'delete: draft -> null',
    'delete: scheduled -> null',
    'schedule: draft -> scheduled',
    'schedule: scheduled -> scheduled',
    'send: draft -> queued',
    'send: scheduled -> queued',
    'start: scheduled -> queued',
    'pause: queued -> paused',
    'resume: paused -> queued',
    'cancel: scheduled -> draft',
    'cancel: queued -> canceled',
    'cancel: paused -> canceled',
    'finish: queued -> sent',
  ])
})

it('leaves the two final states by nothing but a new name', () => {
  for (const status of ['sent', 'canceled'] as const)
    expect(Object.values(BROADCAST_MOVES).filter((moves) => status in moves)).toEqual([BROADCAST_MOVES.rename])
})

it('reaches every state from a draft', () => {
  const reached = new Set<string>(['draft'])
  for (let size = 0; size < reached.size; ) {
    size = reached.size
    for (const moves of Object.values(BROADCAST_MOVES))
      for (const [from, to] of Object.entries(moves)) if (reached.has(from) && to) reached.add(to)
  }
  expect([...reached].sort()).toEqual([...BROADCAST_STATUSES].sort())
})

describe('what a client is told', () => {
  it('names the status, and those in which the act is allowed', () => {
    expect(statusesFor('cancel')).toEqual(['scheduled', 'queued', 'paused'])
    expect(refusedMove('cancel', 'sent')).toBe(
      'This broadcast cannot be canceled: its status is `sent`, and must be `scheduled` or `queued` or `paused`.',
    )
  })
})
