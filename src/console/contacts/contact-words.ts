// How contacts are called, and how they stand.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { ContactRow } from '../../modules/audience/contacts/contact-rows.repository.ts'

export const ADDRESS = '/console/contacts'

/** The longest address. */
export const WORDS_LENGTH_MAX = 254

export const pathOf = ({ id }: { id: string }): string => `${ADDRESS}/${id}`

/** First and last name; empty if there is neither. */
export const nameOf = ({ firstName, lastName }: Pick<ContactRow, 'firstName' | 'lastName'>): string =>
  [firstName, lastName].filter(Boolean).join(' ')

/** The colors are those of states of emails. */
export const subscriptionMark = (unsubscribed: boolean): SafeHtml =>
  unsubscribed ? html`<span class="state suppressed">unsubscribed</span>` : html`<span class="state delivered">subscribed</span>`

export const SUBSCRIPTION_WORDS = { opt_in: 'opted in', opt_out: 'opted out' } as const

export const count = (number: number): string => number.toLocaleString('en')
