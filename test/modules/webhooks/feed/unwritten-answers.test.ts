import { expect, it } from 'vitest'
import { createUnwrittenAnswers } from '../../../../src/modules/webhooks/feed/webhook-feed.service.ts'

it('has room again once answers were written, of a team and in all', () => {
  const answers = createUnwrittenAnswers({ perTeam: 10, inAll: 15 })
  const [first, second] = [new AbortController(), new AbortController()]
  const room = () => ['one', 'two', 'three'].map((team) => answers.hasRoom(team))
  answers.add('one', 10, first.signal)
  expect(room()).toEqual([false, true, true])
  answers.add('two', 6, second.signal)
  expect(room()).toEqual([false, false, false])
  first.abort()
  expect(room()).toEqual([true, true, true])
  answers.add('two', 4, first.signal)
  expect(room()).toEqual([true, true, true])
  second.abort()
  answers.add('three', 15, new AbortController().signal)
  expect(room()).toEqual([false, false, false])
})
