import { expect, it } from 'vitest'
import { about, isPublic, isSameAddress, reverseName, summarizeFindings, worstFirst } from '../../../src/modules/deliverability/findings.ts'

const { ok, warning, problem, unknown, skipped } = about('hostname', 'mail.example.com')
const [BAD, ODD, UNSURE, GOOD, LEFT_OUT] = [problem('a', 'b'), warning('a', 'b'), unknown('a', 'b'), ok('a'), skipped('a')]

it.each([
  [[], 'ok'],
  [[LEFT_OUT], 'ok'],
  [[GOOD, LEFT_OUT], 'ok'],
  [[GOOD, UNSURE], 'unknown'],
  [[UNSURE, ODD, GOOD], 'warning'],
  [[ODD, BAD, UNSURE], 'problem'],
])('the worst of %j is the state of all', (findings, status) => {
  expect(summarizeFindings(findings)).toBe(status)
})

it('findings are sorted by how bad they are, and otherwise stay in order', () => {
  const other = ok('c')
  expect(worstFirst([LEFT_OUT, GOOD, other, UNSURE, ODD, BAD])).toEqual([BAD, ODD, UNSURE, GOOD, other, LEFT_OUT])
})

it('a finding has nothing that a terminal obeys, and is cut', () => {
  const { subject, found, advice } = about('dmarc', 'a\u001b]0;b').warning(`\u0000\u202e\u2028\ud800${'x'.repeat(5_000)}`, '\u009b1m')
  expect({ subject, advice }).toEqual({ subject: 'a ]0;b', advice: ' 1m' })
  expect(found).toBe(`   \ufffd${'x'.repeat(595)}…`)
})

it.each([
  ['192.0.2.25', undefined, '25.2.0.192.in-addr.arpa'],
  ['::ffff:192.0.2.25', undefined, '25.2.0.192.in-addr.arpa'],
  ['192.0.2.25', 'list.example', '25.2.0.192.list.example'],
  ['2001:db8::25', undefined, '5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
  ['2001:DB8::25', 'list.example', '5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.list.example'],
])('%s is asked for in %s as %s', (address, zone, name) => {
  expect(reverseName(address, zone)).toBe(name)
})

it('addresses are the same however they are written', () => {
  expect([
    isSameAddress('2001:db8:0::1', '2001:DB8::1'),
    isSameAddress('::ffff:192.0.2.1', '192.0.2.1'),
    isSameAddress('192.0.2.1', 'x'),
  ]).toEqual([true, true, false])
  expect(['8.8.4.4', '10.0.0.1', '::ffff:10.0.0.1', 'fd00::1', '2001:4860:4860::8844', 'x'].map(isPublic)).toEqual([
    true,
    false,
    false,
    false,
    true,
    false,
  ])
})
