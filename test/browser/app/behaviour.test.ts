// How the console behaves when something is in the way: a session that has ended, no network, a slow one, another tab; and how it is used by keys.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addRun, createAutomation } from '../../support/builders/automations.ts'
import { createContact } from '../../support/builders/contacts.ts'
import { send, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { createTemplate } from '../../support/builders/templates.ts'
import { signInPerson } from '../../support/clients/people.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, keepCookie, leave } from '../browser.ts'
import { chooseAct, focused, openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const signIn = (name: string) => signInPerson(service, name, { roles: { [service.teamId]: 'owner' } })
const open = async (path: string, name = 'ada') => openApp(browser, { origin: service.url, cookie: (await signIn(name)).cookie, path })
const signInAgain = async (page: Page, name: string) =>
  keepCookie(page.context(), { origin: service.url, cookie: (await signIn(name)).cookie })
/** For the page that was open, and for the one that the router loads anew. */
const ASKED_MAX = 4
const endSessions = () => service.database.execute('delete from sessions')
const name = (page: Page) => page.getByRole('textbox', { name: 'Name', exact: true })
const isThere = async (email: string) => (await service.call('GET', `/contacts/${email}`)).status === 200

it('opens the form of each act by its name, and says which keys work on the page', async () => {
  await createContact(service, { email: 'row@example.com' })
  const { page, refused } = await open('/')
  for (const [act, dialog] of [
    ['Add a domain', 'Add a domain'],
    ['Create a contact', 'Create a contact'],
    ['Suppress addresses', 'Add addresses'],
    ['Create an API key', 'Create an API key'],
    ['Add a webhook', 'Create a webhook'],
    ['Create a topic', 'Create a topic'],
    ['Create a property', 'Create a property'],
    ['Create an event', 'Create an event'],
    ['Invite a person', 'Invite a person'],
  ] as const) {
    // A field that has just gone may still have the focus, and there keys are for what is typed.
    await page.evaluate('document.activeElement?.blur()')
    await page.keyboard.press('Control+k')
    const search = page.getByRole('dialog', { name: 'Search' })
    await search.getByRole('textbox').fill(act)
    await search.getByRole('button', { name: act }).click()
    await page.getByRole('dialog', { name: dialog }).waitFor()
    // A link that was opened or loaded again would open the dialog twice.
    await expect.poll(() => page.url()).not.toContain('do=')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: dialog }).waitFor({ state: 'detached' })
  }
  await page.goto(`${service.url}/console/contacts`)
  await page.getByRole('link', { name: 'row@example.com' }).waitFor()
  await page.keyboard.press('Shift+?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await help.getByRole('table', { name: 'On this page' }).getByRole('row', { name: 'n the form of this page' }).waitFor()
  await help.getByRole('row', { name: 'j the next row of the list' }).waitFor()
  await help
    .getByRole('table', { name: 'Everywhere' })
    .getByRole('row', { name: /^Ctrl K/ })
    .waitFor()
  expect(await faultsOf(page, 'keys')).toEqual([])
  await page.keyboard.press('Escape')
  await page.keyboard.press('n')
  await page.getByRole('dialog', { name: 'Create a contact' }).waitFor()
  expect(refused).toEqual([])
  await leave(page)
})

it('keeps what was typed in a dialog when the session has ended, until the person has signed in anew', async () => {
  const { page, refused } = await open('/contacts?do=create-contact')
  const form = page.getByRole('dialog', { name: 'Create a contact' })
  await form.getByLabel('Address').fill('kept@example.com')
  await endSessions()
  await form.getByRole('button', { name: 'Create a contact' }).click()
  const ended = page.getByRole('dialog', { name: 'You are no longer signed in' })
  await ended.waitFor()
  expect(await faultsOf(page, 'signed-out')).toEqual([])
  await ended.getByRole('button', { name: 'Go on' }).click()
  await ended.getByText('You are not signed in yet.').waitFor()
  expect(await ended.getByRole('link', { name: 'Sign in in a new tab' }).getAttribute('target')).toBe('_blank')

  await signInAgain(page, 'ada')
  await ended.getByRole('button', { name: 'Go on' }).click()
  await ended.waitFor({ state: 'detached' })
  expect(await form.getByLabel('Address').inputValue()).toBe('kept@example.com')
  expect(await isThere('kept@example.com')).toBe(false)
  await form.getByRole('button', { name: 'Create a contact' }).click()
  await page.getByRole('heading', { level: 1, name: 'kept@example.com' }).waitFor()
  expect(refused).toEqual([])
  await leave(page)
})

it('keeps a page that is being written when the session ends meanwhile, and leaves it only to its own person', async () => {
  const { page } = await open('/templates/new')
  await name(page).fill('Half a template')
  await endSessions()
  const ended = page.getByRole('dialog', { name: 'You are no longer signed in' })
  await ended.waitFor()
  expect(await name(page).inputValue()).toBe('Half a template')
  await signInAgain(page, 'eve')
  page.once('dialog', (dialog) => void dialog.accept())
  await ended.getByRole('button', { name: 'Go on' }).click()
  await expect.poll(() => name(page).inputValue()).toBe('')
  await leave(page)
})

it('says that there is no network, and sends what was typed once there is one', async () => {
  const { page } = await open('/contacts?do=create-contact')
  const form = page.getByRole('dialog', { name: 'Create a contact' })
  await form.getByLabel('Address').fill('offline@example.com')
  await page.context().setOffline(true)
  await page.getByText('You are offline.').waitFor()
  await form.getByRole('button', { name: 'Create a contact' }).click()
  await form.getByText('The service did not answer.').waitFor()
  await page.context().setOffline(false)
  await page.getByText('You are offline.').waitFor({ state: 'detached' })
  await form.getByRole('button', { name: 'Create a contact' }).click()
  await page.getByRole('heading', { level: 1, name: 'offline@example.com' }).waitFor()
  await leave(page)
})

it('shows that it loads while answers are slow', async () => {
  await send(service, { to: 'slow@example.com', subject: 'Slow' })
  const { page } = await open('/topics')
  let gate = Promise.withResolvers<void>()
  await page.route(/:\d+\/emails(\?|\/|$)/, async (route) => {
    await gate.promise
    await route.continue()
  })
  await page.getByRole('link', { name: 'Emails' }).click()
  await page.getByRole('heading', { level: 1, name: 'Emails' }).waitFor()
  await page.locator('main').getByLabel('Emails', { exact: true }).waitFor()
  expect(await page.getByRole('table', { name: 'Emails' }).count()).toBe(0)
  gate.resolve()
  const link = page.getByRole('link', { name: 'slow@example.com' })
  await link.waitFor()
  gate = Promise.withResolvers()
  await link.click()
  await page.getByRole('status', { name: 'Loading' }).waitFor()
  gate.resolve()
  await page.getByRole('heading', { level: 1, name: 'Slow' }).waitFor()
  expect(await page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
  await leave(page)
})

it('shows in one tab what was changed in another', async () => {
  const id = await createContact(service, { email: 'tabs@example.com', first_name: 'Before' })
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  await keepCookie(context, { origin: service.url, cookie: (await signIn('ada')).cookie })
  const [one, other] = [await context.newPage(), await context.newPage()]
  for (const page of [one, other]) {
    await page.goto(`${service.url}/console/contacts/${id}`)
    await page.getByText('Before').first().waitFor()
  }
  await other.getByRole('button', { name: 'Edit' }).click()
  await focused(other.getByRole('dialog'))
  await other.getByRole('dialog').getByLabel('First name').fill('After')
  await other.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await other.getByRole('dialog').waitFor({ state: 'detached' })
  await one.getByText('After').first().waitFor()
  await context.close()
})

it('asks again a moment later for what a person who was too fast could not read', async () => {
  const id = await createAutomation(service, { name: 'Too fast' })
  await addRun(service, id)
  const { page } = await open('/topics')
  const body = { statusCode: 429, name: 'rate_limit_exceeded', message: 'Too many requests.' }
  const refused = new Set<string>()
  await page.route(/\/automations(\?|$|\/[^/]+\/metrics)/, async (route) => {
    const { pathname } = new URL(route.request().url())
    if (refused.has(pathname)) return route.continue()
    refused.add(pathname)
    return route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json: body })
  })
  await page.getByRole('link', { name: 'Automations' }).click()
  await page
    .getByRole('row', { name: /Too fast/ })
    .getByRole('cell', { name: '1', exact: true })
    .waitFor()
  expect([...refused]).toEqual(['/automations', `/automations/${id}/metrics`])
  await leave(page)
})

it('names the request when something could not be loaded', async () => {
  const { page } = await open('/emails')
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith(`/emails/${UNKNOWN_ID}`) && response.status() === 404),
    page.goto(`${service.url}/console/emails/${UNKNOWN_ID}`),
  ])
  const problem = page.getByRole('alert').filter({ hasText: 'Email not found' })
  await problem.getByText(answer.headers()['x-request-id'] ?? 'no request id').waitFor()
  await problem.getByRole('button', { name: 'Try again' }).waitFor()
  await leave(page)
})

it('shows the whole menu on a screen of 900 pixels, and remembers what was folded', async () => {
  const { page } = await open('/domains')
  await page.setViewportSize({ width: 1440, height: 900 })
  const team = page.getByRole('navigation', { name: 'Team' })
  const bottom = async () => ((await team.boundingBox())?.y ?? 0) + ((await team.boundingBox())?.height ?? 0)
  await team.getByRole('link', { name: 'Settings' }).waitFor()
  expect(await bottom()).toBeLessThanOrEqual(900)
  const developers = page.getByRole('navigation', { name: 'Developers' })
  await developers.getByRole('button', { name: 'Developers' }).click()
  await developers.getByRole('link', { name: 'Connected apps' }).waitFor({ state: 'hidden' })
  await page.reload()
  await team.getByRole('link', { name: 'Settings' }).waitFor()
  expect(await developers.getByRole('link', { name: 'Connected apps' }).isVisible()).toBe(false)
  expect(await faultsOf(page, 'menu-folded')).toEqual([])
  // What a link or the search has opened is seen in the menu.
  await page.goto(`${service.url}/console/grants`)
  await developers.getByRole('link', { name: 'Connected apps' }).waitFor()
  await leave(page)
})

it('shows nothing of a record, and does nothing with it, on the page of another', async () => {
  const id = await createTemplate(service, { name: 'The first', html: '<p>Look</p><img src="https://elsewhere.example/a.png">' })
  const { page } = await open(`/templates/${id}`)
  const images = page.getByRole('button', { name: 'Show images' })
  await images.click()
  await images.waitFor({ state: 'detached' })
  const gate = Promise.withResolvers<void>()
  await page.route(
    (url) => /^\/templates\/[0-9a-f-]+$/.test(url.pathname) && !url.pathname.endsWith(id),
    async (route) => {
      await gate.promise
      await route.continue()
    },
  )
  await chooseAct(page, 'Duplicate')
  await page.waitForURL((url) => !url.pathname.endsWith(id))
  // Its acts would be done with the template that was left.
  await page.getByRole('heading', { level: 1, name: 'The first' }).waitFor({ state: 'detached' })
  expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
  gate.resolve()
  await page.getByRole('link', { name: 'Edit' }).waitFor()
  // Images of others are asked for anew, also of what was read before.
  await images.waitFor()
  await page.goBack()
  await page.waitForURL((url) => url.pathname.endsWith(id))
  await page.getByRole('heading', { level: 1, name: 'The first', exact: true }).waitFor()
  await images.waitFor()
})

it('loads the page anew, once, when an update has taken away a file of it', async () => {
  const { page } = await open('/')
  let refusals = 0
  // The page of domains has another name in the new version.
  await page.route(/\/assets\/DomainsPage-[^/]+\.js$/, async (route) => {
    refusals += 1
    await (refusals === 1 ? route.fulfill({ status: 404, body: '' }) : route.continue())
  })
  await page.evaluate('window.isOfBefore = true')
  // Without the pointer above it, from where the file would be loaded beforehand.
  await page.getByRole('link', { name: 'Domains', exact: true }).dispatchEvent('click')
  await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor()
  // Not the page that was open: it is another document.
  expect(await page.evaluate("'isOfBefore' in window")).toBe(false)
  expect(refusals).toBeGreaterThan(1)

  // If it is still gone, the page says so, and is not loaded again and again.
  let asked = 0
  await page.route(/\/assets\/TopicsPage-[^/]+\.js$/, async (route) => {
    asked += 1
    await route.fulfill({ status: 404, body: '' })
  })
  await page.getByRole('link', { name: 'Topics', exact: true }).click()
  await page.getByText('This could not be loaded').waitFor()
  await page.getByRole('link', { name: 'Segments', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Segments' }).waitFor()
  expect(asked).toBeLessThanOrEqual(ASKED_MAX)
  await leave(page)
})
