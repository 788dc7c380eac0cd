import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createDestinationLimits,
  DEFAULT_LIMIT,
  PROVIDERS,
  parseLimitOverrides,
  providerOf,
} from '../../../../src/io/smtp/client/destination-limits.ts'

describe('providerOf', () => {
  it.each([
    ['Gmail', 'google', ['gmail-smtp-in.l.google.com', 'alt1.gmail-smtp-in.l.google.com']],
    ['Google Workspace', 'google', ['aspmx.l.google.com', 'aspmx2.googlemail.com']],
    ['a customer of Microsoft 365', 'microsoft-365', ['contoso-com.mail.protection.outlook.com']],
    ['a customer of Microsoft 365 with DNSSEC', 'microsoft-365', ['contoso-com.o-v1.mx.microsoft']],
    ['Outlook.com', 'outlook', ['hotmail-com.olc.protection.outlook.com']],
    ['Yahoo', 'yahoo', ['mta5.am0.yahoodns.net']],
    ['AOL', 'yahoo', ['mx-aol.mail.gm0.yahoodns.net']],
    ['iCloud', 'icloud', ['mx01.mail.icloud.com']],
    ['GMX', 'gmx', ['mx00.emig.gmx.net']],
    ['web.de', 'gmx', ['mx-ha02.web.de']],
    ['Proton', 'proton', ['mail.protonmail.ch', 'mailsec.protonmail.ch']],
    ['Fastmail', 'fastmail', ['in1-smtp.messagingengine.com']],
    ['any letter case and a dot at the end', 'google', ['ASPMX.L.Google.COM.']],
  ])('knows %s', (_, name, hosts) => expect(providerOf(hosts)).toBe(name))

  it.each([
    ['a name that only ends with the same letters', ['mail.notgoogle.com']],
    ['a foreign host beside its own', ['aspmx.l.google.com', 'slow.example.com']],
    ['hosts of two providers', ['aspmx.l.google.com', 'mx01.mail.icloud.com']],
    ['no hosts', []],
    ['a provider as part of a longer name', ['google.com.example.net']],
  ])('is not deceived by %s', (_, hosts) => expect(providerOf(hosts)).toBeNull())
})

describe('the table', () => {
  it('says for every figure where it comes from', () => {
    for (const { name, source } of PROVIDERS) expect([name, source.length > 20]).toEqual([name, true])
  })

  it('names every provider and every suffix once', () => {
    const names = PROVIDERS.flatMap(({ name, mxSuffixes }) => [name, ...mxSuffixes])
    expect(new Set(names).size).toBe(names.length)
  })

  it("keeps to Yahoo's twenty messages on a connection", () => {
    expect(createDestinationLimits()(['mta5.am0.yahoodns.net']).messagesPerConnectionMax).toBe(20)
  })
})

describe('limits', () => {
  const limitsWith = (text: string) => {
    const parsed = parseLimitOverrides(text)
    if ('problem' in parsed) throw new Error(parsed.problem)
    return createDestinationLimits(parsed.overrides)
  }
  const figures = (text: string, ...hosts: string[]) => {
    const { connectionsMax, messagesPerConnectionMax } = limitsWith(text)(hosts)
    return `${connectionsMax}x${messagesPerConnectionMax}`
  }

  it('are the default for everyone who is not in the table', () => {
    expect(createDestinationLimits()(['mx.example.com'])).toEqual(DEFAULT_LIMIT)
    expect(createDestinationLimits()([])).toEqual(DEFAULT_LIMIT)
  })

  it('are those of the strictest host', () => {
    expect(figures('a.test=3x100,b.test=9x10', 'mx.a.test', 'mx.b.test')).toBe('3x10')
  })

  it.each([
    ['by its name', 'google=7x8', 'aspmx2.googlemail.com'],
    ['by one of its suffixes, for all of them', 'google.com=7x8', 'aspmx2.googlemail.com'],
    ['for one host', 'aspmx.l.google.com=7x8', 'aspmx.l.google.com'],
    ['by a longer suffix than that of the table', 'l.google.com=7x8', 'aspmx.l.google.com'],
    ['that is not in the table', 'example.com=7x8', 'mx1.example.com'],
    ['that is nowhere else', '*=7x8', 'mx1.example.com'],
    ['more exactly than another override', 'example.com=1x1,mx1.example.com=7x8', 'mx1.example.com'],
  ])('can be set for a destination %s', (_, text, host) => expect(figures(text, host)).toBe('7x8'))

  it('of the table stay when only the rest is set', () => {
    expect(limitsWith('*=1x1')(['aspmx.l.google.com'])).toEqual(createDestinationLimits()(['aspmx.l.google.com']))
  })
})

describe('parseLimitOverrides', () => {
  it('reads names, connections and messages per connection', () => {
    expect(parseLimitOverrides(' Google.com = 20x100 ,, *=5X50, mx.example.com.=1x1')).toEqual({
      overrides: [
        { name: 'google.com', connectionsMax: 20, messagesPerConnectionMax: 100 },
        { name: '*', connectionsMax: 5, messagesPerConnectionMax: 50 },
        { name: 'mx.example.com', connectionsMax: 1, messagesPerConnectionMax: 1 },
      ],
    })
  })

  it('reads nothing as no overrides', () => expect(parseLimitOverrides('  ')).toEqual({ overrides: [] }))

  it.each([
    ['google.com', '"google.com" must look like google.com=20x100: a name, connections, x, messages per connection'],
    ['a=1x1, google.com=20', '"google.com=20" must look like google.com=20x100: a name, connections, x, messages per connection'],
    ['a=-1x5', '"a=-1x5" must look like google.com=20x100: a name, connections, x, messages per connection'],
    ['a=1.5x5', '"a=1.5x5" must look like google.com=20x100: a name, connections, x, messages per connection'],
    ['=1x5', '"=1x5" must look like google.com=20x100: a name, connections, x, messages per connection'],
    ['.=1x5', '".=1x5" must look like google.com=20x100: a name, connections, x, messages per connection'],
    ['*.google.com=1x5', '"*.google.com" is neither a host name nor a provider nor *'],
    ['a..b=1x5', '"a..b" is neither a host name nor a provider nor *'],
    ['a=0x5', '"a=0x5" must have 1 to 1000 connections'],
    ['a=1001x5', '"a=1001x5" must have 1 to 1000 connections'],
    ['a=5x0', '"a=5x0" must have 1 to 10000 messages per connection'],
    ['a=5x10001', '"a=5x10001" must have 1 to 10000 messages per connection'],
    ['a.test=1x1,A.TEST.=2x2', '"a.test" is named twice'],
  ])('says what is wrong with %j', (text, problem) => expect(parseLimitOverrides(text)).toEqual({ problem }))

  it('never fails, and never lets a limit through that is none', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('a', '.', '=', 'x', '1', '0', '*', ',', ' ', '-') }))
    fc.assert(
      fc.property(text, (given) => {
        const parsed = parseLimitOverrides(given)
        if ('problem' in parsed) expect(parsed.problem).not.toBe('')
        else
          for (const { connectionsMax, messagesPerConnectionMax } of parsed.overrides)
            expect(Math.min(connectionsMax, messagesPerConnectionMax)).toBeGreaterThanOrEqual(1)
      }),
    )
  })
})
