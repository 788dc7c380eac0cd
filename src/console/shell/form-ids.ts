// Each form that makes something has an id, so that one that is sent twice makes it once.
import { html, type SafeHtml } from '@remix-run/html-template'
import { FormUsed } from '../../db/used-forms.ts'
import { invalid } from '../../lib/failure.ts'
import { idTime, isId } from '../../lib/ids.ts'

/** How long a form that was opened can be sent. */
const FORM_MS_MAX = 24 * 60 * 60 * 1_000
/** Between the clocks of two processes. */
const AHEAD_MS_MAX = 10_000

export const formIdField = (id: string): SafeHtml => html`<input type="hidden" name="form_id" value="${id}">`

/** What was sent of a form without other fields: nothing, by a program. */
export const formIn = (body: unknown): { form_id?: string } =>
  typeof body === 'object' && body !== null && 'form_id' in body && typeof body.form_id === 'string' ? { form_id: body.form_id } : {}

/**
 * The id of a form that was sent. Undefined if it has none, because a program sent it.
 *
 * @throws Failure if it is too old to know whether it was sent before.
 */
export const formIdOf = ({ form_id: id }: { form_id?: string }, now: Date): string | undefined =>
  id === undefined ? undefined : recentId(id, now)

/** @throws Failure unless it is the id of a form that was opened recently. */
export function recentId(id: string, now: Date): string {
  const ageMs = isId(id) ? now.getTime() - idTime(id).getTime() : Number.POSITIVE_INFINITY
  if (ageMs > FORM_MS_MAX || ageMs < -AHEAD_MS_MAX) throw invalid('This form is too old. Please send it again.')
  return id.toLowerCase()
}

/** What a form makes; null if it was sent before. */
export async function once<T>(make: () => Promise<T>): Promise<T | null> {
  try {
    return await make()
  } catch (error) {
    if (error instanceof FormUsed) return null
    throw error
  }
}

export const SENT_BEFORE = 'This form was already sent, and what it asked for was done then.'
