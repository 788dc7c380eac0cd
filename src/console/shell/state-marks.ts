import { html, type SafeHtml } from '@remix-run/html-template'
import { type OutcomeSummary, stateLabel } from '../../modules/emails/email-states.ts'

/** A state in words, with a color that says no more than the word. */
export const stateMark = (state: string): SafeHtml => html`<span class="state ${state}">${stateLabel(state)}</span>`

/** The state of an email as a whole; its tooltip has the states of its recipients. */
export const outcomeMark = ({ label, state, parts }: OutcomeSummary): SafeHtml =>
  html`<span class="state ${state}"${parts === null ? '' : html` title="${parts}"`}>${label}</span>`
