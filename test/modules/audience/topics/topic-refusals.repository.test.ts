import { expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { type TopicRefusal, topicRefusalRepository } from '../../../../src/modules/audience/topics/topic-refusals.repository.ts'
import { addTopic, createContact } from '../../../support/builders/contacts.ts'
import { chooseTopic } from '../../../support/builders/topics.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())

/** One recipient for each, judged together: why each does not get mail of its topic, null for those who do. */
async function judge(
  asked: Record<string, { email: string; topicId: string; teamId?: string }>,
): Promise<Record<string, TopicRefusal | null>> {
  const { hashAddress, repositories } = service.service.context
  const recipients = Object.entries(asked).map(([name, { email, topicId, teamId = service.teamId }]) => ({
    name,
    recipient: { id: createId(), teamId, topicId, email, addressHash: hashAddress(teamId, email) },
  }))
  const refusals = await repositories.topicRefusals.findAcrossTeams(recipients.map(({ recipient }) => recipient))
  return Object.fromEntries(recipients.map(({ name, recipient }) => [name, refusals.get(recipient.id) ?? null]))
}

it('says of each recipient of a batch why mail of its topic does not go to it', async () => {
  const [news, offers, insiders, foreign] = [
    await addTopic(service),
    await addTopic(service),
    await addTopic(service, { defaultSubscription: 'opt_out' }),
    await addTopic(service, { ofTeam: service.other.teamId }),
  ]
  await createContact(service, { email: 'undecided@example.com' })
  await createContact(service, { email: 'nothing@example.com', unsubscribed: true })
  const [out, keen, gone] = ['out@example.com', 'keen@example.com', 'gone@example.com']
  for (const email of [out, keen, gone]) await createContact(service, { email })
  await chooseTopic(service, out, news, 'opt_out')
  await chooseTopic(service, keen, insiders, 'opt_in')
  await chooseTopic(service, gone, news, 'opt_out')
  expect((await service.call('DELETE', `/contacts/${gone}`)).status).toBe(200)

  expect(
    await judge({
      'a stranger, of what goes to all': { email: 'stranger@example.com', topicId: news },
      'a stranger, of what must be asked for': { email: 'stranger@example.com', topicId: insiders },
      'undecided, of what goes to all': { email: 'undecided@example.com', topicId: news },
      'undecided, of what must be asked for': { email: 'undecided@example.com', topicId: insiders },
      'one who asked for it': { email: keen, topicId: insiders },
      'one who opted out': { email: out, topicId: news },
      'one who opted out and is no contact any more': { email: gone, topicId: news },
      'one who opted out of another topic': { email: out, topicId: offers },
      'one who opted out of another topic and is no contact any more': { email: gone, topicId: offers },
      'one who wants nothing': { email: 'nothing@example.com', topicId: news },
      "another team's topic": { email: 'stranger@example.com', topicId: foreign },
      "another team's mail to one who opted out of ours": { email: out, topicId: foreign, teamId: service.other.teamId },
      'a topic that is gone': { email: 'stranger@example.com', topicId: createId() },
    }),
  ).toEqual({
    'a stranger, of what goes to all': null,
    'a stranger, of what must be asked for': 'not opted in',
    'undecided, of what goes to all': null,
    'undecided, of what must be asked for': 'not opted in',
    'one who asked for it': null,
    'one who opted out': 'opted out',
    'one who opted out and is no contact any more': 'opted out',
    'one who opted out of another topic': null,
    'one who opted out of another topic and is no contact any more': null,
    'one who wants nothing': 'unsubscribed',
    "another team's topic": 'topic gone',
    "another team's mail to one who opted out of ours": null,
    'a topic that is gone': 'topic gone',
  })
})

it('asks the database nothing where no mail has a topic', async () => {
  const refusals = topicRefusalRepository({ execute: () => Promise.reject(new Error('It was asked')) })
  expect(await refusals.findAcrossTeams([])).toEqual(new Map())
  const recipient = { id: 'r', teamId: 't', topicId: 'o', email: 'to@example.org', addressHash: 'h' }
  await expect(refusals.findAcrossTeams([recipient])).rejects.toThrow('It was asked')
})
