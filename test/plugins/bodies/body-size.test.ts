import { expect, it } from 'vitest'
import { failure, outcome, UUID } from '../../support/builders/answers.ts'
import { countStored, emailInput, MIB, NOTHING_STORED } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService({ environment: { REQUEST_BYTES_MAX: String(MIB) } }))

const bodyOf = (bytes: number): string => {
  const empty = JSON.stringify(emailInput({ text: '' }))
  return JSON.stringify(emailInput({ text: 'x'.repeat(bytes - empty.length) }))
}

it('answers 413 for a body of one byte more than REQUEST_BYTES_MAX, closes the connection and stores nothing', async () => {
  const answer = await service.call('POST', '/emails', { body: bodyOf(MIB + 1) })
  expect(outcome(answer)).toEqual(failure(413, 'validation_error', 'The request body is too large.'))
  expect(answer.headers.get('connection')).toBe('close')
  expect(await countStored(service)).toEqual(NOTHING_STORED)
})

it('takes a body of REQUEST_BYTES_MAX', async () => {
  const answer = await service.call('POST', '/emails', { body: bodyOf(MIB) })
  expect(outcome(answer)).toEqual({ status: 200, body: { id: UUID } })
})
