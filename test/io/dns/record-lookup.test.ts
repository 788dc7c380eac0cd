import { afterEach, describe, expect, it } from 'vitest'
import {
  createRecordLookup,
  type RecordLookup,
  type RecordLookupOptions,
  VALUE_LENGTH_MAX,
  VALUES_MAX,
} from '../../../src/io/dns/record-lookup.ts'
import { type DnsRecords, type DnsServer, startDnsServer } from '../../support/servers/dns-server.ts'

/** A short wait for answers that never come. */
const QUICKLY = { timeoutMs: 500, tries: 1 }

let servers: DnsServer[] = []
let server: DnsServer
let lookup: RecordLookup

async function start(zone: Record<string, DnsRecords>, options: Partial<RecordLookupOptions> = {}): Promise<void> {
  server = await startServer(zone)
  lookup = createRecordLookup({ dnsServers: [server.address], ...options })
}

async function startServer(zone: Record<string, DnsRecords>): Promise<DnsServer> {
  const started = await startDnsServer(zone)
  servers.push(started)
  return started
}

afterEach(async () => {
  await Promise.all(servers.map((each) => each.close()))
  servers = []
})

const records = (...values: string[]) => ({ kind: 'records', values })
const ABSENT = { kind: 'absent' }
const unanswered = (reason: string) => ({ kind: 'unanswered', reason })

describe('the records at a name', () => {
  it('are texts in one piece, whatever pieces they are published in', async () => {
    await start({ 'example.test': { TXT: ['one', ['two ', 'pie', 'ces'], '', 'größer 🎉'] } })
    expect(await lookup.ask('example.test', 'TXT')).toEqual(records('one', 'two pieces', '', 'größer 🎉'))
  })

  it('are mail servers by priority, in lower case', async () => {
    await start({
      'example.test': {
        MX: [
          [20, 'B.Example.Test'],
          [10, 'a.example.test.'],
        ],
      },
      'null.test': { MX: [[0, '.']] },
    })
    expect(await lookup.ask('example.test', 'MX')).toEqual(records('10 a.example.test', '20 b.example.test'))
    expect(await lookup.ask('null.test', 'MX')).toEqual(records('0 .'))
  })

  it('are addresses, and the names of addresses', async () => {
    await start({
      'example.test': { A: ['192.0.2.1', '192.0.2.2'], AAAA: ['2001:db8::1'] },
      '1.2.0.192.in-addr.arpa': { PTR: ['Mail.Example.Test.'] },
      // A network smaller than a byte's (RFC 2317).
      '2.2.0.192.in-addr.arpa': { CNAME: '2.0-25.2.0.192.in-addr.arpa' },
      '2.0-25.2.0.192.in-addr.arpa': { PTR: ['other.example.test'] },
    })
    expect(await lookup.ask('example.test', 'A')).toEqual(records('192.0.2.1', '192.0.2.2'))
    expect(await lookup.ask('example.test', 'AAAA')).toEqual(records('2001:db8::1'))
    expect(await lookup.ask('1.2.0.192.in-addr.arpa', 'PTR')).toEqual(records('mail.example.test'))
    expect(await lookup.ask('2.2.0.192.in-addr.arpa', 'PTR')).toEqual(records('other.example.test'))
  })

  it('are the alias', async () => {
    await start({ 'links.example.test': { CNAME: 'Track.Example.Test.' } })
    expect(await lookup.ask('links.example.test', 'CNAME')).toEqual(records('track.example.test'))
  })

  it('are certificate authorities', async () => {
    await start({
      'example.test': {
        CAA: [
          [0, 'issue', 'letsencrypt.org; validationmethods=dns-01'],
          [128, 'tbs', 'a "b"'],
          [0, 'iodef', 'mailto:security@example.test'],
        ],
      },
    })
    expect(await lookup.ask('example.test', 'CAA')).toEqual(
      records('0 issue "letsencrypt.org; validationmethods=dns-01"', '128 tbs "a "b""', '0 iodef "mailto:security@example.test"'),
    )
  })

  it('are asked for over TCP when they are too long: a text of 4,000 characters', async () => {
    const text = `v=DKIM1; p=${'A'.repeat(4_000)}`
    await start({ 'ph1._domainkey.example.test': { TXT: [text] } })
    expect(await lookup.ask('ph1._domainkey.example.test', 'TXT')).toEqual(records(text))
    expect(server.queries).toEqual(['TXT ph1._domainkey.example.test', 'TXT ph1._domainkey.example.test over TCP'])
  })

  it('are as they are now, each time', async () => {
    await start({})
    const answers = [await lookup.ask('example.test', 'TXT')]
    for (const text of ['before', 'after']) {
      server.zone['example.test'] = { TXT: [text], ttl: 3_600 }
      answers.push(await lookup.ask('example.test', 'TXT'))
    }
    delete server.zone['example.test']
    answers.push(await lookup.ask('example.test', 'TXT'))
    expect(answers).toEqual([ABSENT, records('before'), records('after'), ABSENT])
  })

  it('are those of the name that an alias leads to', async () => {
    await start({
      'send.example.test': { CNAME: 'b.test' },
      'b.test': { CNAME: 'c.test' },
      'c.test': { TXT: ['v=spf1 -all'], MX: [[10, 'mx.test']] },
    })
    expect(await lookup.ask('send.example.test', 'TXT')).toEqual(records('v=spf1 -all'))
    expect(await lookup.ask('send.example.test', 'MX')).toEqual(records('10 mx.test'))
  })

  it('are found at the end of a long chain of aliases', async () => {
    const chain = Array.from({ length: 100 }, (_, index) => [`c${index}.test`, { CNAME: `c${index + 1}.test` }])
    await start({ ...Object.fromEntries(chain), 'c100.test': { TXT: ['end'] } })
    expect(await lookup.ask('c0.test', 'TXT')).toEqual(records('end'))
  })

  it('are waited for, however quickly the resolver answered before', async () => {
    await start(
      { 'quick.test': { TXT: ['x'] }, 'slow.test': { TXT: ['at last'], delayMs: 1_500 } },
      { timeoutMs: 10_000, tries: 2, timeMsMax: 30_000 },
    )
    for (let count = 0; count < 20; count += 1) await lookup.ask('quick.test', 'TXT')
    expect(await lookup.ask('slow.test', 'TXT')).toEqual(records('at last'))
  })

  it('are not more and not longer than anyone needs', async () => {
    const long = 'x'.repeat(VALUE_LENGTH_MAX + 1)
    await start({
      'many.test': { TXT: Array.from({ length: VALUES_MAX + 100 }, (_, index) => `text ${index}`) },
      'long.test': { TXT: [long] },
    })
    const many = Array.from({ length: VALUES_MAX }, (_, index) => `text ${index}`)
    expect(await lookup.ask('many.test', 'TXT')).toEqual(records(...many))
    expect(await lookup.ask('long.test', 'TXT')).toEqual(records(long.slice(0, VALUE_LENGTH_MAX)))
  })
})

describe('a record is absent', () => {
  it.each(['TXT', 'MX', 'CNAME', 'CAA', 'AAAA', 'PTR'] as const)('when the name does not exist, or has no %s', async (type) => {
    await start({ 'example.test': { A: ['192.0.2.1'] } })
    expect([await lookup.ask('example.test', type), await lookup.ask('nothing.test', type)]).toEqual([ABSENT, ABSENT])
  })

  it.each([
    ['leads to a name without it', { 'at.test': { CNAME: 'Parked.TEST' }, 'parked.test': { A: ['192.0.2.1'] } }, 'parked.test'],
    ['leads nowhere', { 'at.test': { CNAME: 'nothing.test' } }, 'nothing.test'],
    ['leads back to itself', { 'at.test': { CNAME: 'b.test' }, 'b.test': { CNAME: 'at.test' } }, 'b.test'],
  ])('when the alias at the name %s, which is told', async (_, zone, alias) => {
    await start(zone)
    expect(await lookup.ask('at.test', 'TXT')).toEqual({ kind: 'absent', alias })
    expect(await lookup.ask('at.test', 'MX')).toEqual({ kind: 'absent', alias })
    expect(await lookup.ask('at.test', 'CAA')).toEqual(ABSENT)
  })

  it('without an alias when the question for the alias fails', async () => {
    await start({ 'at.test': { A: ['192.0.2.1'], fault: 'SERVFAIL', faultOf: 'CNAME' } })
    expect(await lookup.ask('at.test', 'TXT')).toEqual(ABSENT)
  })
})

describe('there is no answer', () => {
  it.each<[string, DnsRecords, string, Partial<RecordLookupOptions>?]>([
    ['the resolver fails', { TXT: ['x'], fault: 'SERVFAIL' }, 'the resolver failed (SERVFAIL)'],
    ['the resolver refuses the question', { TXT: ['x'], fault: 'REFUSED' }, 'the resolver refused the question (REFUSED)'],
    ['the resolver is silent', { TXT: ['x'], fault: 'silence' }, 'no answer came in time', QUICKLY],
    ['the answer is cut and TCP is silent', { TXT: ['x'], fault: 'truncation' }, 'no answer came in time', QUICKLY],
    ['the answer is malformed', { TXT: ['xxxx'], fault: 'malformed' }, 'the answer was malformed'],
    ['the answer is to another question', { TXT: ['lie'], fault: 'otherQuestion' }, 'no answer came in time', QUICKLY],
  ])('when %s', async (_, faulty, reason, options) => {
    await start({ 'example.test': faulty }, options)
    expect(await lookup.ask('example.test', 'TXT')).toEqual(unanswered(reason))
  })

  it('when no resolver is there', async () => {
    await start({})
    await server.close()
    servers = []
    expect(await lookup.ask('example.test', 'TXT')).toEqual(unanswered('no resolver could be reached'))
  })

  it.each(['a..b', `${'a'.repeat(64)}.test`, '', 'a b\0'])('for %j, which is no name, and nothing fails', async (name) => {
    await start({})
    expect((await lookup.ask(name, 'TXT')).kind).not.toBe('records')
  })

  it('after the time for all tries and servers, and the next question is answered', async () => {
    await start({ 'silent.test': { fault: 'silence' }, 'example.test': { TXT: ['x'] } }, { tries: 1_000, timeMsMax: 6_000, lookupsMax: 1 })
    expect(await lookup.ask('silent.test', 'TXT')).toEqual(unanswered('no answer came in time'))
    expect(await lookup.ask('example.test', 'TXT')).toEqual(records('x'))
  })
})

describe('of several resolvers', () => {
  it.each(['SERVFAIL', 'REFUSED', 'silence', 'malformed'] as const)(
    'the next is asked after %s, and the first is asked first again',
    async (fault) => {
      const [first, second] = [
        await startServer({ 'example.test': { TXT: ['xxxx'], fault } }),
        await startServer({ 'example.test': { TXT: ['good'] } }),
      ]
      // The second try is for an answer that is late on a busy machine.
      lookup = createRecordLookup({ dnsServers: [first.address, second.address], ...QUICKLY, tries: 2, lookupsMax: 1 })
      expect(await lookup.ask('example.test', 'TXT')).toEqual(records('good'))
      if (fault === 'silence' || fault === 'malformed') return
      first.zone['example.test'] = { TXT: ['first'] }
      expect(await lookup.ask('example.test', 'TXT')).toEqual(records('first'))
    },
  )

  it('the failure of all is no answer, after each was asked', async () => {
    const all = [await startServer({ 'example.test': { fault: 'REFUSED' } }), await startServer({ 'example.test': { fault: 'SERVFAIL' } })]
    lookup = createRecordLookup({ dnsServers: all.map(({ address }) => address) })
    expect(await lookup.ask('example.test', 'TXT')).toEqual(unanswered('the resolver failed (SERVFAIL)'))
    expect(all.map(({ queries }) => queries)).toEqual([['TXT example.test'], ['TXT example.test']])
  })
})

describe('lookups', () => {
  const silent = Object.fromEntries(['a1', 'a2', 'a3', 'b1'].map((name) => [`${name}.test`, { fault: 'silence' } satisfies DnsRecords]))
  const asked = () => server.queries.map((query) => query.slice('TXT '.length, -'.test'.length))

  it('run in bounded numbers', async () => {
    await start(silent, { ...QUICKLY, lookupsMax: 2, waitingMax: 0 })
    const answers = await Promise.all(['a1', 'a2', 'a3'].map((name) => lookup.ask(`${name}.test`, 'TXT')))
    expect(answers.map((answer) => 'reason' in answer && answer.reason)).toEqual([
      'no answer came in time',
      'no answer came in time',
      'too many other lookups were waiting',
    ])
    expect(asked().sort()).toEqual(['a1', 'a2'])
  })

  it('that wait take turns between those who ask', async () => {
    await start(silent, { ...QUICKLY, lookupsMax: 1 })
    const ask = (name: string) => lookup.ask(`${name}.test`, 'TXT', name.charAt(0))
    await Promise.all(['a1', 'a2', 'a3', 'b1'].map(ask))
    expect(asked()).toEqual(['a1', 'a2', 'b1', 'a3'])
  })

  it('beyond those that may wait are not done', async () => {
    await start(silent, { ...QUICKLY, lookupsMax: 1, waitingMax: 1 })
    const answers = await Promise.all(['a1', 'a2', 'a3'].map((name) => lookup.ask(`${name}.test`, 'TXT')))
    expect(answers.map((answer) => 'reason' in answer && answer.reason)).toEqual([
      'no answer came in time',
      'no answer came in time',
      'too many other lookups were waiting',
    ])
    expect(asked()).toEqual(['a1', 'a2'])
  })
})
