// What changes or comes in numbers while runs wait.
import { beforeAll, expect, it } from 'vitest'
import type { Step } from '../../../../src/modules/automations/graph/graph.ts'
import {
  addAutomation,
  createEvent,
  createRunner,
  graphOf,
  mailsTo,
  pathOf,
  runsOf,
  sendEvent,
} from '../../../support/builders/automations.ts'
import { addSegment } from '../../../support/builders/contacts.ts'
import { publishedTemplate } from '../../../support/builders/templates.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const clock = createShiftingClock()
const HOUR_MS = 3_600_000
let runAll: () => Promise<void>

const service = shared(() => startTestService({ clock }))
beforeAll(() => {
  runAll = createRunner(service).runAll
})

const pause: Step = { key: 'pause', type: 'delay', config: { duration: '1 hour' } }
const mail = (id: string): Step => ({ key: 'mail', type: 'send_email', config: { template: { id } } })
const wait = (eventName: string): Step => ({
  key: 'wait',
  type: 'wait_for_event',
  config: { event_name: eventName, filter_rule: { type: 'rule', field: 'event.total', operator: 'gt', value: 5 } },
})

it('an email has the version of its template that is published when the step acts', async () => {
  const template = await publishedTemplate(service)
  await addAutomation(service, graphOf([pause, mail(template)], 'version.run'))
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
  const id = await addAutomation(service, graphOf([pause, await mailOf('Before')], 'patched.run'))
  await sendEvent(service, 'patched.run', { email: 'early@example.org' })
  await runAll()
  expect((await service.call('PATCH', `/automations/${id}`, { body: graphOf([await mailOf('After')], 'patched.run') })).status).toBe(200)
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

it('a run fails with the reason at a step whose template, segment or topic was deleted while it waited', async () => {
  const [template, segmentId] = [await publishedTemplate(service), await addSegment(service)]
  const { body } = await service.call('POST', '/topics', { body: { name: 'News', default_subscription: 'opt_in' } })
  const topic = (body as { id: string }).id
  const ofTopic: Step = { key: 'news', type: 'send_email', config: { template: { id: await publishedTemplate(service) }, topic_id: topic } }
  const ids = [
    await addAutomation(service, graphOf([pause, ofTopic], 'gone.run')),
    await addAutomation(service, graphOf([pause, mail(template)], 'gone.run')),
    await addAutomation(service, graphOf([pause, { key: 'join', type: 'add_to_segment', config: { segment_id: segmentId } }], 'gone.run')),
  ]
  await sendEvent(service, 'gone.run')
  await runAll()
  await service.call('DELETE', `/templates/${template}`)
  await service.call('DELETE', `/segments/${segmentId}`)
  await service.call('DELETE', `/topics/${topic}`)
  clock.shift(HOUR_MS)
  await runAll()
  const runs = await Promise.all(ids.map((id) => runsOf(service, id)))
  expect(runs).toMatchObject([
    [{ status: 'failed', reason: 'Step `news`: Its topic was deleted.' }],
    [{ status: 'failed', reason: 'Step `mail`: Its template was deleted.' }],
    [{ status: 'failed', reason: 'Step `join`: Its segment was deleted.' }],
  ])
})

it('a run takes an event as it was sent, although its schema has changed since the run began', async () => {
  await createEvent(service, { name: 'typed.paid', schema: { total: 'number' } })
  const id = await addAutomation(service, graphOf([wait('typed.paid')], 'typed.run'))
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
    await addAutomation(service, graphOf([wait('many.paid'), mail(await publishedTemplate(service))], 'many.run')),
    await addAutomation(service, graphOf([pause], 'many.paid')),
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
