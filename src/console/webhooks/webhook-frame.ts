// What the pages of one webhook have in common: how it stands, and the way to its events, settings and secret.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import { FAILING_DAYS_MAX } from '../../modules/webhooks/sending/retry-schedule.ts'
import type { WebhookRow } from '../../modules/webhooks/webhooks.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { ADDRESS, webhookAddress, webhookMark, webhookName } from './webhook-words.ts'
import { WEBHOOK_FILES } from './webhooks-style.ts'

export type WebhookView = {
  teamName: string
  now: Date
  webhook: WebhookRow
  /** What was done last, in a sentence. */
  note: string
  /** Why it could not be enabled or disabled, or its secret not rotated. */
  problem: FormProblem | null
}

const PARTS = { '': 'Events', '/settings': 'Settings', '/secret': 'Signing secret' }

export function webhookFrame({ teamName, now, webhook, note, problem }: WebhookView, part: keyof typeof PARTS, main: SafeHtml): string {
  const address = webhookAddress(webhook)
  return consolePage({
    title: webhookName(webhook),
    section: ADDRESS,
    teamName,
    files: WEBHOOK_FILES,
    main: html`<div class="head"><p><a href="${ADDRESS}">← All webhooks</a></p><p class="note" role="status">${note}</p></div>
<article class="sheet parts">
<h1>${webhookName(webhook)}</h1>
${standing(webhook, now)}
${problemNote(problem, [])}
${webhook.status === 'enabled' ? disable(webhook) : html`<form method="post" action="${address}/enable"><button>Enable it</button></form>`}
</article>
<nav class="tabs" aria-label="Parts of the webhook">${Object.entries(PARTS).map(([path, name]) => html`<a href="${address}${path}"${path === part ? html` aria-current="page"` : ''}>${name}</a>`)}</nav>
${main}`,
  })
}

/** What happens until it is enabled again is lost for it, so one click is not enough. */
const disable = (webhook: WebhookRow): SafeHtml =>
  html`<details id="disable"><summary>Disable …</summary>
<p>${webhook.endpoint === null ? '' : 'Events that wait are given up, and can be replayed later. '}What happens until you enable it again is not kept for it.</p>
<form method="post" action="${webhookAddress(webhook)}/disable"><button class="danger">Disable the webhook</button></form></details>`

const standing = (webhook: WebhookRow, now: Date): SafeHtml => {
  const { endpoint, events, isOrdered, concurrency, lastSuccessAt, lastFailureAt, failingSince, createdAt, id } = webhook
  const at = (time: Date | null): SafeHtml => (time === null ? html`none yet` : timeElement(time, now))
  return html`<div id="standing"><dl><dt>State</dt><dd>${webhookMark(webhook)}</dd>
${failingSince === null ? '' : html`<dt>Failing since</dt><dd>${timeElement(failingSince, now)}</dd>`}
${endpoint === null ? '' : html`<dt>Last success</dt><dd>${at(lastSuccessAt)}</dd><dt>Last failure</dt><dd>${at(lastFailureAt)}</dd>`}
<dt>Events</dt><dd>${events.join(', ')}</dd>
${endpoint === null ? '' : html`<dt>Sending</dt><dd>at most ${concurrency} at once${isOrdered ? ', in order for each email and contact' : ''}</dd>`}
<dt>Created</dt><dd>${timeElement(createdAt, now)}</dd>
<dt>Id</dt><dd class="code">${id}</dd></dl></div>
${meaning(webhook)}`
}

function meaning({ status, disabledReason, failingSince, endpoint }: WebhookRow): SafeHtml {
  if (disabledReason !== null)
    return html`<p class="wrong">The service disabled it: <bdi>${disabledReason}</bdi></p>
<p>Enable it once the endpoint works again. The events that were given up are not sent unasked: replay them then.</p>`
  if (status === 'disabled') return html`<p>Your team disabled it. Nothing is sent, and what happens is not kept for it.</p>`
  if (endpoint === null) return html`<p>It has no endpoint: a program of yours reads the events from its feed.</p>`
  if (failingSince !== null)
    return html`<p>Every attempt has failed since then. Events are retried. If nothing succeeds for ${FAILING_DAYS_MAX} days, the service disables the webhook.</p>`
  return html``
}
