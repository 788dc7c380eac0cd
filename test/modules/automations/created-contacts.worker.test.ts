// Automations that begin when a contact is created, without a program that sends an event.
import { describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { addAutomation, graphOf, leftRows, NOTHING_LEFT, pause, runsOf, useAutomationScene } from '../../support/builders/automations.ts'

const { service, runAll, send, add } = useAutomationScene()
const CREATED = 'contact.created'

const create = (email: string, body: object = {}) => service.call('POST', '/contacts', { body: { email, ...body } })
const idOf = async (email: string): Promise<string> => ((await create(email)).body as { id: string }).id

describe('a contact that is created', () => {
  it('starts what begins so, once, and nothing else', async () => {
    const [welcome, disabled, other] = [
      await addAutomation(service, graphOf([pause], CREATED)),
      await addAutomation(service, graphOf([pause], CREATED), { status: 'disabled' }),
      await add([pause]),
    ]
    const id = await idOf('ada@created.example')
    // It is there already, and is only changed.
    await create('ada@created.example', { first_name: 'Ada' })
    await runAll()

    const runs = await runsOf(service, welcome)
    expect(runs).toMatchObject([{ contactId: id, email: 'ada@created.example', status: 'running' }])
    expect([(await runsOf(service, disabled)).length, (await runsOf(service, other)).length]).toEqual([0, 0])
    await service.call('DELETE', `/automations/${welcome}`)
  })

  it('writes no event if no automation begins by it', async () => {
    await idOf('eve@created.example')
    expect(await leftRows(service)).toEqual(NOTHING_LEFT)
  })

  it('by an event with an unknown address starts only what that event starts', async () => {
    const [welcome, own] = [await addAutomation(service, graphOf([pause], CREATED)), await add([pause])]
    await send()
    await runAll()

    expect([(await runsOf(service, welcome)).length, (await runsOf(service, own)).length]).toEqual([0, 1])
    await service.call('DELETE', `/automations/${welcome}`)
  })

  it('and is refused starts nothing', async () => {
    const welcome = await addAutomation(service, graphOf([pause], CREATED))
    expect((await create('max@created.example', { segments: [{ id: createId() }] })).status).toBe(422)
    await runAll()

    expect(await runsOf(service, welcome)).toEqual([])
    await service.call('DELETE', `/automations/${welcome}`)
  })
})
