// What can be done with an email: change its time or cancel it while it waits, and share it.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { EmailRow } from '../../modules/emails/emails.repository.ts'
import { copyable } from '../shell/copyable.ts'
import { type FormProblem, isAbout, PROBLEM_ID, problemNote } from '../shell/form-problem.ts'

export type EmailActs = {
  /** A link that was just made. */
  sharedUrl: string | null
  /** What was typed for its new time. */
  typed: string
  /** The problem of any form of the page. */
  problem: FormProblem | null
}

type Shown = EmailActs & { email: Pick<EmailRow, 'id' | 'lastEvent'> }

export const emailForms = ({
  email,
  sharedUrl,
  typed,
  problem,
}: Shown): SafeHtml => html`<section class="sheet parts" aria-label="What can be done">
${problemNote(problem, ['scheduled_at'])}
${email.lastEvent === 'scheduled' ? scheduleForms({ email, typed, problem }) : ''}
${sharedUrl === null ? '' : html`<div role="status"><p>Anyone who has this link can see the email until it expires.</p>${copyable({ id: 'shared', text: sharedUrl, what: 'link' })}</div>`}
<form class="choice" method="post" action="/console/emails/${email.id}/share"><label for="expires_in">Share by a link that works for</label> <select class="short" id="expires_in" name="expires_in">${Object.entries(DURATIONS).map(([value, words]) => html`<option value="${value}">${words}</option>`)}</select> <button class="quiet">Make a link</button></form></section>`

const DURATIONS = { '1 hour': '1 hour', '24 hours': '1 day', '48 hours': '2 days' }

/** More than is valid, so that the sentence about a long one is that of the API. */
const TIME_LENGTH_MAX = 300

const scheduleForms = ({
  email,
  typed,
  problem,
}: Pick<
  Shown,
  'email' | 'typed' | 'problem'
>): SafeHtml => html`<form class="choice" method="post" action="/console/emails/${email.id}/reschedule">
<label for="scheduled_at">New time</label> <input class="short" type="text" id="scheduled_at" name="scheduled_at" value="${typed}" maxlength="${TIME_LENGTH_MAX}" placeholder="tomorrow at 9am" autocomplete="off" required${isAbout(problem, 'scheduled_at') ? html` aria-invalid="true" aria-describedby="${PROBLEM_ID}" autofocus` : ''}> <button class="quiet">Reschedule</button></form>
<details id="cancel"><summary>Cancel …</summary>
<p>The email is not sent then. You cannot undo this.</p>
<form method="post" action="/console/emails/${email.id}/cancel"><button class="danger">Cancel the email</button></form></details>`
