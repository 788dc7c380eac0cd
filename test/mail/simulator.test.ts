import { expect, it } from 'vitest'
import { simulatedOutcome } from '../../src/mail/simulator.ts'

it.each([
  ['delivered@simulator.test', 'delivered'],
  ['bounced@simulator.test', 'bounced'],
  ['complained@resend.dev', 'complained'],
  ['suppressed@simulator.test', 'suppressed'],
  ['delivered+signup@simulator.test', 'delivered'],
  ['bounced+a+b@simulator.test', 'bounced'],
  ['complained+@simulator.test', 'complained'],
  ['Bounced@simulator.test', 'bounced'],
  ['suppressed+x@simulator.test', 'suppressed'],
  ['opened@simulator.test', 'opened'],
  ['clicked+link@resend.dev', 'clicked'],
  ['openedx@simulator.test', 'bounced'],
  ['deliveredx@simulator.test', 'bounced'],
  ['+delivered@simulator.test', 'bounced'],
  ['"delivered"@simulator.test', 'bounced'],
  ['delivered@sub.simulator.test', null],
  ['delivered@example.com', null],
  ['delivered', null],
])('answers for %s: %s', (address, expected) => expect(simulatedOutcome(address, ['simulator.test', 'resend.dev'])).toBe(expected))
