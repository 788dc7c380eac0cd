import { expect, it } from 'vitest'
import { addAutomation, createRunner, graphOf, pause, sendEvent } from '../../../support/builders/automations.ts'
import { createContact, newAddress } from '../../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())

it('counts the runs that reached each step, in the order of the automation', async () => {
  const rename = { key: 'rename', type: 'contact_update' as const, config: { first_name: 'Ada' } }
  const id = await addAutomation(service, graphOf([rename, pause]))
  const { runAll } = createRunner(service)
  for (let run = 0; run < 3; run += 1) {
    const email = newAddress()
    await createContact(service, { email })
    await sendEvent(service, 'signed.up', { email, payload: {} })
  }
  await runAll()
  const { status, body } = await service.call('GET', `/automations/${id}/metrics`)
  const { steps, ...rest } = body as { steps: { key: string; type: string; entered: number; waiting: number; completed: number }[] }
  expect({ status, ...rest }).toEqual({
    ...{ status: 200, object: 'automation_metrics', automation_id: id },
    runs: { running: 3, completed: 0, failed: 0, cancelled: 0 },
  })
  expect(steps.map(({ key, entered, waiting, completed }) => [key, entered, waiting, completed])).toEqual([
    ['start', 3, 0, 3],
    ['rename', 3, 0, 3],
    ['pause', 3, 3, 0],
  ])
})

it('is nothing to another team', async () => {
  const id = await addAutomation(service, graphOf([pause]))
  for (const [of, token] of [[id, service.other.token] as const, [UNKNOWN_ID, service.token] as const])
    expect((await service.call('GET', `/automations/${of}/metrics`, { token })).status).toBe(404)
})
