import { describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { mergeContacts } from '../../../../src/modules/audience/contacts/merge-contacts.repository.ts'
import { invalid, missing, outcome } from '../../../support/builders/answers.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { countTopicOptOuts, createContact, createTopic } from '../../../support/builders/topics.ts'
import { until } from '../../../support/clocks/until.ts'
import { type Answer, shared, startTestService } from '../../../support/servers/service.ts'
import { OF_THIS_DATABASE, WAITS_FOR_LOCK } from '../../../support/servers/statements.ts'

const ROUNDS = 30

const service = shared(() => startTestService())

/** Decides as the person whose address the contact has. */
const decide = async (
  contactId: string,
  decision: { unsubscribed?: boolean; topics: { id: string; subscription: 'opt_in' | 'opt_out' }[] },
) => {
  const { contacts, contactTopics } = service.service.context.repositories
  const contact = await contacts.find(service.teamId, { id: contactId })
  return contactTopics.decide(service.teamId, contact?.addressHash ?? 'nobody', decision)
}

const typesOf = async (contactId: string) => {
  const rows = await service.database.execute<{ type: string }>(
    `select type from notifications where subject_id = $1 and type <> 'contact.created' order by type`,
    [contactId],
  )
  return rows.map(({ type }) => type)
}

const choicesOf = (contactId: string) =>
  service.database.execute<{ id: string; subscription: string }>(
    'select topic_id as id, subscription from contact_topics where contact_id = $1 order by topic_id',
    [contactId],
  )

const countOptOuts = async () => (await service.database.execute('select from opt_outs where team_id = $1', [service.teamId])).length

describe('what a person decides', () => {
  it('is kept in one piece and told', async () => {
    const topic = await createTopic(service)
    const id = await createContact(service, 'one@example.com')

    const decided = await decide(id, { unsubscribed: true, topics: [{ id: topic, subscription: 'opt_out' }] })

    expect(decided).toMatchObject({ id, email: 'one@example.com', unsubscribed: true })
    expect((await service.call('GET', `/contacts/${id}`)).body).toMatchObject({ unsubscribed: true })
    expect(await choicesOf(id)).toEqual([{ id: topic, subscription: 'opt_out' }])
    expect([await countOptOuts(), await countTopicOptOuts(service, topic)]).toEqual([1, 1])
    expect(await typesOf(id)).toEqual(['contact.topics.updated', 'contact.updated'])

    const again = await decide(id, { unsubscribed: false, topics: [{ id: topic, subscription: 'opt_in' }] })
    expect(again).toMatchObject({ unsubscribed: false })
    expect([await countOptOuts(), await countTopicOptOuts(service, topic)]).toEqual([0, 0])
  })

  it('is told once, however often it is said', async () => {
    const topic = await createTopic(service)
    const id = await createContact(service, 'twice@example.com')
    const decision = { unsubscribed: true, topics: [{ id: topic, subscription: 'opt_out' as const }] }
    await Promise.all([decide(id, decision), decide(id, decision), decide(id, decision)])
    expect(await typesOf(id)).toEqual(['contact.topics.updated', 'contact.updated'])
  })

  it('leaves alone what it does not name', async () => {
    const topic = await createTopic(service)
    const id = await createContact(service, 'quiet@example.com', { unsubscribed: true })
    expect(await decide(id, { topics: [] })).toMatchObject({ unsubscribed: true })
    expect(await decide(id, { topics: [{ id: topic, subscription: 'opt_out' }] })).toMatchObject({ unsubscribed: true })
    expect(await typesOf(id)).toEqual(['contact.topics.updated'])
  })

  it('passes over topics that are gone or not of this team', async () => {
    const topic = await createTopic(service)
    const others = await createTopic(service, {}, service.other.token)
    const id = await createContact(service, 'gone@example.com')
    const topics = [UNKNOWN_ID, others, topic].map((one) => ({ id: one, subscription: 'opt_out' as const }))
    expect(await decide(id, { unsubscribed: true, topics })).toMatchObject({ unsubscribed: true })
    expect(await choicesOf(id)).toEqual([{ id: topic, subscription: 'opt_out' }])
  })

  it('is nothing when the contact is not there', async () => {
    const others = await createContact(service, 'others@example.com', {}, service.other.token)
    expect(await decide(UNKNOWN_ID, { unsubscribed: true, topics: [] })).toBeNull()
    expect(await decide(others, { unsubscribed: true, topics: [] })).toBeNull()
  })
})

const outcomeOf = (answer: Answer | undefined) => answer && outcome(answer)

/** How many statements wait for a lock. */
const waiting = async (count: number) =>
  until(async () => {
    const rows = await service.database.execute(`select from pg_stat_activity where datname = current_database() and ${WAITS_FOR_LOCK}`)
    expect(rows).toHaveLength(count)
  })

/** Two calls that both wait for the same row, the first before the second, and are then released. */
async function meet(table: 'contacts' | 'topics', id: string, calls: [() => Promise<Answer>, () => Promise<Answer>]): Promise<Answer[]> {
  const answers: Promise<Answer>[] = []
  await service.database.transaction(async (inside) => {
    await inside(`select from ${table} where id = $1 for update`, [id])
    for (const call of calls) {
      answers.push(call())
      await waiting(answers.length)
    }
  })
  return Promise.all(answers)
}

describe('a choice of topics that meets', () => {
  const choose = (contact: string, topics: string[]) => () =>
    service.call('PATCH', `/contacts/${contact}/topics`, { body: topics.map((id) => ({ id, subscription: 'opt_out' })) })
  const remove = (path: string) => () => service.call('DELETE', path)

  it('the deletion of the contact comes before or too late, and leaves nothing of the contact', async () => {
    const topic = await createTopic(service)
    const first = await createContact(service, 'meets-first@example.com')
    const chosen = await meet('contacts', first, [choose(first, [topic]), remove(`/contacts/${first}`)])
    expect(chosen.map(({ status }) => status)).toEqual([200, 200])
    expect(await choicesOf(first)).toEqual([])

    const second = await createContact(service, 'meets-second@example.com')
    const [removed, late] = await meet('contacts', second, [remove(`/contacts/${second}`), choose(second, [topic])])
    expect(removed?.status).toBe(200)
    expect(outcomeOf(late)).toEqual(missing('Contact'))
    expect(await choicesOf(second)).toEqual([])
  })

  it('the deletion of the topic comes before or too late, and nothing else is chosen then', async () => {
    const id = await createContact(service, 'meets-topic@example.com')
    const kept = await createTopic(service)
    const [first, second] = [await createTopic(service), await createTopic(service)]
    const chosen = await meet('topics', first, [choose(id, [first]), remove(`/topics/${first}`)])
    expect(chosen.map(({ status }) => status)).toEqual([200, 200])

    const [removed, late] = await meet('topics', second, [remove(`/topics/${second}`), choose(id, [kept, second])])
    expect(removed?.status).toBe(200)
    expect(outcomeOf(late)).toEqual(invalid('The `[1].id` field is not the id of one of your topics.'))
    expect((await choicesOf(id)).map((choice) => choice.id)).not.toContain(kept)
  })

  it('both deletions at any moment is never an error of ours', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const topic = await createTopic(service)
      const id = await createContact(service, `any-${round}@example.com`)
      const calls = [choose(id, [topic]), remove(`/contacts/${id}`), remove(`/topics/${topic}`)]
      const answers = await Promise.all([...calls.slice(round % 3), ...calls.slice(0, round % 3)].map((call) => call()))
      for (const { status } of answers) expect([200, 404, 422]).toContain(status)
      expect(await choicesOf(id)).toEqual([])
    }
  })

  it('another of the same contact ends as one of the two, and so does what is remembered of the address', async () => {
    const topic = await createTopic(service)
    const id = await createContact(service, 'same@example.com')
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all(
        ['opt_in', 'opt_out'].map((subscription) =>
          service.call('PATCH', `/contacts/${id}/topics`, { body: [{ id: topic, subscription }] }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      const [choice] = await choicesOf(id)
      expect(await countTopicOptOuts(service, topic)).toBe(choice?.subscription === 'opt_out' ? 1 : 0)
    }
  })
})

it('anyone who leaves while an import brings the address back is unsubscribed nevertheless', async () => {
  const { repositories, hashAddress } = service.service.context
  const email = 'returning@example.com'
  const addressHash = hashAddress(service.teamId, email)
  let leaving: Promise<unknown> = Promise.resolve()
  await service.database.transaction(async (inside) => {
    const row = { id: createId(), email, addressHash, firstName: null, lastName: null, unsubscribed: false, properties: {} }
    const options = { teamId: service.teamId, onConflict: 'upsert' as const, segmentIds: [], topics: [], now: new Date() }
    await mergeContacts(inside, [row], options)
    // The contact exists, and no other transaction can see it yet.
    leaving = repositories.contactTopics.decide(service.teamId, addressHash, { unsubscribed: true, topics: [] })
    await until(async () => {
      const waiting = await service.database.execute(
        `select from pg_locks where locktype = 'advisory' and not granted and ${OF_THIS_DATABASE}`,
      )
      expect(waiting).toHaveLength(1)
    })
  })
  await leaving
  expect(await repositories.contacts.find(service.teamId, { email })).toMatchObject({ unsubscribed: true })
})
