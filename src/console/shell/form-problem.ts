// Why a form was refused, shown beside it.
import { html, type SafeHtml } from '@remix-run/html-template'
import { Failure, type FailureKind } from '../../lib/failure.ts'

export type FormProblem = {
  status: number
  sentence: string
  retryAfterSeconds: number | undefined
}

/** Null if the failure is not about what was typed, and so has a page of its own. */
export function formProblem(error: unknown): FormProblem | null {
  if (!(error instanceof Failure)) return null
  const { kind, message, retryAfterSeconds } = error
  const status = STATUSES[kind]
  return status === undefined ? null : { status, sentence: message, retryAfterSeconds }
}

const STATUSES: Partial<Record<FailureKind, number>> = { validation: 422, forbidden: 403, inUse: 409, gone: 410, unavailable: 503 }

/** The id of the sentence, by which its field refers to it. */
export const PROBLEM_ID = 'problem'

/**
 * What the sentence quotes is shown as code.
 *
 * @param textFields of the form. Unless one of them is wrong, and so has the focus, the sentence has it, wherever it is on the page.
 */
export function problemNote(problem: FormProblem | null, textFields: string[]): SafeHtml {
  if (problem === null) return html``
  const focus = textFields.some((field) => isAbout(problem, field)) ? '' : html` tabindex="-1" autofocus`
  return html`<p class="wrong" id="${PROBLEM_ID}" role="alert"${focus}>${withCode(problem.sentence)}</p>`
}

/** A sentence in which what it quotes is shown as code. */
export const withCode = (sentence: string): SafeHtml[] =>
  sentence.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))

/** Whether the sentence is about the field of this name, which it names first. */
export const isAbout = (problem: FormProblem | null, field: string): boolean => problem?.sentence.split('`')[1] === field
