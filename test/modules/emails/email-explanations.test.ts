import { expect, it } from 'vitest'
import { explainAttempt, explainEvent } from '../../../src/modules/emails/email-explanations.ts'

const attempt = (outcome: string | null) => ({ outcome, code: 550, enhancedCode: '5.2.2', text: 'quota' })

it.each([
  ['bounced', /some days/],
  ['failed', /some days/],
  ['delayed', /retried/],
])('says what to do after an attempt that ended as %s', (outcome, advice) => {
  expect(explainAttempt(attempt(outcome))?.advice).toMatch(advice)
})

it.each([['delivered'], ['unknown'], ['abandoned'], [null]])('explains nothing of an attempt that ended as %s', (outcome) => {
  expect(explainAttempt(attempt(outcome))).toBeNull()
})

it.each<[string, object | null, RegExp | null]>([
  // Only the code tells that a mailbox is full.
  ['email.bounced', { bounce: { type: 'Transient', message: 'No', diagnosticCode: ['smtp; 550 5.2.2 No'] } }, /mailbox is full/],
  ['email.bounced', { bounce: { type: 'Permanent', message: 'user unknown', diagnosticCode: ['user unknown'] } }, /does not exist/],
  ['email.bounced', { bounce: { type: 'Undetermined', message: 'No', diagnosticCode: [] } }, /could be reached|did not say/],
  ['email.bounced', { bounce: 'no record' }, null],
  ['email.delivery_delayed', { code: 452, enhanced_code: '4.2.2', message: 'No' }, /mailbox is full/],
  ['email.suppressed', { suppressed: { reason: 'previous_complaint' } }, /reported as spam/],
  ['email.suppressed', { suppressed: { reason: 'of a newer version' } }, null],
  ['email.complained', null, /reported the email as spam/],
  ['email.delivered', null, null],
  ['email.failed', { failed: { reason: 'The API key was deleted.' } }, null],
])('explains %s of %j', (type, detail, explanation) => {
  const found = explainEvent(type, detail as Record<string, unknown> | null)
  if (explanation === null) expect(found).toBeNull()
  else expect(found?.explanation).toMatch(explanation)
})
