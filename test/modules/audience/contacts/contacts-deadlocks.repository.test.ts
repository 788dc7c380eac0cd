// Changes of contacts that wait for each other, until PostgreSQL ends one of them.
import { beforeAll, describe, expect, it } from 'vitest'
import type { Execute } from '../../../../src/db/database.ts'
import { isDeadlock } from '../../../../src/db/database-errors.ts'
import { lockContact } from '../../../../src/modules/audience/contacts/contact-rows.repository.ts'
import { changeContact } from '../../../../src/modules/audience/contacts/contacts.repository.ts'
import {
  addTopic,
  type ContactRaces,
  choicesOf,
  createContact,
  createContactRaces,
  newAddress,
  optOut,
  readContact,
} from '../../../support/builders/contacts.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'
import { OF_THIS_DATABASE } from '../../../support/servers/statements.ts'

let races: ContactRaces

const service = shared(() => startTestService())
beforeAll(() => {
  races = createContactRaces(service)
})

describe('contacts that take the same address at once', () => {
  it('are tried again when PostgreSQL ends one of two that wait for each other', async () => {
    const [mine, theirs] = [newAddress(), newAddress()]
    const id = await createContact(service, { email: mine })
    const { contacts } = service.service.context.repositories
    // A merge that has just created the wanted address, and then needs the contact that wants it: the deadlock is certain.
    const [moved] = await meetInside(async (inside, nextMayGo) => {
      await races.merge(inside, [theirs])
      nextMayGo(() => contacts.updateContact(service.teamId, { id }, { email: theirs }, races.hashOf))
      await races.untilLockWait()
      await races.merge(inside, [mine]).catch(() => {})
    })
    // Whichever of the two was ended: the address is taken if the merge was not, and free if it was.
    const email = (await readContact(service, id)).email
    expect([moved, email]).toEqual(moved === 'taken' ? ['taken', mine] : [{ id }, theirs])
  })
})

/** Runs a transaction that may release others while it is open, and returns their results. */
async function meetInside<Outcome>(
  work: (inside: Execute, nextMayGo: (next: () => Promise<Outcome>) => void) => Promise<void>,
): Promise<Outcome[]> {
  const others: Promise<Outcome>[] = []
  await service.database
    .transaction((inside) => work(inside, (next) => others.push(next())))
    .catch((error: unknown) => {
      // This transaction was the one that was ended.
      if (!isDeadlock(error)) throw error
    })
  return Promise.all(others)
}

/**
 * Repeats a trial whose own transaction PostgreSQL has ended, so that the service's is the one that meets the deadlock.
 * Each of the two looks for a deadlock once, some seconds after it began to wait, and who finds it is ended. On a machine that
 * stands still for those seconds, that is the trial.
 */
async function untilTheOtherIsEnded<Outcome>(trial: () => Promise<Outcome>): Promise<Outcome> {
  for (let triesLeft = 10; ; triesLeft -= 1) {
    try {
      return await trial()
    } catch (error) {
      if (!isDeadlock(error) || triesLeft <= 1) throw error
    }
  }
}

describe('a deadlock, which ends one of two', () => {
  const decide = (email: string, topics: ReturnType<typeof optOut>) =>
    service.service.context.repositories.contactTopics.decide(service.teamId, races.hashOf(email), { topics })
  const call = async (method: string, path: string, body: unknown) => (await service.call(method, path, { body })).status

  it.each<[string, (email: string, topics: ReturnType<typeof optOut>) => Promise<unknown>]>([
    ['a decision on the page', async (email, topics) => (await decide(email, topics))?.email],
    ['an update of topics', (email, topics) => call('PATCH', `/contacts/${email}/topics`, topics)],
    ['a create', (email, topics) => call('POST', '/contacts', { email, topics })],
  ])('keeps no one from leaving a topic: %s is tried again', async (_what, leave) => {
    const { topic, email, id, answer } = await untilTheOtherIsEnded(async () => {
      const topic = await addTopic(service)
      const email = newAddress()
      const id = await createContact(service, { email })
      let left: Promise<unknown> = Promise.resolve()
      await service.database
        .transaction(async (inside) => {
          await lockContact(inside, service.teamId, { id })
          left = leave(email, optOut(topic))
          await races.untilLockWait()
          // Held by the transaction that waits for the contact.
          await inside('select from topics where id = $1 for update', [topic])
        })
        .finally(() => left)
      return { topic, email, id, answer: await left }
    })
    expect([email, 200, 201]).toContain(answer)
    expect(await choicesOf(service, id)).toEqual({ [topic]: 'opt_out' })
  })

  it('keeps no one from leaving whose contact moves to another address and is created there', async () => {
    const { contactTopics, contacts } = service.service.context.repositories
    const [from, to] = [newAddress(), newAddress()]
    const id = await createContact(service, { email: from })
    let leaving: Promise<unknown> = Promise.resolve()
    await service.database.transaction(async (inside) => {
      await races.merge(inside, [newAddress()])
      await service.database.records(async (other) => {
        const contact = await lockContact(other.execute, service.teamId, { id })
        if (!contact) throw new Error('The contact is gone')
        await changeContact(other, service.teamId, { contact, change: { email: to }, hashOf: races.hashOf, now: new Date() })
        leaving = contactTopics.decide(service.teamId, races.hashOf(from), { unsubscribed: true, topics: [] })
        await races.untilLockWait()
      })
      // It has waited for the contact, found it changed, and holds it while it waits for this merge to end.
      await until(async () => expect(await service.database.execute(ADVISORY_WAIT)).not.toEqual([]))
      // PostgreSQL ends one of the two.
      await races.merge(inside, [to]).catch(() => {})
    })
    await leaving
    await createContact(service, { email: from })
    expect(await contacts.find(service.teamId, { email: from })).toMatchObject({ unsubscribed: true })
    expect(await contacts.find(service.teamId, { email: to })).toMatchObject({ id, unsubscribed: false })
  })
})

const ADVISORY_WAIT = `select from pg_locks where locktype = 'advisory' and not granted and ${OF_THIS_DATABASE}`
