import { html, type SafeHtml } from '@remix-run/html-template'

/**
 * How all pages write a time: in UTC, with seconds in its tooltip, and with the year only if it is another one. The script times.js writes it in
 * the reader's own time zone.
 */
export function moment(time: Date, now: Date): SafeHtml {
  const format = time.getUTCFullYear() === now.getUTCFullYear() ? IN_THIS_YEAR : IN_ANOTHER_YEAR
  const toTheSecond = time.toISOString().slice(0, 19).replace('T', ' ')
  return html`<time datetime="${time.toISOString()}" title="${toTheSecond} UTC">${format.format(time)} UTC</time>`
}

const SHORT = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' } as const
const IN_THIS_YEAR = new Intl.DateTimeFormat('en-GB', SHORT)
const IN_ANOTHER_YEAR = new Intl.DateTimeFormat('en-GB', { ...SHORT, year: 'numeric' })

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const RELATIVE = new Intl.RelativeTimeFormat('en')

/** About how long until then, or since: it changes once a minute at most, so that an open page is not sent again for it more often. */
export function relativeWords(time: Date, now: Date): string {
  const ms = time.getTime() - now.getTime()
  const length = Math.abs(ms)
  if (length < MINUTE_MS) return ms > 0 ? 'in less than a minute' : 'less than a minute ago'
  if (length < HOUR_MS) return RELATIVE.format(Math.trunc(ms / MINUTE_MS), 'minute')
  return length < 2 * DAY_MS ? RELATIVE.format(Math.trunc(ms / HOUR_MS), 'hour') : RELATIVE.format(Math.trunc(ms / DAY_MS), 'day')
}
