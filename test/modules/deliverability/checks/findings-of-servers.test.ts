import { describe, expect, it } from 'vitest'
import type { RecordAnswer } from '../../../../src/mail/record-types.ts'
import { checkClock } from '../../../../src/modules/deliverability/checks/hosts.ts'
import {
  checkCertificate,
  checkClearWeb,
  checkMailPort,
  checkRelayAnswer,
  mailHosts,
} from '../../../../src/modules/deliverability/checks/servers.ts'
import type { Finding } from '../../../../src/modules/deliverability/findings.ts'
import type { Greeting, HttpsAnswer } from '../../../../src/modules/deliverability/probes.client.ts'
import { ABSENT, records, UNANSWERED } from '../../../support/builders/domains.ts'

const said = ({ state, found, advice }: Finding) => {
  expect(advice === null).toBe(state === 'ok')
  return [state, found]
}

describe('the certificate', () => {
  const NOW = new Date('2026-03-04T05:06:07Z')
  const until = (date: string, fault: string | null = null): HttpsAnswer => ({
    kind: 'answered',
    fault,
    validTo: new Date(date),
    date: null,
  })
  const faulty = (fault: string) => until('2026-06-01T00:00:00Z', fault)
  it.each<[string, HttpsAnswer | RecordAnswer, string[]]>([
    ['is good', until('2026-06-01T00:00:00Z'), ['ok', 'Its certificate is trusted, and valid until 2026-06-01.']],
    ['lasts for 14 days', until('2026-03-18T05:06:07Z'), ['ok', 'Its certificate is trusted, and valid until 2026-03-18.']],
    ['lasts for less', until('2026-03-18T05:06:06Z'), ['warning', 'Its certificate expires on 2026-03-18, in 13 days.']],
    ['lasts until tomorrow', until('2026-03-05T05:06:07Z'), ['warning', 'Its certificate expires on 2026-03-05, in a day.']],
    ['has expired, as the clock here says', until('2026-03-04T05:06:06Z'), ['problem', 'Its certificate expired on 2026-03-04.']],
    ['has expired', faulty('CERT_HAS_EXPIRED'), ['problem', 'Its certificate has expired.']],
    ['is not valid yet', faulty('CERT_NOT_YET_VALID'), ['problem', 'Its certificate is not valid yet.']],
    ['is for others', faulty('ERR_TLS_CERT_ALTNAME_INVALID'), ['problem', 'Its certificate is for other names.']],
    [
      'comes without its chain',
      faulty('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
      ['problem', 'Its chain of certificates is incomplete, or ends at an authority that this machine does not know.'],
    ],
    [
      'is signed by itself',
      faulty('DEPTH_ZERO_SELF_SIGNED_CERT'),
      ['problem', 'Its certificate is signed by itself or by an unknown authority.'],
    ],
    ['is bad in another way', faulty('CERT_REVOKED'), ['problem', 'Its certificate is not trusted (CERT_REVOKED).']],
    ['is missing', { kind: 'answered', fault: null, validTo: null, date: null }, ['problem', 'It presents no certificate.']],
    [
      'is out of reach',
      { kind: 'unreached', reason: 'ECONNREFUSED' },
      ['warning', 'It cannot be reached from this machine: ECONNREFUSED.'],
    ],
    ['is of a name without an address', ABSENT, ['problem', 'It has no address in the DNS, so no link in an email opens.']],
    ['is of a name that is not answered', UNANSWERED, ['unknown', 'Its addresses could not be looked up: no answer came in time.']],
  ])('%s', (_, answer, expected) => {
    expect(said(checkCertificate('api.example.com', answer, NOW))).toEqual(expected)
  })

  it('is missed where PUBLIC_URL is http', () => {
    expect(said(checkClearWeb('api.example.com'))[0]).toBe('warning')
  })
})

describe('the clock', () => {
  it.each<[string, [string, number | null][], string[]]>([
    [
      'agrees',
      [
        ['a', 900],
        ['b', -1_400],
      ],
      ['ok', 'It agrees with a and b to within 2 s.'],
    ],
    [
      'is not compared with what does not tell',
      [
        ['a', null],
        ['b', 0],
      ],
      ['ok', 'It agrees with b to within 1 s.'],
    ],
    ['is off by the most that is tolerated', [['a', -60_400]], ['ok', 'It agrees with a to within 61 s.']],
    [
      'is ahead',
      [
        ['a', 0],
        ['b', 61_000],
      ],
      ['warning', 'It is 61 s ahead of b.'],
    ],
    ['is slow', [['a', -300_000]], ['warning', 'It is 300 s behind a.']],
    ['is far ahead', [['a', 400 * 86_400_000]], ['problem', 'It is 34,560,000 s ahead of a.']],
    ['is alone', [['a', null]], ['unknown', 'There was no other clock to compare with.']],
  ])('%s', (_, offsets, expected) => {
    expect(said(checkClock(offsets.map(([source, offsetMs]) => ({ source, offsetMs }))))).toEqual(expected)
  })
})

describe('port 25', () => {
  const server = { host: 'mx.example.net', address: '8.8.4.4' }
  const ready: Greeting = { ...server, kind: 'ready', tls: 'TLSv1.3' }
  const unreached: Greeting = { ...server, kind: 'unreached', text: 'No connection to mx.example.net port 25: ETIMEDOUT' }
  const refused = (code: number | null, text: string): Greeting => ({ ...server, kind: 'refused', code, text })
  const MX = records('5 mx.example.net')
  it.each<[string, Greeting[], RecordAnswer, string[]]>([
    ['is open where one server answers', [unreached, ready], MX, ['ok', 'mx.example.net answers, over TLSv1.3.']],
    ['is open without TLS', [{ ...ready, tls: null }], MX, ['ok', 'mx.example.net answers, without TLS.']],
    ['is closed', [unreached], MX, ['problem', 'No connection to mx.example.net port 25: ETIMEDOUT.']],
    ['is open to a server that refuses us', [refused(554, 'blocked\u0007')], MX, ['problem', 'mx.example.net refuses us: 554 blocked ']],
    [
      'is open to a server that is busy',
      [refused(421, 'later')],
      MX,
      ['warning', 'mx.example.net accepts the connection, but takes no mail now: 421 later'],
    ],
    [
      'leads to something that is silent',
      [refused(null, 'Greeting never received')],
      MX,
      ['warning', 'mx.example.net accepts the connection, but takes no mail now: Greeting never received'],
    ],
    ['is not tried without servers', [], ABSENT, ['unknown', 'It has no mail server to connect to.']],
    ['is not tried without an answer', [], UNANSWERED, ['unknown', 'Its mail servers could not be looked up: no answer came in time.']],
  ])('%s', (_, greetings, servers, expected) => {
    expect(said(checkMailPort('example.net', greetings, servers))).toEqual(expected)
  })

  it('is that of the hosts of the MX records', () => {
    expect([
      mailHosts(records('5 a.example', '10 b.example')),
      mailHosts(records('0 .')),
      mailHosts(ABSENT),
      mailHosts(UNANSWERED),
    ]).toEqual([['a.example', 'b.example'], [], [], []])
  })
})

it.each([
  [{ isUsable: true as const, tls: 'TLSv1.3' }, ['ok', 'It answers, over TLSv1.3.']],
  [{ isUsable: true as const, tls: null }, ['ok', 'It answers, without TLS.']],
  [{ isUsable: false as const, isReached: true, reason: 'Login refused.' }, ['problem', 'It answers, but takes no mail: Login refused.']],
  [{ isUsable: false as const, isReached: false, reason: 'ECONNREFUSED' }, ['problem', 'It does not answer: ECONNREFUSED.']],
])('the relay is judged by %j', (answer, expected) => {
  expect(said(checkRelayAnswer('SMTP_RELAY_URL', answer))).toEqual(expected)
})
