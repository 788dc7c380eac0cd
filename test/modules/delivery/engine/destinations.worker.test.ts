// How much bulk mail may be claimed while people wait for other mail.
import { describe, expect, it } from 'vitest'
import type { Context } from '../../../../src/context.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { createId } from '../../../../src/lib/ids.ts'
import { createDestinations } from '../../../../src/modules/delivery/engine/destinations.ts'
import type { ClaimedDelivery } from '../../../../src/modules/delivery/queue/deliveries.repository.ts'
import { createUrgentMail } from '../../../../src/modules/delivery/recent-work.ts'
import type { LaneClass } from '../../../../src/modules/emails/new-delivery.ts'

const RELAY = { relay: {}, direct: null }
/** 80 % of 240. */
const SHARE_OF_BULK = 192

function start({ gateways = RELAY as object, connections = 20 } = {}) {
  let nowMs = 0
  const context = { gateways, config: { smtpRelayConnections: connections } } as unknown as Context
  const urgentMail = createUrgentMail({ monotonicMs: () => nowMs })
  let isMaking = false
  const destinations = createDestinations(context, {
    lease: {} as never,
    urgentMail,
    recentFanOut: { isRecent: () => isMaking },
    onRoom() {},
  })
  return {
    make(now: boolean) {
      isMaking = now
    },
    begin: (kind: LaneClass, { count = 1, attemptCount = 0 } = {}) =>
      Array.from({ length: count }, () => {
        const delivery = { id: createId(), class: kind, address: 'ada@example.org', attemptCount } as ClaimedDelivery
        destinations.begin(delivery)
        return delivery
      }),
    end: (deliveries: ClaimedDelivery[]) => deliveries.forEach(destinations.end),
    free: () => destinations.room().freeForBulk,
    pass(ms: number) {
      nowMs += ms
    },
  }
}

it('bulk mail for a relay has fewer places until no transactional mail has come for ten seconds', () => {
  const { begin, end, free, pass } = start()
  expect(free()).toBe(SHARE_OF_BULK)
  end(begin('transactional'))
  expect(free()).toBe(60)
  pass(9_999)
  expect(free()).toBe(60)
  pass(1)
  expect(free()).toBe(SHARE_OF_BULK)
})

it('there are even fewer while emails of broadcasts are made, but only beside transactional mail', () => {
  const { begin, end, free, make } = start()
  make(true)
  expect(free()).toBe(SHARE_OF_BULK)
  end(begin('transactional'))
  expect(free()).toBe(40)
  make(false)
  expect(free()).toBe(60)
})

it('what is in progress takes places, and a few free ones are not used', () => {
  const { begin, end, free } = start()
  begin('transactional')
  const bulk = begin('bulk', { count: 40 })
  expect(free()).toBe(20)
  begin('bulk')
  expect(free()).toBe(0)
  end(bulk)
  expect(free()).toBe(59)
})

it('bulk mail that was begun before it keeps its places', () => {
  const { begin, end, free } = start()
  const bulk = begin('bulk', { count: 100 })
  expect(free()).toBe(SHARE_OF_BULK - 100)
  begin('transactional')
  expect(free()).toBe(0)
  end(bulk)
  expect(free()).toBe(60)
})

it.each([
  ['has another number of connections', { connections: 5 }, 45],
  ['has more connections than bulk mail has places', { connections: 1_000 }, SHARE_OF_BULK],
  ['does not exist', { gateways: { relay: null, direct: null } }, SHARE_OF_BULK],
])('a relay that %s', (_what, options, expected) => {
  const { begin, free } = start(options)
  begin('transactional')
  expect(free()).toBe(expected)
})

it('neither bulk mail nor a later try is waited for', () => {
  const { begin, end, free } = start()
  end([...begin('bulk'), ...begin('transactional', { attemptCount: 1 })])
  expect(free()).toBe(SHARE_OF_BULK)
})

describe('a refusal is by the recipient', () => {
  const refusal = {
    kind: 'delayed',
    code: 450,
    enhancedCode: null,
    text: 'No',
    host: 'mx.example',
    tls: null,
    durationMs: 1,
    stage: 'rcpt',
  }
  const set = { key: 'mx.example', hosts: [] }
  const transmit = async (more: object, gateways = directThat(more)) => {
    const destinationPaces = { changedSince: async () => [] }
    const context = { gateways, config: {}, repositories: { destinationPaces }, clock: systemClock } as unknown as Context
    const lease = { isHeld: () => true } as never
    const destinations = createDestinations(context, { lease, urgentMail: {} as never, recentFanOut: {} as never, onRoom() {} })
    const outcome = await destinations.transmit({ address: 'ada@example.org', class: 'transactional' } as ClaimedDelivery, {} as never)
    await destinations.stop()
    return outcome
  }
  const directThat = (more: object): object => ({
    relay: null,
    direct: { directory: { lookUp: async () => ({ set }) }, delivery: { send: async () => ({ ...refusal, ...more }) } },
  })

  it.each([
    ['to the recipient', {}, true],
    ['to the message', { stage: 'end', code: 552, kind: 'bounced' }, true],
    ['to our name', { stage: 'greeting', code: 554 }, false],
    ['to the sender', { stage: 'mail', code: 421 }, false],
    ['that did not come', { stage: 'connect', code: null }, false],
    ['that did not come after the message', { stage: 'end', code: null }, false],
  ])('if its server gave it as its reply %s', async (_what, more, expected) => {
    expect(await transmit(more)).toMatchObject({ isRefusalByRecipient: expected })
  })

  it('and not if a relay gave it', async () => {
    expect(await transmit({}, { direct: null, relay: { send: async () => refusal } })).not.toHaveProperty('isRefusalByRecipient')
  })
})
