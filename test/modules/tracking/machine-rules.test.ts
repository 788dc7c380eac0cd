import { describe, expect, it } from 'vitest'
import { findMachineRule, MACHINE_RULES, type ObservedEvent } from '../../../src/modules/tracking/machine-rules.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'
const GMAIL = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'
const PERSON: ObservedEvent = {
  kind: 'click',
  method: 'GET',
  userAgent: FIREFOX,
  address: '192.0.2.7',
  msAfterDelivery: 60_000,
  linksAtOnce: 1,
  isTrapped: false,
}

describe('a person is', () => {
  it.each<[string, Partial<ObservedEvent>]>([
    ['someone with a browser', {}],
    ['someone whose delivery is not known', { msAfterDelivery: null }],
    ['someone who follows two links', { linksAtOnce: 2 }],
    ['someone who opens after two seconds', { kind: 'open', msAfterDelivery: 2_000 }],
    ['a reader at Gmail', { kind: 'open', userAgent: GMAIL }],
    ['a reader at Yahoo', { kind: 'open', userAgent: 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html' }],
    ['a reader with Outlook', { kind: 'open', userAgent: 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)' }],
    ['a reader with Outlook on a phone', { kind: 'open', userAgent: 'Outlook-iOS/2.0' }],
    [
      'a reader with Thunderbird',
      { kind: 'open', userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.5.0' },
    ],
    ['a reader with Evolution', { kind: 'open', userAgent: 'Evolution/3.54' }],
    [
      'a reader with Apple Mail without its proxy',
      { kind: 'open', userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)' },
    ],
    [
      'a browser that gives only the beginning of its name',
      { kind: 'open', userAgent: 'Mozilla/5.0 (Linux; Android 13; SM-S901B) AppleWebKit/537.36' },
    ],
  ])('%s', (_who, event) => {
    expect(findMachineRule({ ...PERSON, ...event })).toBe(null)
  })
})

const MARKED: [string, Partial<ObservedEvent>][] = [
  ['head-request', { method: 'HEAD' }],
  ['no-user-agent', { userAgent: '' }],
  ['apple-privacy-proxy', { kind: 'open', userAgent: 'Mozilla/5.0' }],
  [
    'gmail-prefetch',
    {
      kind: 'open',
      userAgent:
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0',
    },
  ],
  ['image-proxy', { kind: 'open', userAgent: GMAIL, msAfterDelivery: 9_999 }],
  ['link-scanner', { userAgent: 'Mozilla/5.0 (compatible; Barracuda Sentinel)' }],
  ['link-scanner', { userAgent: 'Mozilla/5.0 (Windows NT 6.1) Chrome/80 BingPreview/1.0b' }],
  ['bot', { userAgent: 'python-requests/2.32' }],
  ['bot', { userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' }],
  ['bot', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/131.0' }],
  ['bot', { userAgent: 'curl/8.11' }],
  ['scanner-network', { address: '40.93.12.1' }],
  ['scanner-network', { address: '::ffff:67.231.150.3' }],
  ['scanner-network', { address: '2a01:111:f400::1' }],
  ['too-soon', { msAfterDelivery: 1_999 }],
  ['too-soon', { kind: 'open', msAfterDelivery: -5 }],
  ['links-at-once', { linksAtOnce: 3 }],
  ['invisible-link', { isTrapped: true }],
]

describe('a program is recognized', () => {
  it.each(MARKED)('%s by %o', (rule, event) => {
    expect(findMachineRule({ ...PERSON, ...event })).toBe(rule)
  })

  it('by rules that each have a case here and a doubt', () => {
    expect(MACHINE_RULES.map(({ name }) => name)).toEqual([...new Set(MARKED.map(([name]) => name))])
    expect(MACHINE_RULES.every(({ doubt }) => doubt.endsWith('.'))).toBe(true)
  })
})

it('what is no address is in no network', () => {
  expect(findMachineRule({ ...PERSON, address: 'unix:' })).toBe(null)
})
