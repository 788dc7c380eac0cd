// The steps of an automation: a form for each, what is missing in them, and what happens to those that are not saved.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connection, createAutomation, delay, trigger } from '../../support/builders/automations.ts'
import { publishedTemplate } from '../../support/builders/templates.ts'
import { signIn } from '../../support/clients/console.ts'
import { create } from '../../support/records/record-builder.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, keepCookie, screenshot } from '../browser.ts'
import { openApp } from './app.ts'
import { add, choose, plus, stepNamed } from './canvas.ts'
import { faultsOf } from './look.ts'

let browser: Browser
let hello: string
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
  hello = await publishedTemplate(service, { name: 'Hello mail', subject: 'Hello mail', variables: [], html: '<p>Hello</p>' })
  await service.call('POST', '/contact-properties', { body: { key: 'plan', type: 'string' } })
  await service.call('POST', '/events', { body: { name: 'user.created', schema: { source: 'string' } } })
})
afterAll(() => closePages(browser))

const open = async (path: string, width = 1440) => openApp(browser, { origin: service.url, cookie: await signIn(service), path, width })

const idIn = (page: Page): string => /automations\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? ''
const stored = async (id: string) => (await service.call('GET', `/automations/${id}`)).body

it('says at the step what is missing, and what the API refused, and takes back what was done', async () => {
  const id = await createAutomation(service, {
    name: 'Refused',
    steps: [trigger('user.created', 'Start'), delay('Wait'), { key: 'Update', type: 'contact_update', config: { first_name: 'Ada' } }],
    connections: [connection('Start', 'Wait'), connection('Wait', 'Update')],
  })
  const { page } = await open(`/automations/${id}/steps`)
  await add(page, 'Wait', 'Send an email')
  await page.getByRole('button', { name: 'Save' }).click()
  const missing = page.getByRole('alert').filter({ hasText: 'One thing is missing' })
  await missing.getByText('Choose a template.').waitFor()
  await stepNamed(page, 'Email').getByText('Something is missing here').waitFor({ state: 'attached' })
  // What was deleted leads from what came before it to what comes after it.
  await page.getByRole('button', { name: 'Delete this step' }).click()
  await stepNamed(page, 'Email').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await stepNamed(page, 'Email').waitFor()
  await page.getByRole('button', { name: 'Redo' }).click()
  await stepNamed(page, 'Email').waitFor({ state: 'detached' })
  await stepNamed(page, 'Wait').click()
  await page.getByRole('textbox', { name: 'How long' }).fill('4000')
  await page.getByRole('button', { name: 'Save' }).click()
  const refused = page.getByRole('alert').filter({ hasText: 'The steps were not saved' })
  await refused.getByText('must be a duration').waitFor()
  await page.getByRole('region', { name: 'Step' }).getByText('must be a duration').waitFor()
  expect(await faultsOf(page, 'automation-refused')).toEqual([])
  await page.getByRole('textbox', { name: 'How long' }).fill('4')
  await refused.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('link', { name: 'Edit the steps' }).waitFor()
  expect(await stored(id)).toMatchObject({ connections: [connection('Start', 'Wait'), connection('Wait', 'Update')] })
})

it('asks before unsaved steps are left, keeps them when the session ends, and says when someone else changed them', async () => {
  const steps = [trigger('user.created', 'Start'), delay('Wait')]
  const connections = [connection('Start', 'Wait')]
  const id = await createAutomation(service, { name: 'Shared', steps, connections })
  const { page } = await open(`/automations/${id}/steps`)
  await add(page, 'Wait', 'Delete the contact')
  await page.getByRole('link', { name: 'Templates' }).click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click()
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Save' }).click()
  const ended = page.getByRole('dialog', { name: 'You are no longer signed in' })
  await ended.waitFor()
  await keepCookie(page.context(), { origin: service.url, cookie: await signIn(service) })
  await ended.getByRole('button', { name: 'Go on' }).click()
  await ended.waitFor({ state: 'detached' })
  await stepNamed(page, 'Delete contact').waitFor()
  const theirs = [...steps, delay('Theirs', '2 days')]
  await service.call('PATCH', `/automations/${id}`, {
    body: { steps: theirs, connections: [...connections, connection('Wait', 'Theirs')] },
  })
  await page.getByRole('button', { name: 'Save' }).click()
  const asked = page.getByRole('dialog', { name: 'Someone else has changed it' })
  await asked.getByText(/This automation was changed meanwhile by .+, at \d{4}-/).waitFor()
  await asked.getByRole('button', { name: 'Cancel' }).click()
  expect(await stored(id)).toMatchObject({ steps: theirs })
  await page.getByRole('button', { name: 'Save' }).click()
  await asked.getByRole('button', { name: 'Save over theirs' }).click()
  await page.getByRole('link', { name: 'Edit the steps' }).waitFor()
  expect(await stored(id)).toMatchObject({ steps: [...steps, { key: 'Delete contact', type: 'contact_delete', config: {} }] })
})

it('has a form for each type of step, joins ways, and asks in the simulation for what its event says', async () => {
  const segment = await create(service, '/segments', { name: 'Readers' })
  const { page, refused } = await open('/automations/new?from=empty')
  const panel = page.getByRole('region', { name: 'Step' })
  await page.getByRole('textbox', { name: 'Name of the automation' }).fill('All types')
  await stepNamed(page, 'Start').click()
  await page.getByRole('combobox', { name: 'Event', exact: true }).fill('user.created')
  await page.getByRole('option', { name: 'user.created' }).click()
  await add(page, 'Start', 'Send an email')
  await choose(page, 'Template', 'Hello mail')
  await panel.getByRole('textbox', { name: 'Subject' }).fill('Good morning')
  await add(page, 'Email', 'Wait for an event')
  await choose(page, 'Wait for', 'A click in the email')
  await panel.getByRole('textbox', { name: 'Wait at most' }).fill('1')
  await add(page, 'Wait for event, It happened', 'Change the contact')
  await choose(page, 'Add a property', 'plan')
  await panel.getByRole('textbox', { name: 'plan: text' }).fill('pro')
  await choose(page, 'First name', 'source')
  await choose(page, 'Subscription', 'Subscribe again')
  await add(page, 'Change contact', 'Add to a segment')
  await choose(page, 'Segment', 'Readers')
  await add(page, 'Wait for event, Time is up', 'Condition')
  await panel.getByRole('textbox', { name: 'Another field of the event' }).fill('total')
  await panel.getByRole('button', { name: 'Add', exact: true }).click()
  await choose(page, 'How to compare total', 'is at least')
  await panel.getByRole('textbox', { name: 'Value of total' }).fill('80')
  await add(page, 'Condition, Yes', 'Wait for a time')
  await add(page, 'Condition, No', 'Delete the contact')
  // An end leads on to a step that is there.
  await plus(page, 'Wait').click()
  await page.getByRole('menuitem', { name: 'Add to segment', exact: true }).click()
  await panel.getByRole('button', { name: 'Done' }).click()
  await screenshot(page, 'app-automation-all-types')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('link', { name: 'Edit the steps' }).click()
  const id = idIn(page)
  const { steps, connections } = (await stored(id)) as { steps: object[]; connections: object[] }
  const byName = (one: { from?: string; key?: string; type?: string }) => `${one.from ?? one.key} ${one.type}`
  expect(steps.toSorted((one, other) => byName(one).localeCompare(byName(other)))).toEqual([
    { key: 'Add to segment', type: 'add_to_segment', config: { segment_id: segment } },
    {
      ...{ key: 'Change contact', type: 'contact_update' },
      config: { properties: { plan: 'pro' }, first_name: { var: 'event.source' }, unsubscribed: false },
    },
    { key: 'Condition', type: 'condition', config: { type: 'rule', field: 'event.total', operator: 'gte', value: 80 } },
    { key: 'Delete contact', type: 'contact_delete', config: {} },
    { key: 'Email', type: 'send_email', config: { template: { id: hello }, subject: 'Good morning' } },
    { key: 'Start', type: 'trigger', config: { event_name: 'user.created' } },
    { key: 'Wait', type: 'delay', config: { duration: '1 day' } },
    { key: 'Wait for event', type: 'wait_for_event', config: { event_name: 'resend:email.clicked', timeout: '1 day' } },
  ])
  expect(connections.toSorted((one, other) => byName(one).localeCompare(byName(other)))).toEqual([
    connection('Change contact', 'Add to segment'),
    connection('Condition', 'Wait', 'condition_met'),
    connection('Condition', 'Delete contact', 'condition_not_met'),
    connection('Email', 'Wait for event'),
    connection('Start', 'Email'),
    connection('Wait', 'Add to segment'),
    connection('Wait for event', 'Change contact', 'event_received'),
    connection('Wait for event', 'Condition', 'timeout'),
  ])
  // What is tried is what the canvas shows, before it is saved.
  await stepNamed(page, 'Email').click()
  await panel.getByRole('textbox', { name: 'Subject' }).fill('Not saved yet')
  await page.getByRole('button', { name: 'Simulate' }).click()
  const simulation = page.getByRole('dialog', { name: 'Simulate the automation' })
  await simulation.getByRole('textbox', { name: 'Address of the contact' }).fill('new@example.org')
  await simulation.getByRole('textbox', { name: 'source' }).fill('shop')
  await simulation.getByRole('button', { name: 'Simulate' }).click()
  await simulation.getByText('Not saved yet').waitFor()
  await simulation.getByText('Delete contact: Delete the contact').waitFor()
  expect(await faultsOf(page, 'automation-simulated')).toEqual([])
  expect(refused).toEqual([])
})
