import { html, type SafeHtml } from '@remix-run/html-template'
import { SUPPRESSION_ORIGINS, type SuppressionOrigin } from '../../modules/suppressions/suppressions.schema.ts'

/** What a person searches for; empty fields match anything. */
export type Sought = { words: string; origin: SuppressionOrigin | '' }

/** The longest address. */
export const WORDS_LENGTH_MAX = 254

export const ADDRESS = '/console/suppressions'

export const ORIGIN_WORDS: Record<SuppressionOrigin, string> = {
  bounce: 'bounced',
  complaint: 'reported as spam',
  manual: 'added by your team',
}

/** An unknown origin means any. */
export const originNamed = (text: string | undefined): Sought['origin'] => SUPPRESSION_ORIGINS.find((origin) => origin === text) ?? ''

export const originOf = ({ origin }: Sought): SuppressionOrigin | null => (origin === '' ? null : origin)

export const searchForm = ({ words, origin }: Sought): SafeHtml => html`<form class="search" role="search" action="${ADDRESS}">
<input type="search" name="q" value="${words}" maxlength="${WORDS_LENGTH_MAX}" placeholder="Address or a part of it" aria-label="Address or a part of it">
<select name="origin" aria-label="Origin"><option value="">Any origin</option>${SUPPRESSION_ORIGINS.map((one) => html`<option value="${one}"${one === origin ? SELECTED : ''}>${ORIGIN_WORDS[one]}</option>`)}</select>
<button class="quiet">Search</button>
</form>`

const SELECTED = html` selected`

/** The address of a page of what is sought. */
export function searchPath({ words, origin }: Sought, position: { after: string } | { before: string } | null): string {
  const query = new URLSearchParams({ ...(words && { q: words }), ...(origin && { origin }), ...position }).toString()
  return query === '' ? ADDRESS : `${ADDRESS}?${query}`
}
