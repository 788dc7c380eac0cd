// Automations that people build on the canvas: by mouse, by keys alone, and on a phone.
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connection } from '../../support/builders/automations.ts'
import { publishedTemplate } from '../../support/builders/templates.ts'
import { signIn } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { violationsOn } from '../axe.ts'
import { browserOfWorker, closePages, screenshot } from '../browser.ts'
import { openApp } from './app.ts'
import { add, choose, plus, stepNamed } from './canvas.ts'
import { faultsOf } from './look.ts'

const HOSTILE = '<script>document.title = "run"</script>'

let browser: Browser
let templates: { hello: string; pro: string; others: string; named: string }
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
  const named = (name: string) => publishedTemplate(service, { name, subject: name, variables: [], html: '<p>Hello</p>' })
  templates = {
    ...{ hello: await named('Hello mail'), pro: await named('Tips for pro'), others: await named(HOSTILE) },
    named: await publishedTemplate(service, {
      ...{ name: 'Named mail', subject: 'Welcome', html: '<p>Hello {{{NAME}}}</p>' },
      variables: [{ key: 'NAME', type: 'string', fallback_value: 'you' }],
    }),
  }
  await service.call('POST', '/contact-properties', { body: { key: 'plan', type: 'string' } })
  await service.call('POST', '/events', { body: { name: 'user.created', schema: { source: 'string' } } })
})
afterAll(() => closePages(browser))

const open = async (path: string, width = 1440) => openApp(browser, { origin: service.url, cookie: await signIn(service), path, width })

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
  await page.getByRole('combobox', { name: 'Value of plan' }).fill('pro')
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

it('builds one from the example by choosing its templates, and adds a step in one click', async () => {
  const { page, refused } = await open('/automations')
  await page.getByRole('link', { name: 'New automation' }).click()
  await page.getByText('You choose the two templates.').waitFor()
  expect(await faultsOf(page, 'automation-examples')).toEqual([])
  // The whole card leads on.
  await page.getByText('You choose the two templates.').click()
  await choose(page, 'Template', 'Named mail')
  await page.getByRole('button', { name: 'Use the first name of the contact' }).click()
  await page.getByRole('button', { name: 'Next: Email 2' }).click()
  await page.getByRole('combobox', { name: 'Template', exact: true }).and(page.locator(':focus')).waitFor()
  await page
    .getByRole('option', { name: 'Tips for pro', exact: true })
    .or(page.getByRole('combobox', { name: 'Template', exact: true }))
    .first()
    .click()
  await page.getByRole('option', { name: 'Tips for pro', exact: true }).click()
  await stepNamed(page, 'Start').getByText('When a contact is created').waitFor()
  await stepNamed(page, 'Condition').getByText('If unsubscribed is no').waitFor()
  // What is missing can be written at the spot.
  await page.getByRole('button', { name: 'Email, after Email 2' }).click()
  await page.getByRole('button', { name: 'Write a simple email here' }).click()
  const simple = page.getByRole('dialog', { name: 'Write a simple email' })
  await simple.getByRole('textbox', { name: 'Subject' }).fill('How is it going?')
  await simple.getByRole('combobox', { name: 'From' }).fill('Acme <hello@example.com>')
  await simple.getByRole('textbox', { name: 'Text' }).fill('Hello <you>,\n\nhow is it going?')
  expect(await violationsOn(page)).toEqual([])
  await simple.getByRole('button', { name: 'Publish and use it' }).click()
  await stepNamed(page, 'Email 3').getByText('Send “How is it going?”').waitFor()
  await page.getByRole('button', { name: 'Wait, after Email 3' }).click()
  await page.getByRole('textbox', { name: 'How long' }).and(page.locator(':focus')).waitFor()
  expect(await faultsOf(page, 'automation-example')).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Welcome series' }).waitFor()
  expect(await stored(idIn(page))).toMatchObject({
    ...{ name: 'Welcome series', reentry: 'once' },
    steps: [
      { key: 'Start', type: 'trigger', config: { event_name: 'contact.created' } },
      { key: 'Email', config: { template: { id: templates.named, variables: { NAME: { var: 'contact.first_name' } } } } },
      { key: 'Wait', type: 'delay', config: { duration: '2 days' } },
      { key: 'Condition', config: { type: 'rule', field: 'contact.unsubscribed', operator: 'eq', value: false } },
      mail('Email 2', templates.pro),
      { key: 'Email 3', type: 'send_email' },
      { key: 'Wait 2', type: 'delay', config: { duration: '1 day' } },
    ],
    connections: expect.arrayContaining([connection('Condition', 'Email 2', 'condition_met'), connection('Email 3', 'Wait 2')]),
  })
  expect(refused).toEqual([])
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
    await tabTo(page, page.getByRole(role, { name, exact: role === 'button' }))
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
  await page.getByRole('combobox', { name: 'Value of plan' }).waitFor()
  await tabTo(page, page.getByRole('combobox', { name: 'Value of plan' }), 'Shift+Tab')
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
