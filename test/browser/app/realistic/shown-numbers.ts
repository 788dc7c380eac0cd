// Numbers as a page of the console shows them, and as they are written there.
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

export type Cells = string[][]

type Text = { textContent: string }
type Found = Text & { querySelectorAll(selector: string): Iterable<Found>; getAttribute(name: string): string; parentElement: Found }

const textsOf = (rows: { cells: Iterable<Text> }[]): Cells =>
  rows.map(({ cells }) => [...cells].map(({ textContent }) => textContent.trim()))

const saidOf = (lists: Found[]): Cells =>
  lists.flatMap((list) =>
    [...list.querySelectorAll('dt')].map((term) =>
      [term, ...term.parentElement.querySelectorAll('dd')].map(({ textContent }) => textContent.trim()),
    ),
  )

/** How far down the lines across a chart stand, and the points of its line. */
const heightsOf = (chart: Found): { marks: number[]; dots: number[] } => ({
  marks: [...chart.querySelectorAll('.recharts-reference-line line')].map((line) => Number(line.getAttribute('y1'))),
  dots: [...chart.querySelectorAll('circle.recharts-line-dot')].map((dot) => Number(dot.getAttribute('cy'))),
})

/** The numbers of a chart, with the names of their columns, the oldest first. */
export async function numbersOf(page: Page, title: string): Promise<Cells> {
  const show = page.getByRole('button', { name: `Show the numbers: ${title}`, exact: true })
  const region = page.getByRole('region', { name: `Numbers: ${title}`, exact: true })
  await show.or(region).first().waitFor()
  if (await show.isVisible()) await show.click()
  const [names = [], ...newestFirst] = await cellsOf(region.getByRole('row'))
  return [names, ...newestFirst.toReversed()]
}

export async function tableOf(page: Page, name: string): Promise<Cells> {
  const rows = page.getByRole('table', { name, exact: true }).getByRole('row')
  await rows.nth(1).waitFor()
  return (await cellsOf(rows)).slice(1)
}

export const cellsOf = async (rows: Locator): Promise<Cells> => {
  await rows.first().waitFor()
  return rows.evaluateAll(textsOf as never)
}

/** What is named in a list of terms: each with all that is said of it. */
export async function termsOf(within: Locator | Page): Promise<Cells> {
  await within.locator('dl').first().waitFor()
  return within.locator('dl').evaluateAll(saidOf as never)
}

/** The values of the points of a line, read off the marks that are drawn across it. */
export async function drawnAgainst(page: Page, title: string, marks: readonly [low: number, high: number]): Promise<number[]> {
  const chart = page.getByRole('img', { name: new RegExp(`^${title}: Rate`) })
  const { marks: heights, dots }: ReturnType<typeof heightsOf> = await chart.evaluate(heightsOf as never)
  const [low = 0, high = 0] = heights.toSorted((a, b) => b - a)
  return dots.map((dot) => marks[0] + ((low - dot) / (low - high)) * (marks[1] - marks[0]))
}

/** 12,345 */
export const count = (value: number): string => value.toLocaleString('en')

/** With two decimals at most, as a chart has it. */
export const percent = (part: number, whole: number): string =>
  `${(whole === 0 ? 0 : (part / whole) * 100).toLocaleString('en', { maximumFractionDigits: 2 })} %`

/** A rate in a table. `rate` is that of the API, which has one decimal. */
export function share(part: number, whole: number, rate?: number): string {
  if (rate !== undefined) expect(whole === 0 ? 0 : Math.round((part / whole) * 1_000) / 10).toBe(rate)
  if (whole === 0) return '–'
  return `${((part / whole) * 100).toLocaleString('en', { maximumFractionDigits: part / whole < 0.01 ? 2 : 1 })} %`
}
