import { expect, it } from 'vitest'
import { feedbackSenderId } from '../../../src/modules/delivery/feedback-sender-id.ts'

const key = (byte: number) => Buffer.alloc(32, byte)

it('is 5 to 15 characters, the same whatever versions of the key come later, and another in each installation', () => {
  const id = feedbackSenderId(new Map([[1, key(1)]]))
  expect(id).toMatch(/^[a-z0-9]{5,15}$/)
  expect(
    feedbackSenderId(
      new Map([
        [2, key(2)],
        [1, key(1)],
      ]),
    ),
  ).toBe(id)
  expect(feedbackSenderId(new Map([[1, key(2)]]))).not.toBe(id)
})
