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
