// Keys that are not answered leave room for those that are.
import { beforeEach, describe, expect, it } from 'vitest'
import { createRecordLookup } from '../../../src/io/dns/record-lookup.ts'
import { createSignatureKeys, type SignatureKeys } from '../../../src/modules/bounces/complaint-verifier.ts'
import { createMovingClock, type MovingClock } from '../../support/clocks/clocks.ts'
import { startDnsServer } from '../../support/servers/dns-server.ts'
import { shared } from '../../support/servers/service.ts'

const KEY = { TXT: ['v=DKIM1; p='] }

let clock: MovingClock
let keys: SignatureKeys

const dns = shared(() => startDnsServer({}))

beforeEach(() => {
  clock = createMovingClock()
  dns.queries.length = 0
  keys = createKeys({ timeoutMs: 5_000 })
})

/** What is late on a busy machine comes to the second try. */
function createKeys({ timeoutMs }: { timeoutMs: number }): SignatureKeys {
  const lookup = createRecordLookup({ dnsServers: [dns.address], timeoutMs, tries: 2 })
  return createSignatureKeys({ dns: lookup, clock })
}

const signer = (domain: string, selector = 's1') => ({ domain, selector })
const nameOf = (domain: string, selector = 's1') => `${selector}._domainkey.${domain}`

describe('the key of a signature', () => {
  it('is asked for once by all that need it at the same time, and again after a minute', async () => {
    dns.zone[nameOf('honest.example')] = KEY
    const found = { found: { [nameOf('honest.example')]: KEY.TXT }, areAll: true }
    const all = await Promise.all(Array.from({ length: 100 }, () => keys.of([signer('honest.example')])))
    expect(all).toEqual(Array.from({ length: 100 }, () => found))
    await keys.of([signer('honest.example')])
    expect(dns.queries).toHaveLength(1)
    clock.advance(61_000)
    await keys.of([signer('honest.example')])
    expect(dns.queries).toHaveLength(2)
  })

  it('is found while a domain asks for any number that no one answers, under any of its names', async () => {
    keys = createKeys({ timeoutMs: 1_000 })
    dns.zone[nameOf('honest.example')] = KEY
    const names = Array.from({ length: 100 }, (_, number) => [`h${number}.hostile.example`, `s${number}`] as const)
    for (const [domain, selector] of names) dns.zone[nameOf(domain, selector)] = { fault: 'silence' }
    const hostile = names.map(([domain, selector]) => keys.of([signer(domain, selector)]))

    expect(await keys.of([signer('honest.example')])).toEqual({ found: { [nameOf('honest.example')]: KEY.TXT }, areAll: true })
    expect(await Promise.all(hostile)).toEqual(names.map(() => ({ found: {}, areAll: false })))
    expect(new Set(dns.queries.filter((query) => query.includes('hostile'))).size).toBe(5)
  })

  it('is not waited for after the worker was told to stop', async () => {
    dns.zone[nameOf('silent.example')] = { fault: 'silence' }
    expect(await keys.of([signer('silent.example')], AbortSignal.abort())).toEqual({ found: {}, areAll: false })
  })
})
