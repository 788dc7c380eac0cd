import { html, type SafeHtml } from '@remix-run/html-template'
import { stateLabel } from '../../modules/emails/email-states.ts'

/** What a person searches for, as it was typed; empty fields match anything. */
export type Sought = {
  words: string
  state: string
  /** The address of a recipient. */
  to: string
  /** Its id. */
  broadcast: string
  /** The sender's domain. */
  domain: string
  /** A name, or `name:value`. */
  tag: string
  /** Days in UTC. Both belong to what is sought. */
  since: string
  until: string
}

export const NOTHING_SOUGHT: Sought = { words: '', state: '', to: '', broadcast: '', domain: '', tag: '', since: '', until: '' }

export const isSought = (sought: Sought): boolean => Object.values(sought).some((value) => value !== '')

/** Longer than most searches. The cost of a search grows with it. */
export const WORDS_LENGTH_MAX = 60
/** The longest address. */
export const FILTER_LENGTH_MAX = 320

/** The states, in the order in which an email reaches them. */
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

/** A broadcast that can be chosen. */
export type BroadcastChoice = { id: string; name: string }

export const searchForm = (
  sought: Sought,
  broadcasts: BroadcastChoice[],
): SafeHtml => html`<form class="search" role="search" action="/console/emails">
<input type="search" name="q" value="${sought.words}" maxlength="${WORDS_LENGTH_MAX}" placeholder="Subject or address" aria-label="Subject or address">
<select name="state" aria-label="State"><option value="">Any state</option>${SOUGHT_STATES.map((one) => html`<option value="${one}"${one === sought.state ? SELECTED : ''}>${stateLabel(one)}</option>`)}</select>
<button class="quiet">Search</button>
<details class="filters"${[sought.to, sought.broadcast, sought.domain, sought.tag, sought.since, sought.until].some((value) => value !== '') ? html` open` : ''}><summary>More filters</summary><div class="pair">
${filter('to', 'Recipient', sought.to, 'ada@example.com')}${filter('domain', 'Sender domain', sought.domain, 'example.com')}${filter('tag', 'Tag', sought.tag, 'name or name:value')}
${broadcasts.length === 0 ? '' : broadcastChoice(broadcasts, sought.broadcast)}
${day('since', 'First day (UTC)', sought.since)}${day('until', 'Last day (UTC)', sought.until)}</div></details>
</form>`

const SELECTED = html` selected`

const filter = (name: string, label: string, value: string, example: string): SafeHtml =>
  html`<div><label for="${name}">${label}</label><input type="text" id="${name}" name="${name}" value="${value}" maxlength="${FILTER_LENGTH_MAX}" placeholder="${example}" autocomplete="off" autocapitalize="off" spellcheck="false"></div>`

const broadcastChoice = (broadcasts: BroadcastChoice[], chosen: string): SafeHtml =>
  html`<div><label for="broadcast">Broadcast</label><select id="broadcast" name="broadcast"><option value="">Any, or none</option>${broadcasts.map(({ id, name }) => html`<option value="${id}"${id === chosen.toLowerCase() ? SELECTED : ''}>${name}</option>`)}</select></div>`

const day = (name: string, label: string, value: string): SafeHtml =>
  html`<div><label for="${name}">${label}</label><input type="date" id="${name}" name="${name}" value="${value}"></div>`

export function searchPath({ words, ...sought }: Sought, after: string | null): string {
  const filled = Object.entries({ q: words, ...sought, after: after ?? '' }).filter(([, value]) => value !== '')
  return `/console/emails?${new URLSearchParams(filled)}`
}
