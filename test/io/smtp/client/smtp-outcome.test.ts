import { describe, expect, it } from 'vitest'
import { kindOfRefusal, resultOfReply, resultWithoutReply, type SmtpStage } from '../../../../src/io/smtp/client/smtp-outcome.ts'

describe('kindOfRefusal', () => {
  const stages: SmtpStage[] = ['connect', 'greeting', 'auth', 'mail', 'rcpt', 'data', 'end']

  it.each(stages)('delays every temporary refusal and every silence (%s)', (stage) => {
    for (const code of [null, 421, 450, 451, 452, 454]) expect(kindOfRefusal(code, stage)).toBe('delayed')
  })

  it.each(['connect', 'greeting', 'auth'] as const)('never bounces before the message is spoken of (%s)', (stage) => {
    for (const code of [500, 535, 550, 554]) expect(kindOfRefusal(code, stage)).toBe('delayed')
  })

  it.each(['mail', 'rcpt', 'data', 'end'] as const)('bounces a permanent refusal, but not of our login (%s)', (stage) => {
    for (const code of [501, 550, 552, 553, 554]) expect(kindOfRefusal(code, stage)).toBe('bounced')
    for (const code of [503, 530, 534, 535, 538]) expect(kindOfRefusal(code, stage)).toBe('delayed')
  })
})

describe('resultOfReply', () => {
  it('calls a message delivered only by a 2xx reply to the final dot', () => {
    expect(resultOfReply('250 OK', 'end').kind).toBe('delivered')
    expect(resultOfReply('250 OK', 'data').kind).toBe('delayed')
    expect(resultOfReply('354 Go on', 'end').kind).toBe('delayed')
  })

  it('keeps code, enhanced code and text of a refusal', () => {
    expect(resultOfReply('550-5.1.1 Nobody\r\n550 5.1.1 here', 'rcpt')).toEqual({
      kind: 'bounced',
      code: 550,
      enhancedCode: '5.1.1',
      text: 'Nobody here',
      stage: 'rcpt',
      unknown: false,
    })
  })

  it('does not know what became of a message whose final reply is none', () => {
    expect(resultOfReply('hello?', 'end')).toMatchObject({ kind: 'delayed', code: null, unknown: true })
    expect(resultOfReply('hello?', 'rcpt')).toMatchObject({ kind: 'delayed', code: null, unknown: false })
  })
})

describe('resultWithoutReply', () => {
  it('has a text that every database takes', () => {
    const { text } = resultWithoutReply('delayed', 'connect', `a\u0000b\r\nc\ud800${'x'.repeat(9_000)}`)
    expect(text).toMatch(/^a b c\ufffdx+$/)
    expect(text).toHaveLength(2_000)
  })
})
