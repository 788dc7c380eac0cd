// Asks before a webhook is deleted, and says what that means.
import { html } from '@remix-run/html-template'
import type { WebhookRow } from '../../modules/webhooks/webhooks.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { ADDRESS, webhookAddress, webhookName } from './webhook-words.ts'
import { WEBHOOK_FILES } from './webhooks-style.ts'

export const deletePage = ({ teamName, webhook }: { teamName: string; webhook: Pick<WebhookRow, 'id' | 'endpoint'> }): string =>
  consolePage({
    title: `Delete ${webhookName(webhook)}`,
    section: ADDRESS,
    teamName,
    files: WEBHOOK_FILES,
    main: html`<p><a href="${webhookAddress(webhook)}/settings">← ${webhookName(webhook)}</a></p>
<section class="sheet parts"><h1>Delete this webhook?</h1>
<p>${webhookName(webhook)}</p>
<ul>
<li>Nothing more is sent to its endpoint. Events that wait are dropped.</li>
<li>Its events and attempts can no longer be seen.</li>
<li>A new webhook for the same endpoint has another signing secret.</li>
</ul>
<p>This cannot be undone. To stop it for a while, disable it.</p>
<form class="choice" method="post" action="${webhookAddress(webhook)}/delete"><button class="danger">Delete the webhook</button> <a class="button quiet" href="${webhookAddress(webhook)}">Keep it</a></form>
</section>`,
  })
