// One event of a webhook: how it stands, what is sent, and every attempt with its answer.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { WebhookAttemptRow, WebhookEventRow } from '../../modules/webhooks/events/webhook-events.repository.ts'
import { webhookEventId } from '../../modules/webhooks/events/webhook-events.schema.ts'
import type { WebhookRow } from '../../modules/webhooks/webhooks.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { fragmentVersion } from '../shell/fragments.ts'
import { eventSubject } from './event-subject.ts'
import { ADDRESS, eventMark, outcomeMark, webhookAddress, webhookName } from './webhook-words.ts'
import { WEBHOOK_FILES } from './webhooks-style.ts'

export type EventProgress = {
  now: Date
  webhook: WebhookRow
  event: WebhookEventRow
  attempts: Page<WebhookAttemptRow>
}

export type WebhookEventView = EventProgress & {
  teamName: string
  /** Null if what happened is no longer kept. */
  payload: object | null
  problem: FormProblem | null
  /** What was done last, in a sentence. */
  note: string
}

export function eventPage({ teamName, payload, problem, note, ...progress }: WebhookEventView): string {
  const { webhook, event } = progress
  const address = `${webhookAddress(webhook)}/events/${webhookEventId(event.id)}`
  return consolePage({
    title: event.type,
    section: ADDRESS,
    teamName,
    files: WEBHOOK_FILES,
    main: html`<div class="head"><p><a href="${webhookAddress(webhook)}">← ${webhookName(webhook)}</a></p><p class="note" role="status">${note}</p></div>
<article class="sheet parts">
<h1>${event.type}${event.isTest ? html` <span class="tag">sample</span>` : ''}</h1>
<div id="standing"${problem === null ? html` data-live="${address}/progress" data-version="${fragmentVersion(eventFragment(progress))}"` : ''}>${standing(progress)}</div>
${problemNote(problem, [])}
${replayForm(webhook, address)}
</article>
<div id="attempts">${attemptList(progress)}</div>
<section class="sheet"><h2>Payload</h2>
${payload === null ? html`<p>What happened is no longer kept, so nothing can be sent.</p>` : html`<pre class="code" tabindex="0" role="region" aria-label="Payload">${JSON.stringify(payload, null, 2)}</pre>`}
</section>`,
  })
}

function replayForm({ status, endpoint }: WebhookRow, address: string): SafeHtml {
  if (endpoint === null) return html``
  if (status === 'disabled') return html`<p class="note">The webhook is disabled. Once it is enabled, this event can be replayed.</p>`
  return html`<form class="choice" method="post" action="${address}/replay"><button>Replay</button> <span class="note">Sends it again, once and without retries. If it waits, it is sent now.</span></form>`
}

/** The parts that change while the page is open, with the ids that they have there. */
export const eventFragment = (progress: EventProgress): SafeHtml =>
  html`<div id="standing">${standing(progress)}</div><div id="attempts">${attemptList(progress)}</div>`

function standing({ webhook, event, now }: EventProgress): SafeHtml {
  const { id, createdAt, dueAt, heldBy, failure } = event
  return html`<dl><dt>State</dt><dd>${eventMark(event, webhook)}</dd>
${failure === null ? '' : html`<dt>Why</dt><dd>${failure}</dd>`}
${heldBy === null ? (dueAt === null ? '' : html`<dt>Next attempt</dt><dd>${dueAt <= now ? 'now' : timeElement(dueAt, now)}</dd>`) : html`<dt>Waits for</dt><dd><a href="${webhookAddress(webhook)}/events/${webhookEventId(heldBy)}">an earlier event</a></dd>`}
<dt>Happened</dt><dd>${timeElement(createdAt, now)}</dd>
${eventSubject(event)}
<dt>Id</dt><dd class="code">${webhookEventId(id)}</dd></dl>`
}

const attemptList = ({
  webhook,
  event,
  attempts: { rows, hasMore },
  now,
}: EventProgress): SafeHtml => html`<section class="sheet"><h2>Attempts</h2>
${rows.length === 0 ? html`<p class="soft">${noAttempts({ webhook, event })}</p>` : html`<ol class="rows">${rows.map((row) => attemptItem(row, now))}</ol>`}
${hasMore ? html`<p class="note">The newest ${rows.length} are shown.</p>` : ''}</section>`

function noAttempts({ webhook, event }: Pick<EventProgress, 'webhook' | 'event'>): string {
  if (webhook.endpoint === null) return 'None: it is read from the feed.'
  return event.status === 'failed' ? 'None: it was given up before.' : 'None yet.'
}

const attemptItem = ({ outcome, httpStatus, response, error, durationMs, startedAt }: WebhookAttemptRow, now: Date): SafeHtml => html`<li>
<div class="line"><span>${outcomeMark(outcome)}${httpStatus === null ? '' : html` <span class="tag">${httpStatus}</span>`}</span>
<span class="soft">${timeElement(startedAt, now)}${durationMs === null ? '' : `, ${durationMs.toLocaleString('en')} ms`}</span></div>
${error === null ? '' : html`<p>${error}</p>`}
${response === null || response === '' ? '' : html`<pre class="code answer" tabindex="0" role="region" aria-label="The beginning of the answer">${response}</pre>`}</li>`
