import { expect, it } from 'vitest'
import { topicRefusalRepository } from '../../../src/repositories/topics/topic-refusals.ts'

it('asks the database nothing where no mail has a topic', async () => {
  const refusals = topicRefusalRepository({ execute: () => Promise.reject(new Error('It was asked')) })
  expect(await refusals.findAcrossTeams([])).toEqual(new Map())
  const recipient = { id: 'r', teamId: 't', topicId: 'o', email: 'to@example.org', addressHash: 'h' }
  await expect(refusals.findAcrossTeams([recipient])).rejects.toThrow('It was asked')
})
