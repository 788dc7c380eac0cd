import { describe, expect, it } from 'vitest'
import type { RecordAnswer } from '../../../../src/mail/record-types.ts'
import { checkBlocklist } from '../../../../src/modules/deliverability/checks/hosts.ts'
import {
  checkDmarc,
  checkHelloSpf,
  checkMtaSts,
  checkSpfInclude,
  checkTlsReports,
} from '../../../../src/modules/deliverability/checks/policies.ts'
import type { Finding } from '../../../../src/modules/deliverability/findings.ts'
import type { MtaStsPolicyAnswer } from '../../../../src/modules/deliverability/probes.client.ts'
import { ABSENT, records, UNANSWERED } from '../../../support/builders/domains.ts'

const said = ({ state, found, advice }: Finding) => {
  if (state !== 'skipped') expect(advice === null).toBe(state === 'ok')
  return [state, found]
}
const HOST = 'mail.example.com'
const [ONE, OTHER] = ['192.0.2.1', '2001:db8::2']
const spf = (...results: string[]) =>
  results.map((result, index) => ({ address: index === 0 ? ONE : OTHER, result, comment: `why ${result}` }))

describe('the SPF record of the name in EHLO', () => {
  it.each([
    [spf('pass', 'pass'), ['ok', `Its SPF record permits ${ONE}, ${OTHER}.`]],
    [spf('pass', 'fail'), ['problem', `Its SPF record forbids mail from ${OTHER}.`]],
    [spf('softfail', 'pass'), ['warning', `Its SPF record does not permit ${ONE}.`]],
    [spf('none', 'none'), ['warning', 'It has no SPF record, so anyone can greet in its name.']],
    [spf('permerror', 'pass'), ['problem', 'Receivers cannot use its SPF record: why permerror.']],
    [spf('temperror', 'pass'), ['unknown', 'Its SPF record could not be evaluated: why temperror.']],
  ])('that gives %j', (answers, expected) => {
    expect(said(checkHelloSpf(HOST, answers))).toEqual(expected)
  })
})

describe('the SPF record that all include', () => {
  const PUBLISHED = records('site-verification=x', 'v=spf1 ip4:192.0.2.1 -all')
  it.each([
    [PUBLISHED, spf('pass', 'pass'), ['ok', `Its SPF record permits ${ONE}, ${OTHER}.`]],
    [PUBLISHED, spf('pass', 'fail'), ['problem', `Its SPF record does not permit ${OTHER}.`]],
    [PUBLISHED, spf('permerror', 'fail'), ['problem', 'Receivers cannot use its SPF record: why permerror.']],
    [PUBLISHED, spf('temperror', 'pass'), ['unknown', 'Its SPF record could not be evaluated: why temperror.']],
    [ABSENT, spf('permerror'), ['problem', 'It has no SPF record, so the SPF records of all domains, which include it, are not valid.']],
    [
      records('site-verification=x'),
      spf('permerror'),
      ['problem', 'It has no SPF record, so the SPF records of all domains, which include it, are not valid.'],
    ],
    [UNANSWERED, spf('temperror'), ['unknown', 'Its SPF record could not be looked up: no answer came in time.']],
  ])('that is %j', (published, answers, expected) => {
    expect(said(checkSpfInclude('_spf.example.com', published, answers))).toEqual(expected)
  })
})

describe('a blocklist', () => {
  const asked = (answer: RecordAnswer, reason: RecordAnswer = ABSENT) => ({ address: ONE, answer, reason })
  const clean = { address: OTHER, answer: ABSENT, reason: ABSENT }
  it.each<[string, ReturnType<typeof asked>[], string[]]>([
    ['that lists nothing', [asked(ABSENT), clean], ['ok', `It does not list ${ONE}, ${OTHER}.`]],
    ['that lists an address', [clean, asked(records('127.0.0.4', '127.0.0.2'))], ['problem', `It lists ${ONE}.`]],
    [
      'that says why, at length and with an escape',
      [asked(records('127.0.0.2'), records(`See \u001b[2J${'x'.repeat(5_000)}`))],
      ['problem', `It lists ${ONE}: "See  [2J${'x'.repeat(192)}"`],
    ],
    [
      'that refuses the resolver',
      [clean, asked(records('127.255.255.254'))],
      ['unknown', 'It refuses to answer your resolver, as lists do with large public ones.'],
    ],
    [
      'that refuses in another form',
      [asked(records('127.0.0.1'))],
      ['unknown', 'It refuses to answer your resolver, as lists do with large public ones.'],
    ],
    ['that was given up', [asked(records('203.0.113.7'))], ['unknown', 'It answers 203.0.113.7, which is not the answer of a blocklist.']],
    ['that is silent', [clean, asked(UNANSWERED)], ['unknown', 'It did not answer: no answer came in time.']],
    [
      'that lists one and is silent about another',
      [asked(UNANSWERED), { ...clean, answer: records('127.0.0.2') }],
      ['problem', `It lists ${OTHER}.`],
    ],
  ])('%s', (_, answers, expected) => {
    expect(said(checkBlocklist('list.example', answers))).toEqual(expected)
  })
})

describe('DMARC of a domain', () => {
  const POLICY = 'v=DMARC1; p=none;'
  const MISSING = ['warning', 'It has no DMARC policy, which Gmail and Yahoo demand of those who send in bulk.']
  it.each<[string, RecordAnswer, RecordAnswer, string[]]>([
    ['its own', records(POLICY), ABSENT, ['ok', 'It has a DMARC policy at _dmarc.news.example.com.']],
    [
      'that of the domain above',
      records('other text'),
      records('v=DMARC1; p=reject'),
      ['ok', 'It has a DMARC policy at _dmarc.example.com.'],
    ],
    ['none', ABSENT, records('other text'), MISSING],
    ['two', records(POLICY, 'v=DMARC1; p=reject'), ABSENT, ['warning', 'It has several DMARC policies, of which receivers use none.']],
    [
      'one that is wrong',
      records('v=DMARC1; p=nothing'),
      records(POLICY),
      ['warning', 'Its DMARC policy is not valid: "v=DMARC1; p=nothing"'],
    ],
    ['none, as far as was answered', ABSENT, UNANSWERED, ['unknown', 'Its policy could not be looked up: no answer came in time.']],
    ['one above, while its own is not answered', UNANSWERED, records(POLICY), ['ok', 'It has a DMARC policy at _dmarc.example.com.']],
  ])('is %s', (_, own, root, expected) => {
    expect(said(checkDmarc('news.example.com', 'example.com', { own, root }))).toEqual(expected)
  })
})

describe('the policies of the mail server', () => {
  it.each<[RecordAnswer, string[]]>([
    [records('x', 'v=TLSRPTv1; rua=mailto:tls@example.com'), ['ok', 'It asks for reports of TLS failures.']],
    [records('v=TLSRPTv1;rua=https://example.com/tls'), ['ok', 'It asks for reports of TLS failures.']],
    [records('v=TLSRPTv1; rua=tls@example.com'), ['warning', 'Its record for TLS reports is not valid.']],
    [ABSENT, ['skipped', 'It asks for no reports of TLS failures; that is optional.']],
    [UNANSWERED, ['unknown', 'The record could not be looked up: no answer came in time.']],
  ])('are reports of TLS: %j', (answer, expected) => {
    expect(said(checkTlsReports(HOST, answer))).toEqual(expected)
  })

  const ANNOUNCED = records('v=STSv1; id=1')
  it.each<[RecordAnswer, MtaStsPolicyAnswer | null, string[]]>([
    [ANNOUNCED, { isServed: true, allowsHost: true }, ['ok', 'Its MTA-STS policy is served and names it.']],
    [
      ANNOUNCED,
      { isServed: false, allowsHost: true },
      ['problem', 'It announces an MTA-STS policy that cannot be fetched, or whose mode is none.'],
    ],
    [ANNOUNCED, { isServed: true, allowsHost: false }, ['problem', 'Its MTA-STS policy does not name it.']],
    [ABSENT, null, ['skipped', 'It announces no MTA-STS policy; that is optional.']],
    [UNANSWERED, null, ['unknown', 'The record could not be looked up: no answer came in time.']],
  ])('are MTA-STS: %j, %j', (record, policy, expected) => {
    expect(said(checkMtaSts(HOST, record, policy))).toEqual(expected)
  })
})
