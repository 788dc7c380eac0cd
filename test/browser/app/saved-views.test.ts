// Lists that people look at again and again: saved with their filters, shared, and opened by others.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { send } from '../../support/builders/emails.ts'
import { signIn } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const service = shared(() => startTestService())
beforeAll(async () => {
  browser = await browserOfWorker()
  await send(service, { to: ['ada@example.com'], subject: 'Your receipt' })
  await send(service, { to: ['bob@example.com'], subject: 'Your order' })
  await service.database.execute("update emails set last_event = 'bounced' where subject = 'Your receipt'")
})
afterAll(() => closePages(browser))

const views = async () => service.database.execute('select name, query, is_shared as "isShared" from saved_views')

it('saves filters under a name, opens them again, shares them with the team, and deletes them', async () => {
  const { page, refused } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: '/emails' })
  await page.getByRole('cell', { name: 'Your order' }).waitFor()
  await page.getByRole('combobox', { name: 'State' }).click()
  await page.getByRole('option', { name: 'Bounced' }).click()
  await page.getByRole('cell', { name: 'Your order' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save these filters' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('What came back')
  await dialog.getByRole('switch', { name: 'Share it with the team' }).check()
  expect(await faultsOf(page, 'saved-view-dialog')).toEqual([])
  await dialog.getByRole('button', { name: 'Save' }).click()
  // The list that is shown is that view now.
  await page.getByRole('button', { name: 'What came back' }).waitFor()
  expect(await views()).toEqual([{ name: 'What came back', query: 'status=bounced', isShared: true }])

  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('cell', { name: 'Your order' }).waitFor()
  await page.getByRole('button', { name: 'Views' }).click()
  expect(await faultsOf(page, 'saved-views')).toEqual([])
  await page.getByRole('menuitem', { name: 'What came back' }).click()
  await page.getByRole('cell', { name: 'Your order' }).waitFor({ state: 'detached' })
  expect(page.url()).toContain('status=bounced')

  const other = await openApp(browser, { origin: service.url, cookie: await signIn(service, service.token, 'developer'), path: '/emails' })
  await other.page.getByRole('button', { name: 'Views' }).click()
  await other.page.getByRole('menuitem', { name: 'What came back shared' }).click()
  await other.page.getByRole('cell', { name: 'Your receipt' }).waitFor()
  await other.page.getByRole('button', { name: 'What came back' }).click()
  expect(await other.page.getByRole('menuitem', { name: 'Rename' }).count()).toBe(0)
  await leave(other.page)

  await page.getByRole('button', { name: 'What came back' }).click()
  await page.getByRole('menuitem', { name: 'Rename, share or delete' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Bounced')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Bounced' }).click()
  await page.getByRole('menuitem', { name: 'Rename, share or delete' }).click()
  await dialog.getByRole('button', { name: 'Delete the view' }).click()
  await page.getByText('The view Bounced is gone then').waitFor()
  await page.getByRole('button', { name: 'Delete the view' }).last().click()
  await page.getByRole('button', { name: 'Views' }).waitFor()
  expect(await views()).toEqual([])
  expect(refused).toEqual([])
  await leave(page)
})
