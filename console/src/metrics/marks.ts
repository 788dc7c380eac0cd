// Lines that rates should stay below, in percent.
import { METRIC_TEXTS as TEXTS } from '../texts/metrics'

/** What Google and Yahoo want, and from where on they put mail into spam. */
export const COMPLAINT_MARKS = [
  { value: 0.1, label: TEXTS.aim, color: 'orange.6' },
  { value: 0.3, label: TEXTS.limit, color: 'red.6' },
]

/** Where the guard of reputations warns and steps in, unless the operator says otherwise. */
export const BOUNCE_MARKS = [
  { value: 4, label: TEXTS.bounceAim, color: 'orange.6' },
  { value: 8, label: TEXTS.bounceLimit, color: 'red.6' },
]

export const percent = (value: number): string => `${value.toLocaleString('en', { maximumFractionDigits: 2 })} %`
