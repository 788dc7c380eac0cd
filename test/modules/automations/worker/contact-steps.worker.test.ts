// Steps that change contacts: those of several runs share a transaction.
import { beforeAll, expect, it } from 'vitest'
import type { Step } from '../../../../src/modules/automations/graph/graph.ts'
import { runAutomations } from '../../../../src/modules/automations/steps/run-automations.worker.ts'
import { addAutomation, createRunner, graphOf, runsOf, sendEvent, stopAutomation } from '../../../support/builders/automations.ts'
import { createContact, readContact } from '../../../support/builders/contacts.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let runner: ReturnType<typeof createRunner>

const service = shared(() => startTestService())
beforeAll(() => {
  runner = createRunner(service)
})

const rename = (name: string): Step => ({ key: `rename-${name}`, type: 'contact_update', config: { first_name: name } })
const remove: Step = { key: 'remove', type: 'contact_delete', config: {} }

/** Takes runs further until nothing is due. Returns the contacts of each transaction; `before` is called ahead of the first. */
async function transactionsOfRunning(before: () => Promise<unknown> = async () => {}): Promise<string[][]> {
  const { context } = service.service
  const { automationContactActs } = context.repositories
  const transactions: string[][] = []
  const repositories = {
    ...context.repositories,
    automationContactActs: {
      async do(...given: Parameters<typeof automationContactActs.do>) {
        if (transactions.length === 0) await before()
        transactions.push(given[1].map(({ contactId }) => contactId))
        return automationContactActs.do(...given)
      },
    },
  }
  while ((await runAutomations({ ...context, repositories }, runner.work)).hasMore);
  return transactions
}

const statusesOf = async (id: string) => (await runsOf(service, id)).map(({ status }) => status)

it('twenty at most are in one transaction, and each is done once', async () => {
  const id = await addAutomation(service, graphOf([rename('Ada')], 'many.renamed'))
  const events = Array.from({ length: 45 }, (_, index) => ({ event: 'many.renamed', email: `many${index}@example.org` }))
  expect((await service.call('POST', '/events/send/batch', { body: events })).status).toBe(202)
  const transactions = await transactionsOfRunning()
  expect(transactions.map((contacts) => contacts.length)).toEqual([20, 20, 5])
  expect(new Set(transactions.flat())).toHaveLength(45)
  expect(await statusesOf(id)).toEqual(Array.from({ length: 45 }, () => 'completed'))
  const [named] = await service.database.execute(
    `select count(*)::int as count from contacts where email like 'many%' and first_name = 'Ada'`,
  )
  expect(named).toEqual({ count: 45 })
})

it('two of one contact are in transactions of their own', async () => {
  const ids = [
    await addAutomation(service, graphOf([rename('Ada')], 'twice.renamed')),
    await addAutomation(service, graphOf([rename('Grace')], 'twice.renamed')),
  ]
  await sendEvent(service, 'twice.renamed', { email: 'twice@example.org' })
  expect((await transactionsOfRunning()).map((contacts) => contacts.length)).toEqual([1, 1])
  expect(await Promise.all(ids.map(statusesOf))).toEqual([['completed'], ['completed']])
})

it('one that unsubscribes the contact is remembered for the address, as any opt-out is', async () => {
  const email = 'opted-out@example.org'
  const unsubscribe: Step = { key: 'unsubscribe', type: 'contact_update', config: { unsubscribed: true } }
  const id = await addAutomation(service, graphOf([unsubscribe], 'opted.out'))
  await createContact(service, { email })
  await sendEvent(service, 'opted.out', { email })
  await transactionsOfRunning()
  expect(await statusesOf(id)).toEqual(['completed'])
  expect(await readContact(service, email)).toMatchObject({ unsubscribed: true })
  const hash = service.service.context.hashAddress(service.teamId, email)
  expect(await service.database.execute('select team_id from opt_outs where address_hash = $1', [hash])).toEqual([
    { team_id: service.teamId },
  ])
  await service.call('DELETE', `/contacts/${email}`)
  await createContact(service, { email })
  expect(await readContact(service, email)).toMatchObject({ unsubscribed: true })
})

it('a contact that two runs delete is deleted once, and the other run is cancelled or has done it', async () => {
  const ids = [
    await addAutomation(service, graphOf([remove], 'twice.removed')),
    await addAutomation(service, graphOf([remove], 'twice.removed')),
  ]
  await sendEvent(service, 'twice.removed', { email: 'removed@example.org' })
  await transactionsOfRunning()
  const statuses = (await Promise.all(ids.map(statusesOf))).flat().sort()
  expect(statuses).toEqual(['cancelled', 'completed'])
  expect((await service.call('GET', '/contacts/removed@example.org')).status).toBe(404)
})

it('of a run that ended meanwhile is not done, and those beside it are', async () => {
  const [ended, other] = [
    await addAutomation(service, graphOf([rename('Never')], 'one.ended')),
    await addAutomation(service, graphOf([rename('Grace')], 'other.goes.on')),
  ]
  await sendEvent(service, 'one.ended', { email: 'ended@example.org' })
  await sendEvent(service, 'other.goes.on', { email: 'going@example.org' })
  const transactions = await transactionsOfRunning(async () => {
    await stopAutomation(service, ended)
    await service.database.execute(
      `update automation_runs set status = 'cancelled', wake_at = null, leased_by = null where automation_id = $1`,
      [ended],
    )
  })
  expect(transactions.map((contacts) => contacts.length)).toEqual([2])
  expect([await statusesOf(ended), await statusesOf(other)]).toEqual([['cancelled'], ['completed']])
  const names = await service.database.execute(
    `select email, first_name as name from contacts where email in ('ended@example.org', 'going@example.org') order by email`,
  )
  expect(names).toEqual([
    { email: 'ended@example.org', name: null },
    { email: 'going@example.org', name: 'Grace' },
  ])
})
