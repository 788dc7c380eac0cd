// What can be changed of a webhook.
import { html } from '@remix-run/html-template'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { TEXT_FIELDS, webhookFields } from './webhook-fields.ts'
import type { WebhookForm } from './webhook-forms.ts'
import { type WebhookView, webhookFrame } from './webhook-frame.ts'
import { webhookAddress } from './webhook-words.ts'

export type WebhookSettingsView = WebhookView & {
  /** What was typed, or the settings that the webhook has. */
  form: WebhookForm
  refusal: FormProblem | null
}

export const settingsPage = ({ form, refusal, ...view }: WebhookSettingsView): string => {
  const address = webhookAddress(view.webhook)
  return webhookFrame(
    view,
    '/settings',
    html`<section class="sheet"><h2>Settings</h2>
<form class="fields" method="post" action="${address}/settings">
${problemNote(refusal, TEXT_FIELDS)}
${webhookFields(form, refusal, 'The https URL to which events are sent.')}
<div><button>Save the settings</button></div>
</form></section>
<section class="sheet parts"><h2>Delete</h2>
<p>The next page says what that means, and asks first.</p>
<p><a class="button quiet" href="${address}/delete">Delete the webhook …</a></p></section>`,
  )
}
