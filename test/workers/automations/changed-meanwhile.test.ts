// What changes or comes in numbers while runs wait.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Step } from '../../../src/lib/automations/graph.ts'
import { addAutomation, chain, createRunner, mailsTo, pathOf, runsOf, sendEvent } from '../../support/builders/automation-runs.ts'
import { addSegment } from '../../support/builders/contact-builders.ts'
import { createEvent } from '../../support/builders/events.ts'
import { publishedTemplate } from '../../support/builders/templates.ts'
import { createShiftingClock } from '../../support/clocks/shifting-clock.ts'
import { startTestService, type TestService } from '../../support/servers/service.ts'

const clock = createShiftingClock()
const HOUR_MS = 3_600_000
let service: TestService
let runAll: () => Promise<void>

beforeAll(async () => {
  service = await startTestService({ clock })
  runAll = createRunner(service).runAll
})
afterAll(() => service.close())

const pause: Step = { key: 'pause', type: 'delay', config: { duration: '1 hour' } }
const mail = (id: string): Step => ({ key: 'mail', type: 'send_email', config: { template: { id } } })
const wait = (eventName: string): Step => ({
  key: 'wait',
  type: 'wait_for_event',
  config: { event_name: eventName, filter_rule: { type: 'rule', field: 'event.total', operator: 'gt', value: 5 } },
})

it('an email has the version of its template that is published when the step acts', async () => {
  const template = await publishedTemplate(service)
  await addAutomation(service, chain([pause, mail(template)], 'version.run'))
  await sendEvent(service, 'version.run', { email: 'version@example.org' })
  await runAll()
  await service.call('PATCH', `/templates/${template}`, { body: { subject: 'Published meanwhile' } })
  await service.call('POST', `/templates/${template}/publish`)
  await service.call('PATCH', `/templates/${template}`, { body: { subject: 'Never published' } })
  clock.shift(HOUR_MS)
  await runAll()
  expect(await mailsTo(service, 'version@example.org')).toMatchObject([{ subject: 'Published meanwhile' }])
})

it('a run goes through the graph with which it began, and one that begins later through the changed one', async () => {
  const mailOf = async (subject: string): Promise<Step> => {
    const id = await publishedTemplate(service)
    return { key: 'mail', type: 'send_email', config: { template: { id }, subject } }
  }
  const id = await addAutomation(service, chain([pause, await mailOf('Before')], 'patched.run'))
  await sendEvent(service, 'patched.run', { email: 'early@example.org' })
  await runAll()
  expect((await service.call('PATCH', `/automations/${id}`, { body: chain([await mailOf('After')], 'patched.run') })).status).toBe(200)
  await sendEvent(service, 'patched.run', { email: 'later@example.org' })
  await runAll()
  expect(await mailsTo(service, 'early@example.org')).toEqual([])
  expect(await mailsTo(service, 'later@example.org')).toMatchObject([{ subject: 'After' }])
  clock.shift(HOUR_MS)
  await runAll()
  expect(await mailsTo(service, 'early@example.org')).toMatchObject([{ subject: 'Before' }])
  expect((await runsOf(service, id)).map(pathOf)).toEqual([
    { start: 'completed', pause: 'completed', mail: 'completed' },
    { start: 'completed', mail: 'completed' },
  ])
})

it('a run fails with the reason at a step whose template or segment was deleted while it waited', async () => {
  const [template, segmentId] = [await publishedTemplate(service), await addSegment(service)]
  const ids = [
    await addAutomation(service, chain([pause, mail(template)], 'gone.run')),
    await addAutomation(service, chain([pause, { key: 'join', type: 'add_to_segment', config: { segment_id: segmentId } }], 'gone.run')),
  ]
  await sendEvent(service, 'gone.run')
  await runAll()
  await service.call('DELETE', `/templates/${template}`)
  await service.call('DELETE', `/segments/${segmentId}`)
  clock.shift(HOUR_MS)
  await runAll()
  const runs = await Promise.all(ids.map((id) => runsOf(service, id)))
  expect(runs).toMatchObject([
    [{ status: 'failed', reason: 'Step `mail`: Its template was deleted.' }],
    [{ status: 'failed', reason: 'Step `join`: Its segment was deleted.' }],
  ])
})

it('a run takes an event as it was sent, although its schema has changed since the run began', async () => {
  await createEvent(service, { name: 'typed.paid', schema: { total: 'number' } })
  const id = await addAutomation(service, chain([wait('typed.paid')], 'typed.run'))
  await sendEvent(service, 'typed.run')
  await runAll()
  await service.call('PATCH', '/events/typed.paid', { body: { schema: { total: 'string' } } })
  const refused = await service.call('POST', '/events/send', {
    body: { event: 'typed.paid', email: 'ada@example.org', payload: { total: 9 } },
  })
  expect(refused.status).toBe(422)
  await sendEvent(service, 'typed.paid', { email: 'ada@example.org', payload: { total: 'nine' } })
  await runAll()
  expect(await runsOf(service, id)).toMatchObject([{ status: 'running' }])
  await service.call('PATCH', '/events/typed.paid', { body: { schema: null } })
  await sendEvent(service, 'typed.paid', { email: 'ada@example.org', payload: { total: 9 } })
  await runAll()
  expect(await runsOf(service, id)).toMatchObject([{ status: 'completed', state: { steps: { wait: { output: { timed_out: false } } } } }])
})

it('a hundred events of a contact that come together end its wait once, and start a run each', async () => {
  const [waiting, started] = [
    await addAutomation(service, chain([wait('many.paid'), mail(await publishedTemplate(service))], 'many.run')),
    await addAutomation(service, chain([pause], 'many.paid')),
  ]
  await sendEvent(service, 'many.run', { email: 'many@example.org' })
  await runAll()
  const events = Array.from({ length: 100 }, (_, total) => ({ event: 'many.paid', email: 'many@example.org', payload: { total } }))
  expect((await service.call('POST', '/events/send/batch', { body: events })).status).toBe(202)
  await runAll()
  expect(await runsOf(service, waiting)).toMatchObject([{ status: 'completed' }])
  expect(await mailsTo(service, 'many@example.org')).toHaveLength(1)
  expect(await runsOf(service, started)).toHaveLength(100)
})
