import { expect, it } from 'vitest'
import { detailSentence, readerActWords } from '../../../src/console/emails/detail-words.ts'

const click = { link: 'https://shop.example.com/', timestamp: '2026-01-01T00:00:00.000Z', userAgent: 'Firefox', ipAddress: '192.0.2.7' }

it.each([
  ['who opened an email', { is_machine: false }, 'probably by a person'],
  [
    'which link was followed, from where and with what',
    { click, is_machine: false },
    'https://shop.example.com/ · 192.0.2.7 · Firefox · probably by a person',
  ],
  [
    'that it was a program and which rule says so, and no address if none is stored',
    { click: { ...click, ipAddress: undefined }, is_machine: true, machine_rule: 'too-soon' },
    'https://shop.example.com/ · Firefox · probably by a program (too-soon)',
  ],
  ['that it was a program, if it is not known which rule said so', { is_machine: true }, 'probably by a program'],
])('the timeline says %s', (_what, detail, words) => {
  expect(readerActWords(detail)).toBe(words)
})

const bounce = { type: 'Permanent', subType: 'General', message: '550 User unknown', diagnosticCode: ['smtp; 550 User unknown'] }

it.each([
  ['why mail bounced', { bounce }, '550 User unknown'],
  [
    'what came back and why',
    { answer: { kind: 'bounce', message: 'The mail was returned.' }, bounce },
    'The mail was returned. 550 User unknown',
  ],
  ['why it failed, in words that are called a reason', { failed: { reason: 'The key was deleted.' } }, 'The key was deleted.'],
  ['nothing if it has no sentence', { scheduled_at: '2026-01-01T00:00:00.000Z' }, null],
])('the sentences of a detail say %s', (_what, detail, words) => {
  expect(detailSentence(detail)).toBe(words)
})
