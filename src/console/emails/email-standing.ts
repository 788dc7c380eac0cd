// The state of an email in a few lines at the top of its page: its state, why, and what comes next.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { CapturedAttemptRow, CapturedPendingRow, CapturedRecipientRow } from '../../modules/emails/captured-emails.repository.ts'
import { isTroubled, outcomeSummary, type StateCounts } from '../../modules/emails/email-states.ts'
import type { NotificationRow } from '../../modules/emails/email-timeline.repository.ts'
import { outcomeMark } from '../shell/state-marks.ts'
import { answerWords, detailSentence, shownAnswer } from './detail-words.ts'
import type { ToldWebhook } from './relations.repository.ts'

/** What became of an email so far. */
export type Progress = {
  lastEvent: string
  recipients: CapturedRecipientRow[]
  /** Newest first, as are the notifications. */
  attempts: CapturedAttemptRow[]
  pending: CapturedPendingRow[]
  notifications: NotificationRow[]
  /** What webhooks were told of them. */
  told: ToldWebhook[]
  now: Date
}

export function emailStanding(progress: Progress): SafeHtml {
  const { lastEvent, recipients } = progress
  const summary = outcomeSummary(lastEvent, recipients.length > 1 ? countsOf(recipients) : null)
  const reason = reasonOf(progress)
  const next = nextStep(progress)
  return html`<dl>
<dt>State</dt><dd>${outcomeMark(summary)}${summary.parts === null ? '' : html` <span class="soft">${summary.parts}</span>`}</dd>
${next === null ? '' : html`<dt>Next try</dt><dd>${next}</dd>`}
${reason === null ? '' : html`<dt>Reason</dt><dd>${reason}</dd>`}
</dl>`
}

function countsOf(recipients: CapturedRecipientRow[]): StateCounts {
  const counts: Record<string, number> = {}
  for (const { state } of recipients) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

/** Null if nothing was tried yet, or nothing is left to try. */
function nextStep({ attempts, pending, now }: Progress): SafeHtml | null {
  if (pending.length === 0) return null
  if (pending.some(({ isRunning }) => isRunning)) return html`now`
  const dueAt = pending.find((one) => one.dueAt !== null)?.dueAt
  if (!dueAt) return html`when an operator resumes this part of the queue`
  return attempts.length === 0 ? null : timeElement(dueAt, now)
}

/** For recipients with a problem: what the last server said, or why nothing was tried. A bounce is told whatever came after it. */
function reasonOf({ recipients, attempts, notifications }: Progress): SafeHtml | null {
  const troubled = new Map(recipients.filter(({ state }) => isTroubled(state)).map(({ id, address }) => [id, address]))
  const known = attempts.filter(({ outcome }) => outcome !== null)
  // A mail that was delivered and returned later has a last attempt that says nothing of it.
  const last = [...troubled.keys()].flatMap((id) => known.find(({ recipientId }) => recipientId === id) ?? [])
  const attempt = known.find((one) => last.includes(one) && one.outcome !== 'delivered')
  if (attempt) {
    return html`<bdi>${troubled.get(attempt.recipientId) ?? ''}</bdi>: ${answerWords(attempt) === '' ? (attempt.outcome ?? '') : shownAnswer(attempt)}`
  }
  const addresses = new Set(troubled.values())
  const told =
    notifications.find(({ type, data }) => REASONS.has(type) && data.to.some((address) => addresses.has(address))) ??
    notifications.find(tellsBounce)
  const sentence = told?.data.detail ? detailSentence(told.data.detail) : null
  if (told === undefined || sentence === null) return null
  return tellsBounce(told) ? html`<bdi>${told.data.to.join(', ')}</bdi>: ${sentence}` : html`${sentence}`
}

const REASONS = new Set(['email.bounced', 'email.failed', 'email.suppressed'])

/** Mail that a person has read stays opened or clicked when it is returned later. */
const tellsBounce = ({ type, data }: NotificationRow): boolean =>
  type === 'email.bounced' || (type === 'email.answered' && data.detail !== undefined && 'bounce' in data.detail)
