import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addRun, condition, connection, createAutomation, delay, reached, trigger } from '../../support/builders/automations.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const PAGE = '/console/automations'

let cookie: string
let id: string

// No worker, so that the rows stay as the tests write them.
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
beforeAll(async () => {
  cookie = await signIn(service)
})

beforeEach(async () => {
  await service.database.execute('delete from automations')
  await service.database.execute('delete from automation_runs')
  id = await createAutomation(service, {
    steps: [trigger(), condition('big'), delay('yes'), delay('no')],
    connections: [connection('start', 'big'), connection('big', 'yes', 'condition_met'), connection('big', 'no', 'condition_not_met')],
  })
})

const look = (path = '') => visit(service, 'GET', `${PAGE}${path}`, { cookie })
const labelsOf = (text: string) => [...text.matchAll(/<text class="label"[^>]*>([^<]*)<\/text>/g)].map(([, label]) => label)
const statesOf = (text: string) => [...text.matchAll(/<svg class="step (\w*)"/g)].map(([, state]) => state)
const BIG = { start: reached(), big: reached({ output: { met: true } }) }

describe('the list of automations', () => {
  it('shows those of the team with their runs by state', async () => {
    await addRun(service, id)
    await addRun(service, id)
    await addRun(service, id, { status: 'completed' })
    await addRun(service, id, { status: 'failed' })
    const { status, text } = await look()
    expect(status).toBe(200)
    expect(text).toContain(`<th scope="row"><a href="${PAGE}/${id}">Welcome</a></th>`)
    expect(text).toContain('2 running, 1 completed, 1 failed')
    const other = await signIn(service, service.other.token)
    expect((await visit(service, 'GET', PAGE, { cookie: other })).text).toContain('No automations yet')
  })

  it('counts what was stopped as cancelled, and says so of no runs', async () => {
    expect((await look()).text).toContain('<td class="soft">none</td>')
    await addRun(service, id)
    await service.call('POST', `/automations/${id}/stop`)
    expect((await look()).text).toContain('<td class="soft">1 cancelled</td>')
  })

  it('has pages', async () => {
    for (let count = 0; count < 50; count += 1) await createAutomation(service, { name: `Number ${count}` })
    const first = await look()
    expect(first.text).not.toContain('Welcome')
    const [, older = ''] = /<a href="\/console\/automations(\?after=[^"]*)" rel="next">/.exec(first.text) ?? []
    expect((await look(older)).text).toContain('Welcome')
    const [, newer = ''] = /<a href="\/console\/automations(\?before=[^"]*)" rel="prev">/.exec((await look(older)).text) ?? []
    expect((await look(newer)).location).toBe(PAGE)
  })
})

describe('the page of an automation', () => {
  it('counts on each connection the runs that have followed it', async () => {
    const no = { start: reached(), big: reached({ output: { met: false } }) }
    await addRun(service, id, { at: 'yes', steps: { ...BIG, yes: reached({ status: 'waiting', completedAt: null, output: null }) } })
    await addRun(service, id, { at: 'no', steps: no })
    await addRun(service, id, { at: 'no', steps: no })
    await addRun(service, id, { status: 'failed', steps: { start: reached(), big: reached({ status: 'failed', output: null }) } })
    expect(labelsOf((await look(`/${id}`)).text)).toEqual(['4', 'met · 1', 'not met · 2'])
  })

  it('counts only runs with the steps that are shown', async () => {
    await addRun(service, id, { at: 'big', steps: { start: reached() } })
    await service.call('PATCH', `/automations/${id}`, { body: { steps: [trigger(), delay('a')], connections: [connection('start', 'a')] } })
    expect(labelsOf((await look(`/${id}`)).text)).toEqual(['0'])
  })

  it('lists its runs, and says when there is no such automation of the team', async () => {
    const runId = await addRun(service, id, { status: 'failed', reason: 'Step `big`: no.' })
    const { text } = await look(`/${id}`)
    expect(text).toContain(`href="${PAGE}/${id}/runs/${runId}"`)
    expect(text).toContain('Step `big`: no.')
    const other = await signIn(service, service.other.token)
    expect((await visit(service, 'GET', `${PAGE}/${id}`, { cookie: other })).status).toBe(404)
    expect((await look('/nowhere')).status).toBe(404)
  })
})

describe('the page of a run', () => {
  it('shows the way that it took, with what came of each step', async () => {
    const waiting = reached({ status: 'waiting', completedAt: null, output: null, until: '2026-11-21T09:00:00.000Z' })
    const runId = await addRun(service, id, { at: 'yes', steps: { ...BIG, yes: waiting } })
    const { text } = await look(`/${id}/runs/${runId}`)
    expect(statesOf(text)).toEqual(['completed', 'completed', 'waiting', 'skipped'])
    expect(text.match(/class="way followed"/g)?.length).toBe(2)
    expect(text).toContain('&quot;met&quot;: true')
    expect(text).toMatch(/until <time datetime="2026-11-21T09:00:00.000Z"/)
  })

  it('shows what went wrong', async () => {
    const failed = { start: reached(), big: reached({ status: 'failed', output: null, error: 'It is too big.' }) }
    const runId = await addRun(service, id, { status: 'failed', reason: 'Step `big`: It is too big.', steps: failed })
    const { text } = await look(`/${id}/runs/${runId}`)
    expect(statesOf(text)).toEqual(['completed', 'failed', 'skipped', 'skipped'])
    expect(text).toContain('<p class="wrong">It is too big.</p>')
  })

  it('says when there is no such run', async () => {
    expect((await look(`/${id}/runs/${UNKNOWN_ID}`)).status).toBe(404)
    expect((await look(`/${id}/runs/nowhere`)).status).toBe(404)
  })
})

it('leads to its event, its templates and the contact who was held, and its event leads back', async () => {
  const created = async (path: string, body: object) => ((await service.call('POST', path, { body })).body as { id: string }).id
  const event = await created('/events', { name: 'order.paid' })
  const template = await created('/templates', { name: 'Thanks', alias: 'thanks', subject: 's', html: '<p>t</p>', from: 'a@example.com' })
  await service.call('POST', `/templates/${template}/publish`)
  const contact = await created('/contacts', { email: 'held@example.com' })
  const paid = await createAutomation(service, {
    name: 'After paying',
    steps: [trigger('order.paid'), { key: 'mail', type: 'send_email', config: { template: { id: 'thanks' } } }],
    connections: [connection('start', 'mail')],
  })
  await service.database.execute('update automations set held_at = now(), held_contact_id = $2 where id = $1', [paid, contact])
  const { text } = await look(`/${paid}`)
  const links = [`/console/events/${event}`, `/console/templates/${template}`, `/console/contacts/${contact}`]
  for (const link of links) {
    expect(text).toContain(`href="${link}"`)
    expect((await visit(service, 'GET', link, { cookie })).status).toBe(200)
  }
  expect((await visit(service, 'GET', `/console/events/${event}`, { cookie })).text).toContain(`${PAGE}/${paid}"><bdi>After paying</bdi>`)
})
