import { describe, expect, it } from 'vitest'
import {
  checkHostname,
  checkResolver,
  checkReverse,
  type HostAnswers,
  type ReverseAnswers,
} from '../../../../src/modules/deliverability/checks/hosts.ts'
import type { Finding } from '../../../../src/modules/deliverability/findings.ts'
import { ABSENT, records, UNANSWERED } from '../../../support/builders/domains.ts'

const HOST = 'mail.example.com'
/** State and what was found; whether there is advice follows from the state. */
const said = ({ state, found, advice }: Finding) => {
  expect(advice === null).toBe(state === 'ok')
  return [state, found]
}

describe('the name of the server', () => {
  it.each<[string, Partial<HostAnswers>, string[]]>([
    [
      'leads to public addresses',
      { a: records('8.8.4.4'), aaaa: records('2001:4860:4860::8844') },
      ['ok', 'It points to 8.8.4.4, 2001:4860:4860::8844.'],
    ],
    ['leads to one, and the other question is not answered', { a: records('8.8.4.4'), aaaa: UNANSWERED }, ['ok', 'It points to 8.8.4.4.']],
    ['leads nowhere', {}, ['problem', 'It has no address in the DNS, so servers cannot tell whose name EHLO gives.']],
    ['is not answered', { aaaa: UNANSWERED }, ['unknown', 'Its addresses could not be looked up: no answer came in time.']],
    [
      'leads to a private address beside a public one',
      { a: records('8.8.4.4', '10.0.0.25'), aaaa: records('fe80::1', '::ffff:192.168.0.1') },
      ['problem', 'It points to 10.0.0.25, fe80::1, ::ffff:192.168.0.1, which the internet cannot reach.'],
    ],
    [
      'is an alias',
      { a: records('8.8.4.4'), alias: records('host.example.net') },
      ['warning', 'It is an alias (CNAME) of host.example.net, which the name of a mail server may not be (RFC 2181, section 10.3).'],
    ],
    [
      'has many addresses',
      { a: records(...Array.from({ length: 500 }, (_, index) => `8.8.${index >> 8}.${index & 0xff}`)) },
      ['ok', 'It points to 8.8.0.0, 8.8.0.1, 8.8.0.2, 8.8.0.3 and 496 more.'],
    ],
  ])('%s', (_, answers, expected) => {
    expect(said(checkHostname(HOST, { a: ABSENT, aaaa: ABSENT, alias: ABSENT, ...answers }, false))).toEqual(expected)
  })

  it('may lead to a private address on the network of the owner', () => {
    const answers = { a: records('10.0.0.25'), aaaa: ABSENT, alias: ABSENT }
    expect(said(checkHostname(HOST, answers, true))).toEqual(['ok', 'It points to 10.0.0.25.'])
  })
})

describe('the name of an address', () => {
  const ptr = records(HOST)
  it.each<[string, string, ReverseAnswers, string[]]>([
    [
      'leads back',
      '8.8.4.4',
      { ptr, forward: [{ name: HOST, answer: records('8.8.8.8', '8.8.4.4') }] },
      ['ok', `Its name is ${HOST}, which points back to it.`],
    ],
    [
      'leads back to an address that is written differently',
      '2001:4860:4860:0::8844',
      { ptr, forward: [{ name: HOST, answer: records('2001:4860:4860::8844') }] },
      ['ok', `Its name is ${HOST}, which points back to it.`],
    ],
    ['is missing', '8.8.4.4', { ptr: ABSENT, forward: [] }, ['problem', 'It has no name (PTR record), so many servers refuse its mail.']],
    [
      'is not answered',
      '8.8.4.4',
      { ptr: UNANSWERED, forward: [] },
      ['unknown', 'Its name (PTR) could not be looked up: no answer came in time.'],
    ],
    [
      'leads elsewhere',
      '8.8.4.4',
      { ptr, forward: [{ name: HOST, answer: records('8.8.8.8') }] },
      ['problem', `It has the name ${HOST}, which does not point back to it.`],
    ],
    [
      'leads nowhere',
      '8.8.4.4',
      { ptr, forward: [{ name: HOST, answer: ABSENT }] },
      ['problem', `It has the name ${HOST}, which does not point back to it.`],
    ],
    [
      'leads where no resolver tells',
      '8.8.4.4',
      { ptr, forward: [{ name: HOST, answer: UNANSWERED }] },
      ['unknown', `It has the name ${HOST}, whose addresses could not be looked up: no answer came in time.`],
    ],
    [
      'is that of the provider',
      '8.8.4.4',
      { ptr: records('4-4-8-8.isp.example'), forward: [{ name: '4-4-8-8.isp.example', answer: records('8.8.4.4') }] },
      ['warning', `It has the name 4-4-8-8.isp.example, and the server calls itself ${HOST}.`],
    ],
    [
      'has what a terminal obeys',
      '8.8.4.4',
      { ptr: records('a\u001b[31m\u202eb.example'), forward: [] },
      ['problem', 'It has the name a [31m b.example, which does not point back to it.'],
    ],
  ])('%s', (_, address, answers, expected) => {
    expect(said(checkReverse(address, answers, HOST))).toEqual(expected)
  })

  it('need not be ours when a relay sends', () => {
    const answers = { ptr: records('out.relay.example'), forward: [{ name: 'out.relay.example', answer: records('8.8.4.4') }] }
    expect(said(checkReverse('8.8.4.4', answers, null))).toEqual(['ok', 'Its name is out.relay.example, which points back to it.'])
  })
})

describe('a resolver', () => {
  it.each([
    [records('8.8.4.4'), ['ok', 'It answers.']],
    [ABSENT, ['ok', 'It answers.']],
    [UNANSWERED, ['unknown', 'It does not answer: no answer came in time.']],
  ])('that says %j is never a problem', (answer, expected) => {
    expect(said(checkResolver({ server: '192.0.2.53', answer }))).toEqual(expected)
  })
})
