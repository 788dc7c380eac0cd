// Automations that people build on the canvas: by mouse, by keys alone, and on a phone.
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connection, createAutomation, delay, trigger } from '../../support/builders/automations.ts'
import { publishedTemplate } from '../../support/builders/templates.ts'
import { signIn } from '../../support/clients/console.ts'
import { create } from '../../support/records/record-builder.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, keepCookie, screenshot } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

const HOSTILE = '<script>document.title = "run"</script>'

let browser: Browser
let templates: { hello: string; pro: string; others: string }
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
  const named = (name: string) => publishedTemplate(service, { name, subject: name, variables: [], html: '<p>Hello</p>' })
  templates = { hello: await named('Hello mail'), pro: await named('Tips for pro'), others: await named(HOSTILE) }
  await service.call('POST', '/contact-properties', { body: { key: 'plan', type: 'string' } })
  await service.call('POST', '/events', { body: { name: 'user.created', schema: { source: 'string' } } })
})
afterAll(() => closePages(browser))

const open = async (path: string, width = 1440) => openApp(browser, { origin: service.url, cookie: await signIn(service), path, width })

/** The step on the canvas. */
const stepNamed = (page: Page, name: string) => page.locator(`[data-step="${name}"]`)
/** The plus after a step. */
const plus = (page: Page, after: string) => page.getByRole('button', { name: `Add a step after ${after}`, exact: true })

async function add(page: Page, after: string, type: string): Promise<void> {
  await plus(page, after).click()
  await page.getByRole('menuitem', { name: type }).click()
}

async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

const mail = (key: string, id: string) => ({ key, type: 'send_email', config: { template: { id } } })
/** What all three ways of building it store. */
const welcome = () => ({
  steps: expect.arrayContaining([
    { key: 'Start', type: 'trigger', config: { event_name: 'user.created' } },
    mail('Email', templates.hello),
    { key: 'Wait', type: 'delay', config: { duration: '2 days' } },
    { key: 'Condition', type: 'condition', config: { type: 'rule', field: 'contact.properties.plan', operator: 'eq', value: 'pro' } },
    mail('Email 2', templates.pro),
    mail('Email 3', templates.others),
  ]),
  connections: expect.arrayContaining([
    connection('Start', 'Email'),
    connection('Email', 'Wait'),
    connection('Wait', 'Condition'),
    connection('Condition', 'Email 2', 'condition_met'),
    connection('Condition', 'Email 3', 'condition_not_met'),
  ]),
})

const idIn = (page: Page): string => /automations\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? ''
const stored = async (id: string) => (await service.call('GET', `/automations/${id}`)).body

async function buildByPointer(page: Page, name: string, done: () => Promise<void>): Promise<void> {
  await page.getByRole('link', { name: 'New automation' }).click()
  await page.getByRole('link', { name: 'Empty canvas' }).click()
  await page.getByRole('textbox', { name: 'Name of the automation' }).fill(name)
  await stepNamed(page, 'Start').click()
  await choose(page, 'Event', 'user.created')
  await done()
  await add(page, 'Start', 'Send an email')
  await choose(page, 'Template', 'Hello mail')
  await done()
  await add(page, 'Email', 'Wait for a time')
  await page.getByRole('textbox', { name: 'How long' }).fill('2')
  await done()
  await add(page, 'Wait', 'Condition')
  await choose(page, 'What the new rule tests', 'plan')
  await page.getByRole('textbox', { name: 'Value of plan' }).fill('pro')
  await done()
  await add(page, 'Condition, Yes', 'Send an email')
  await choose(page, 'Template', 'Tips for pro')
  await done()
  await add(page, 'Condition, No', 'Send an email')
  await choose(page, 'Template', HOSTILE)
  await done()
}

it('builds a welcome series by mouse, simulates it, and enables it', async () => {
  const { page, refused, errors, strayRequests } = await open('/automations')
  await buildByPointer(page, 'By mouse', async () => undefined)
  await stepNamed(page, 'Condition').getByText('If plan is pro').waitFor()
  await page.getByRole('region', { name: 'Step' }).getByRole('button', { name: 'Done' }).click()
  // A hostile name is shown as the text that it is.
  await stepNamed(page, 'Email 3').getByText(HOSTILE).waitFor()
  expect(await page.title()).not.toBe('run')
  expect(await faultsOf(page, 'automation-canvas')).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'By mouse' }).waitFor()
  const id = idIn(page)
  expect(await stored(id)).toMatchObject({ name: 'By mouse', status: 'disabled', class: 'bulk', reentry: 'always', ...welcome() })
  await page.getByRole('button', { name: 'Simulate' }).click()
  await page.getByRole('textbox', { name: 'Address of the contact' }).fill('new@example.org')
  await page.getByRole('dialog').getByRole('button', { name: 'Simulate' }).click()
  await page.getByRole('region', { name: 'What would happen' }).getByText('Email 3: Send an email').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click()
  await page.getByText('The automation is enabled').waitFor()
  expect(await stored(id)).toMatchObject({ status: 'enabled' })
  expect({ refused, errors, strayRequests }).toEqual({ refused: [], errors: [], strayRequests: [] })
})

it('builds it on a phone', async () => {
  const { page, refused } = await open('/automations', 390)
  await buildByPointer(page, 'By phone', async () => {
    await screenshot(page, 'app-automation-canvas-phone-drawer')
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
  await screenshot(page, 'app-automation-canvas-phone')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'By phone' }).waitFor()
  expect(await stored(idIn(page))).toMatchObject(welcome())
  expect(refused).toEqual([])
})

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, wanted: Locator, key = 'Tab'): Promise<void> {
  for (let count = 0; count < TABS_MAX; count += 1) {
    if ((await wanted.and(page.locator(':focus')).count()) > 0) return
    await page.keyboard.press(key)
  }
  throw new Error(`Tab never comes to ${wanted}`)
}
const TABS_MAX = 60

async function chooseTyped(page: Page, field: string, typed: string): Promise<void> {
  await page.getByRole('combobox', { name: field, exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type(typed)
  await page.getByRole('option', { name: typed, exact: true }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
}

async function addByKeys(page: Page, after: string, type: string): Promise<void> {
  await tabTo(page, plus(page, after))
  await page.keyboard.press('Enter')
  const item = page.getByRole('menuitem', { name: type })
  await item.waitFor()
  await tabTo(page, item, 'ArrowDown')
  await page.keyboard.press('Enter')
}

it('builds it by keys alone', async () => {
  const { page, refused } = await open('/automations')
  const type = async (field: string, text: string) => {
    await tabTo(page, page.getByRole('textbox', { name: field }))
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(text)
  }
  const press = async (role: 'link' | 'button', name: string) => {
    await tabTo(page, page.getByRole(role, { name, exact: true }))
    await page.keyboard.press('Enter')
  }
  await press('link', 'New automation')
  await page.getByRole('link', { name: 'Empty canvas' }).waitFor()
  await press('link', 'Empty canvas')
  await page.getByRole('textbox', { name: 'Name of the automation' }).waitFor()
  await type('Name of the automation', 'By keys')
  await stepNamed(page, 'Start').waitFor()
  await tabTo(page, stepNamed(page, 'Start'))
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: 'Event' }).waitFor()
  await tabTo(page, page.getByRole('combobox', { name: 'Event' }))
  await chooseTyped(page, 'Event', 'user.created')
  await page.keyboard.press('Escape')
  await addByKeys(page, 'Start', 'Send an email')
  await chooseTyped(page, 'Template', 'Hello mail')
  await page.keyboard.press('Escape')
  await addByKeys(page, 'Email', 'Wait for a time')
  await page.getByRole('textbox', { name: 'How long' }).and(page.locator(':focus')).waitFor()
  await type('How long', '2')
  await page.keyboard.press('Escape')
  await addByKeys(page, 'Wait', 'Condition')
  await page.getByRole('combobox', { name: 'What the new rule tests' }).waitFor()
  await tabTo(page, page.getByRole('combobox', { name: 'What the new rule tests' }))
  await chooseTyped(page, 'What the new rule tests', 'plan')
  await page.getByRole('textbox', { name: 'Value of plan' }).waitFor()
  await tabTo(page, page.getByRole('textbox', { name: 'Value of plan' }), 'Shift+Tab')
  await page.keyboard.type('pro')
  await page.keyboard.press('Escape')
  await addByKeys(page, 'Condition, Yes', 'Send an email')
  await chooseTyped(page, 'Template', 'Tips for pro')
  await page.keyboard.press('Escape')
  await addByKeys(page, 'Condition, No', 'Send an email')
  await chooseTyped(page, 'Template', HOSTILE)
  await page.keyboard.press('Escape')
  await tabTo(page, page.getByRole('button', { name: 'Save' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'By keys' }).waitFor()
  expect(await stored(idIn(page))).toMatchObject(welcome())
  expect(refused).toEqual([])
})

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
  const asked = page.getByRole('dialog', { name: 'Save over the changes of someone else?' })
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
    { key: 'Email', type: 'send_email', config: { template: { id: templates.hello }, subject: 'Good morning' } },
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
