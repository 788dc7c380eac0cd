import { expect, it } from 'vitest'
import { explainBounce, explainDelay } from '../../../src/mail/bounces/explanations.ts'
import type { Answer } from '../../../src/mail/bounces/phrases.ts'

const answer = (code: number, enhancedCode: string | null, text: string): Answer => ({ code, enhancedCode, text })

it.each<[string, Answer, RegExp, RegExp]>([
  ['an unknown user', answer(550, '5.1.1', 'No such user here'), /does not exist/, /Correct the address/],
  ['a full mailbox', answer(552, '5.2.2', 'Mailbox full'), /mailbox is full/, /some days/],
  ['a blocklist', answer(554, '5.7.1', 'Client host blocked using zen.spamhaus.org'), /refused the sender/, /blocklist/],
  ['a large mail', answer(552, '5.3.4', 'Message size exceeds fixed limit'), /too large/, /smaller mail/],
  ['a spam trap', answer(550, '5.7.1', 'Message sent to a spam trap'), /spam trap/, /Remove the address/],
  ['no reason', answer(550, null, 'No'), /did not say why/, /Read the answer/],
  ['silence', answer(0, null, 'ECONNREFUSED'), /could be reached/, /typing error/],
])('explains %s, and says what to do', (_what, said, explanation, advice) => {
  const found = explainBounce(said)
  expect(found.explanation).toMatch(explanation)
  expect(found.advice).toMatch(advice)
})

it('says of an answer that is not final that the mail is retried', () => {
  expect(explainDelay(answer(450, '4.2.2', 'Mailbox full'))).toEqual({
    explanation: 'The mailbox is full.',
    advice: 'Nothing: it is retried for up to three days, in case the person makes room.',
  })
})
