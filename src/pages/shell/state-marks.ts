import { html, type SafeHtml } from '@remix-run/html-template'
import { type OutcomeSummary, stateWords } from '../../mail/outcome-summary.ts'

/** A state in words, with a color that says no more than the word. */
export const stateMark = (state: string): SafeHtml => html`<span class="state ${state}">${stateWords(state)}</span>`

/** The state of an email as a whole; its tooltip has the states of its recipients. */
export const outcomeMark = ({ words, state, parts }: OutcomeSummary): SafeHtml =>
  html`<span class="state ${state}"${parts === null ? '' : html` title="${parts}"`}>${words}</span>`
