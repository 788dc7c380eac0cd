// What is compared of a page: the numbers that it shows, and how the API counts them.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Cells } from './shown-numbers.ts'

// biome-ignore lint/suspicious/noExplicitAny: what the API answers is compared as it is shown
export type Answered = any
export type Row = Record<string, number | null> & { period: string }

/** The API as the person who looks at the page may use it, and the ids of what the team has. */
export type Api = { read(path: string, query?: Record<string, string>): Promise<Answered>; idOf(name: string): string }

export type Numbers = { shown: (page: Page) => Promise<unknown>; counted: (api: Api) => Promise<unknown> }

export type Charted = {
  name: string
  path: (idOf: Api['idOf']) => string
  /** Brings the numbers onto the page. */
  open?: (page: Page) => Promise<unknown>
  numbers: Readonly<Record<string, Numbers>>
  /** The files of the charts. */
  charts?: string[]
}

const NAMED: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  daily: { weekday: 'short', day: 'numeric', month: 'short' },
  weekly: { weekday: 'short', day: 'numeric', month: 'short' },
  monthly: { month: 'long', year: 'numeric' },
}

/** `2026-11-20` or `2026-11-20T10:00…` as people read it, in the zone that it is in already. */
export function named(period: string, granularity = 'daily'): string {
  const of = (options: Intl.DateTimeFormatOptions = {}) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(Date.parse(period.slice(0, 10)))
  return granularity === 'hourly' ? `${of({ day: 'numeric', month: 'short' })}, ${period.slice(11, 16)}` : of(NAMED[granularity])
}

/** Rows as a chart lists them. Something was counted: zeros would equal anything. */
export const columns = (names: string[], rows: readonly Row[], each: (row: Row) => string[]): Cells => {
  expect(rows.some((row) => Object.values(row).some((value) => typeof value === 'number' && value > 0))).toBe(true)
  return [names, ...rows.map(each)]
}
