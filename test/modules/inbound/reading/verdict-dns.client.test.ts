import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createVerdictDns } from '../../../../src/modules/inbound/reading/verdict-dns.ts'
import { startDnsServer } from '../../../support/servers/dns-server.ts'
import { shared } from '../../../support/servers/service.ts'

const SILENT = { fault: 'silence' } as const
/** Only where nothing answers: what answers has the time that mail has. */
const HASTE = { timeoutMs: 200, questionMsMax: 800 }

let nothing: Socket
const dns = shared(() => startDnsServer({}))
beforeAll(async () => {
  nothing = createSocket('udp4').bind(0, '127.0.0.1')
  await once(nothing, 'listening')
})
afterAll(() => nothing.close())

const at = (address: string, times = {}) => createVerdictDns({ dnsServers: [address], ...times })

/** `answer`, or the code of the error. */
const outcomeOf = (asking: Promise<unknown>): Promise<string> =>
  asking.then(
    () => 'answer',
    ({ code }) => String(code),
  )

describe('the DNS as verdicts ask it', () => {
  it('remembers that the servers of a domain are silent, and asks others', async () => {
    const { during } = at(dns.address)
    dns.zone['a.silent.example'] = SILENT
    dns.zone['answers.example'] = { TXT: ['hello'] }
    expect(await outcomeOf(during(60_000)('a.silent.example', 'TXT'))).toBe('ETIMEOUT')
    dns.queries.length = 0

    const names = ['a.silent.example', 'b.silent.example', '_dmarc.silent.example', 'answers.example']
    const outcomes = await Promise.all(names.map((name) => outcomeOf(during(60_000)(name, 'TXT'))))

    expect(outcomes).toEqual(['ETIMEOUT', 'ETIMEOUT', 'ETIMEOUT', 'answer'])
    // A busy machine may ask twice.
    expect(new Set(dns.queries)).toEqual(new Set(['TXT answers.example']))
  })

  it('does not take servers for silent whose message had no time left', async () => {
    const { during } = at(dns.address)
    dns.zone['late.example'] = { TXT: ['hello'], delayMs: 300 }
    expect(await outcomeOf(during(20)('late.example', 'TXT'))).toBe('ETIMEOUT')
    expect(await outcomeOf(during(60_000)('late.example', 'TXT'))).toBe('answer')
  })

  it('holds up few messages if its own resolver is silent: one question at a time finds out when it answers again', async () => {
    const { during } = at(`127.0.0.1:${nothing.address().port}`, HASTE)
    let asked = 0
    nothing.on('message', (message) => {
      if (message.includes('later')) asked += 1
    })
    const ask = (name: string) => outcomeOf(during(10_000)(`${name}.example`, 'TXT'))
    await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`early${index}`)))

    const startedAtMs = performance.now()
    const outcomes: string[] = []
    for (let index = 0; index < 1_000; index += 1) outcomes.push(await ask(`later${index}`))

    expect(outcomes).toEqual(Array(1_000).fill('ETIMEOUT'))
    const elapsedMs = performance.now() - startedAtMs
    expect(asked).toBeLessThanOrEqual(2 * (1 + elapsedMs / HASTE.questionMsMax))
    expect(elapsedMs).toBeLessThan(30_000)
  })

  it('asks as before once its resolver has answered', async () => {
    const { during } = at(dns.address)
    for (let index = 0; index < 25; index += 1) dns.zone[`d${index}.example`] = SILENT
    await Promise.all(Array.from({ length: 25 }, (_, index) => outcomeOf(during(60_000)(`d${index}.example`, 'TXT'))))
    dns.zone['other.example'] = { TXT: ['hello'] }
    dns.zone['third.example'] = { TXT: ['hello'] }
    await expect.poll(() => outcomeOf(during(60_000)('other.example', 'TXT'))).toBe('answer')
    const both = ['third.example', 'fourth.example'].map((name) => outcomeOf(during(60_000)(name, 'TXT')))
    expect(await Promise.all(both)).toEqual(['answer', 'ENOTFOUND'])
  })

  it('is asked a bounded number of questions for one message', async () => {
    // Each has the time for its answer on a busy machine: what is counted is questions.
    const patient = createVerdictDns({ dnsServers: [dns.address], timeoutMs: 5_000, questionMsMax: 10_000 })
    const resolve = patient.during(60_000)
    const outcomes: string[] = []
    for (let index = 0; index < 121; index += 1) outcomes.push(await outcomeOf(resolve(`n${index}.example`, 'TXT')))
    expect(outcomes).toEqual([...Array(120).fill('ENOTFOUND'), 'ETIMEOUT'])
  })
})
