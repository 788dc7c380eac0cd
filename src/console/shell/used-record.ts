// Deleting what is in use: the first form is refused and says what uses it, and the one that is shown then deletes it anyway.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { FormProblem } from './form-problem.ts'

/** The button of a form that deletes. */
export const deleteButton = (label: string, problem: FormProblem | null): SafeHtml =>
  problem?.status === 409
    ? html`<input type="hidden" name="even_if_used" value="yes"><button class="danger">Delete anyway</button>`
    : html`<button class="danger">${label}</button>`

/** As the parameter of the API: only the second form deletes what is in use. */
export const unlessUsedIn = (body: unknown): { unlessUsed: boolean } => ({
  unlessUsed: !(typeof body === 'object' && body !== null && 'even_if_used' in body && body.even_if_used === 'yes'),
})
