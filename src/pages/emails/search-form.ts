import { html, type SafeHtml } from '@remix-run/html-template'
import { stateWords } from '../../mail/outcome-summary.ts'

/** What a person searches for; empty fields match anything. */
export type Sought = { words: string; state: string }

/** Longer than most searches. The cost of a search grows with it. */
export const WORDS_LENGTH_MAX = 60

/** In the order in which an email reaches them. */
export const SOUGHT_STATES = [
  'scheduled',
  'queued',
  'sent',
  'delivered',
  'opened',
  'clicked',
  'delivery_delayed',
  'bounced',
  'suppressed',
  'failed',
  'complained',
  'canceled',
] as const

export const searchForm = ({ words, state }: Sought): SafeHtml => html`<form class="search" role="search" action="/console/emails">
<input type="search" name="q" value="${words}" maxlength="${WORDS_LENGTH_MAX}" placeholder="Subject or address" aria-label="Subject or address">
<select name="state" aria-label="State"><option value="">Any state</option>${SOUGHT_STATES.map((one) => html`<option value="${one}"${one === state ? SELECTED : ''}>${stateWords(one)}</option>`)}</select>
<button class="quiet">Search</button>
</form>`

const SELECTED = html` selected`

export function searchPath({ words, state }: Sought, after: string | null): string {
  const query = new URLSearchParams({ ...(words && { q: words }), ...(state && { state }), ...(after !== null && { after }) })
  return `/console/emails?${query}`
}
