import { contentWarnings } from '../mail/rendering/placeholder-look-alikes.ts'
import { EMAILS, EmailBatch, EmailBatchHeaders, EmailBatchSent } from '../schemas/emails.ts'
import { acceptEmails } from '../services/accept-email.ts'
import { fillTemplates } from '../services/fill-templates.ts'
import { checkedEntries, judgeEmails } from '../services/judge-emails.ts'
import { type Call, operation, routes } from './operation.ts'

export const emailBatchRoutes = routes(EMAILS, (context) => {
  async function send(call: Call<{ body: typeof EmailBatch; headers: typeof EmailBatchHeaders }>) {
    const { holder, body, headers, idempotencyKey, takeRoom, warn, span } = call
    const entries = await fillTemplates(context, holder.teamId, { entries: checkedEntries(body), takeRoom })
    const judged = await judgeEmails(context, holder, entries)
    const accepted = await acceptEmails(context, {
      mode: headers['x-batch-validation'] === 'permissive' ? 'valid' : 'all',
      holder,
      judged,
      idempotency: idempotencyKey === null ? null : { operation: 'emails.send-batch', key: idempotencyKey, body },
      span,
    })
    warn(await contentWarnings(judged.drafts))
    return accepted
  }

  return [
    operation({
      id: 'emails.send-batch',
      names: 'Template',
      method: 'POST',
      path: '/emails/batch',
      summary: 'Send up to 100 emails',
      description:
        'Accepts up to 100 emails in one request, each in the form that `POST /emails` accepts, including attachments and templates. Either all emails are accepted or none; with `x-batch-validation: permissive`, all valid ones are.',
      access: 'sending',
      isIdempotent: true,
      warns: true,
      headers: EmailBatchHeaders,
      body: EmailBatch,
      checksEntries: true,
      reply: EmailBatchSent,
      example: {
        body: [
          { from: 'Acme <hello@example.com>', to: 'delivered@simulator.test', subject: 'Your receipt', text: 'Thank you.' },
          { from: 'Acme <hello@example.com>', to: 'bounced@simulator.test', subject: 'Your receipt', text: 'Thank you.' },
        ],
        reply: { data: [{ id: EMAILS.example.id }, { id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c11' }] },
      },
      handle: send,
    }),
  ]
})
