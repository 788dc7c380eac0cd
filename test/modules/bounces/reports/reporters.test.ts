import { describe, expect, it } from 'vitest'
import { mayReport, maySign } from '../../../../src/modules/bounces/reports/reporters.ts'

const REPORTERS = ['fbl.listed.example', 'loop@webmail.example']

describe('mail to a recipient is reported', () => {
  it.each([
    ['anna@example.org', 'Anna@example.org', true],
    ['abuse@example.org', 'anna@example.org', true],
    ['security@example.org', 'anna@example.org', true],
    ['noc@example.org', 'anna@mail.example.org', true],
    ['any@fbl.listed.example', 'anna@example.org', true],
    ['any@eu.fbl.listed.example', 'anna@example.org', true],
    ['loop@webmail.example', 'anna@example.org', true],
    ['abuse@mail.example.org', 'anna@example.org', false],
    ['abuse@a.example.org', 'anna@b.example.org', false],
    ['abuse@notexample.org', 'anna@example.org', false],
    ['abuse@co.uk', 'anna@example.co.uk', false],
    ['any@listed.example', 'anna@example.org', false],
    ['other@webmail.example', 'anna@example.org', false],
    ...['postmaster', 'mailer-daemon', 'fbl', 'feedback', 'feedbackloop', 'arf', 'complaints', 'eve'].map(
      (name) => [`${name}@example.org`, 'anna@example.org', false] as const,
    ),
  ] as const)('by %s for %s: %s', (from, recipient, expected) => expect(mayReport(from, recipient, REPORTERS)).toBe(expected))
})

describe('a report is signed', () => {
  it.each([
    ['example.org', 'abuse@example.org', true],
    ['example.org', 'anna@mail.example.org', true],
    ['mail.example.org', 'abuse@example.org', false],
    ['a.example.org', 'abuse@b.example.org', false],
    ['co.uk', 'abuse@example.co.uk', false],
    ['fbl.listed.example', 'any@fbl.listed.example', true],
    ['fbl.listed.example', 'any@eu.fbl.listed.example', true],
    ['eu.fbl.listed.example', 'any@fbl.listed.example', true],
    ['listed.example', 'any@fbl.listed.example', false],
    ['webmail.example', 'loop@webmail.example', true],
    ['a.webmail.example', 'loop@webmail.example', false],
  ] as const)('by %s for %s: %s', (domain, from, expected) => expect(maySign(domain, from, REPORTERS)).toBe(expected))
})
