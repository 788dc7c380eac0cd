import { Failure, invalid } from '../lib/failure.ts'
import type { EmailDraft } from '../mail/email-draft.ts'
import { createBodyCheck } from '../schemas/bodies/body-validator.ts'
import { EMAILS, EmailBatch, EmailBatchHeaders, EmailBatchSent, EmailSend } from '../schemas/emails.ts'
import { acceptEmails, draftOf } from '../services/accept-email.ts'
import { draftsOfUnknownTopics, UNKNOWN_TOPIC } from '../services/email-topics.ts'
import { type Call, operation, routes } from './operation.ts'

type Judged = { drafts: EmailDraft[]; errors: { index: number; name: string; message: string }[] }

export const emailBatchRoutes = routes(EMAILS, (context) => {
  const problemOf = createBodyCheck(EmailSend)

  async function send({ holder, body, headers, idempotencyKey }: Call<{ body: typeof EmailBatch; headers: typeof EmailBatchHeaders }>) {
    const isPermissive = headers['x-batch-validation'] === 'permissive'
    const { drafts, errors } = await judge(holder.teamId, body)
    const [first] = errors
    return acceptEmails(context, {
      holder,
      drafts() {
        if (first && !isPermissive) throw invalid(`Email ${first.index} of the batch (from 0): ${first.message}`)
        return drafts
      },
      idempotency: idempotencyKey === null ? null : { operation: 'emails.send-batch', key: idempotencyKey, body },
      replyFor: (ids) => ({ data: ids.map((id) => ({ id })), ...(isPermissive && { errors }) }),
    })
  }

  async function judge(teamId: string, body: Call<{ body: typeof EmailBatch }>['body']): Promise<Judged> {
    const entries = body.map(judgeEntry)
    const drafts = entries.flatMap((entry) => (typeof entry === 'string' ? [] : [entry]))
    const unknown = await draftsOfUnknownTopics(context, teamId, drafts)
    const messages = entries.map((entry) => (typeof entry === 'string' ? entry : unknown.has(entry) ? UNKNOWN_TOPIC : null))
    return {
      drafts: drafts.filter((draft) => !unknown.has(draft)),
      errors: messages.flatMap((message, index) => (message === null ? [] : [{ index, name: 'validation_error', message }])),
    }
  }

  /** The draft of one entry, or a sentence about what is wrong with it. */
  function judgeEntry(input: Call<{ body: typeof EmailBatch }>['body'][number]): EmailDraft | string {
    const problem = problemOf(input)
    if (problem !== null) return problem
    try {
      return draftOf(context, input)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return error.message
    }
  }

  return [
    operation({
      id: 'emails.send-batch',
      method: 'POST',
      path: '/emails/batch',
      summary: 'Send up to 100 emails',
      description:
        'Accepts up to 100 emails in one request, each in the form that `POST /emails` accepts, including attachments. Either all emails are accepted or none; with `x-batch-validation: permissive`, all valid ones are.',
      access: 'sending',
      isIdempotent: true,
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
