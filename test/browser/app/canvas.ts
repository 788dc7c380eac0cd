// What tests of the canvas of an automation press and choose.
import type { Page } from 'playwright-core'

/** The step on the canvas. */
export const stepNamed = (page: Page, name: string) => page.locator(`[data-step="${name}"]`)
/** The plus after a step. */
export const plus = (page: Page, after: string) => page.getByRole('button', { name: `Add a step after ${after}`, exact: true })

export async function add(page: Page, after: string, type: string): Promise<void> {
  await plus(page, after).click()
  await page.getByRole('menuitem', { name: type }).click()
}

export async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
