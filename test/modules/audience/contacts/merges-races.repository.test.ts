// Merges and choices of topics while contacts and topics are changed, in orders that are made to occur.
import { beforeAll, describe, expect, it } from 'vitest'
import type { Execute } from '../../../../src/db/database.ts'
import { lockContact } from '../../../../src/modules/audience/contacts/contact-rows.repository.ts'
import { changeContact } from '../../../../src/modules/audience/contacts/contacts.repository.ts'
import { mergeContacts } from '../../../../src/modules/audience/contacts/merge-contacts.repository.ts'
import { removeMembers } from '../../../../src/server/orphan-cleanup.ts'
import {
  addTopic,
  type ContactRaces,
  createContact,
  createContactRaces,
  newAddress,
  optOut,
  readContact,
} from '../../../support/builders/contacts.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let races: ContactRaces

const service = shared(() => startTestService())
beforeAll(() => {
  races = createContactRaces(service)
})

/** Does something else before the statement that has this text and this value. */
const meetBefore =
  (execute: Execute, text: string, value: string, act: () => Promise<void>): Execute =>
  async (sql, values) => {
    if (String(sql).includes(text) && JSON.stringify(values).includes(value)) await act()
    return execute(sql, values)
  }

describe('what is written of topics beside a deletion', () => {
  it('of the contact leaves nothing: contacts that an import skips', async () => {
    const topics = optOut(await addTopic(service))
    const email = newAddress()
    const id = await createContact(service, { email })
    const { contacts } = service.service.context.repositories
    let removing: Promise<unknown> | undefined
    await service.database.transaction(async (inside) => {
      const execute = meetBefore(inside, 'insert into contact_topics', id, async () => {
        removing = (await races.meetHalfway(() => contacts.deleteContact(service.teamId, { id }))).outcome
      })
      const options = { teamId: service.teamId, segmentIds: [], topics, onConflict: 'skip' as const, now: new Date() }
      await mergeContacts(execute, [races.toMerge(email)], options)
    })
    expect(await removing).toEqual({ id })
    expect(await races.rowsWithoutContact()).toEqual({ segments: 0, topics: 0 })
  })

  /** Deletes a topic, and does the job that follows. */
  async function deleteTopic(topicId: string): Promise<void> {
    expect((await service.call('DELETE', `/topics/${topicId}`)).status).toBe(200)
    await removeMembers(service.service.context, { topicId }, { signal: new AbortController().signal })
  }
  const rowsOf = async (topic: string) => {
    const [row] = await service.database.execute(
      `select (select count(*)::int from contact_topics where topic_id = $1) as choices, (select count(*)::int from topic_opt_outs where topic_id = $1) as remembered`,
      [topic],
    )
    return row
  }

  it('of the topic leaves nothing: an address that comes back', async () => {
    const topic = await addTopic(service)
    const email = newAddress()
    await createContact(service, { email, topics: optOut(topic) })
    await service.call('DELETE', `/contacts/${email}`)
    const deleting = await service.database.transaction(async (inside) => {
      await races.merge(inside, [email])
      return races.meetHalfway(() => deleteTopic(topic))
    })
    await deleting.outcome
    expect(await rowsOf(topic)).toEqual({ choices: 0, remembered: 0 })
  })

  it('of the topic leaves nothing: a contact that takes another address', async () => {
    const topic = await addTopic(service)
    const id = await createContact(service, { email: newAddress(), topics: optOut(topic) })
    let deleting: Promise<unknown> | undefined
    await service.database.records(async (record) => {
      const contact = await lockContact(record.execute, service.teamId, { id })
      if (!contact) throw new Error('The contact is gone')
      const execute = meetBefore(record.execute, 'insert into topic_opt_outs', topic, async () => {
        deleting = (await races.meetHalfway(() => deleteTopic(topic))).outcome
      })
      await changeContact({ ...record, execute }, service.teamId, {
        contact,
        change: { email: newAddress() },
        hashOf: races.hashOf,
        now: new Date(),
      })
    })
    await deleting
    expect(await rowsOf(topic)).toEqual({ choices: 0, remembered: 0 })
  })
})

it('a change of topics is told once, also when two say it at the same time', async () => {
  const topics = optOut(await addTopic(service))
  const email = newAddress()
  const id = await createContact(service, { email })
  let saving: ReturnType<typeof service.call> | undefined
  await service.database.transaction(async (inside) => {
    await inside('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`opt-outs ${service.teamId}`])
    saving = service.call('POST', '/contacts', { body: { email, topics } })
    await races.untilLockWait()
    expect((await service.call('PATCH', `/contacts/${id}/topics`, { body: topics })).status).toBe(200)
  })
  expect((await saving)?.status).toBe(201)
  const told = await service.database.execute(`select from notifications where subject_id = $1 and type = 'contact.topics.updated'`, [id])
  expect(told).toHaveLength(1)
})

describe('merges', () => {
  it.each(['upsert', 'skip'] as const)('of the same people in opposite order wait for each other (%s)', async (onConflict) => {
    const emails = Array.from({ length: 200 }, newAddress)
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        service.database.transaction((inside) => races.merge(inside, index % 2 === 0 ? emails : emails.toReversed(), onConflict)),
      ),
    )
    const [row] = await service.database.execute('select count(*)::int as count from contacts where email = any($1)', [emails])
    expect(row).toEqual({ count: 200 })
  })

  it('see an opt-out that was committed while they waited for a contact that was then deleted', async () => {
    const email = newAddress()
    const contact = await createContact(service, { email })
    let merging: Promise<unknown> = Promise.resolve()
    await service.database.transaction(async (inside) => {
      await inside('select from contacts where id = $1 for update', [contact])
      merging = service.database.transaction((other) => races.merge(other, [email]))
      await races.untilLockWait()
      await inside('insert into opt_outs (team_id, address_hash, created_at) values ($1, $2, now())', [service.teamId, races.hashOf(email)])
      await inside('delete from contacts where id = $1', [contact])
    })
    await merging
    expect((await readContact(service, email)).unsubscribed).toBe(true)
  })
})

it('a merge that skips contacts holds them in the order of their addresses, and unsubscribes only who leaves', async () => {
  const emails = [newAddress(), newAddress(), newAddress()]
  for (const email of emails.toReversed()) await createContact(service, { email })
  const [staying, leaving, held] = emails.toSorted((a, b) => (a < b ? -1 : 1))
  const contacts = [held, leaving, staying].map((email = '') => ({
    ...races.toMerge(email),
    firstName: 'New',
    unsubscribed: email === leaving,
  }))
  let merging: Promise<unknown> = Promise.resolve()
  await service.database.transaction(async (inside) => {
    await inside('select from contacts where email = $1 for update', [held])
    const options = { teamId: service.teamId, segmentIds: [], topics: [], onConflict: 'skip' as const, now: new Date() }
    merging = service.database.transaction((other) => mergeContacts(other, contacts, options))
    await races.untilLockWait()
    const free = await inside('select email from contacts where email = any($1) order by email for update skip locked', [emails])
    expect(free).toEqual([{ email: held }])
  })
  expect(await merging).toEqual([])
  const stored = await service.database.execute(
    'select email, first_name as name, unsubscribed from contacts where email = any($1) order by email',
    [emails],
  )
  expect(stored).toEqual([staying, leaving, held].map((email) => ({ email, name: null, unsubscribed: email === leaving })))
})
