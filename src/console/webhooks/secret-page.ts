// The secret with which the events of a webhook are signed. It is shown on request only.
import { html } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import { OLD_SECRET_HOURS } from '../../modules/webhooks/webhooks.schema.ts'
import { copyable } from '../shell/copyable.ts'
import { type WebhookView, webhookFrame } from './webhook-frame.ts'
import { webhookAddress } from './webhook-words.ts'

export type WebhookSecretView = WebhookView & {
  /** Null while it is not shown. */
  secret: string | null
  /** Until when the one before signs too; null if none does. */
  oldUntil: Date | null
}

export const secretPage = ({ secret, oldUntil, ...view }: WebhookSecretView): string => {
  const address = webhookAddress(view.webhook)
  return webhookFrame(
    view,
    '/secret',
    html`<section class="sheet parts"><h2>Signing secret</h2>
<p>Every event is signed with it. A program that verifies the signature knows that an event is from here.</p>
${secret === null ? html`<form method="post" action="${address}/secret"><button>Show the secret</button></form>` : copyable({ id: 'secret', text: secret, what: 'signing secret' })}
${oldUntil === null ? '' : html`<p>Until ${timeElement(oldUntil, view.now)} events are signed with the secret before, too.</p>`}
</section>
<section class="sheet parts"><h2>Rotate</h2>
<p>Makes a new secret. For ${OLD_SECRET_HOURS} hours, events are signed with the new one and with the present one, so that you can change it in your program without losing any.</p>
${oldUntil === null ? html`<form method="post" action="${address}/secret/rotate"><button class="quiet">Rotate the secret</button></form>` : html`<p>The secret was rotated less than ${OLD_SECRET_HOURS} hours ago. It can be rotated again after ${timeElement(oldUntil, view.now)}, once the one before no longer signs.</p>`}</section>`,
  )
}
