// Hands every message of a team to its request log, as the API does with requests.
import type { Context } from '../../context.ts'
import { createId } from '../../lib/ids.ts'
import { storableText } from '../../lib/storable-text.ts'
import type { KeyHolder } from '../../repositories/team/api-keys.ts'
import { fieldTree } from '../../schemas/bodies/field-tree.ts'
import { cutBody, loggedBody } from '../../schemas/bodies/logged-body.ts'
import { EmailSend } from '../../schemas/emails.ts'
import type { SubmittedEmail } from './submit-message.ts'

/** `email`: null if it is not known what the message says. `answer`: the code of the reply, and what it said. */
export type LoggedSubmission = { holder: KeyHolder; email: SubmittedEmail | null; answer: { code: number; body: object } }

const ENDPOINT = '/submission'
const USER_AGENT_LENGTH_MAX = 512
/** What an entry costs in addition to its bodies, roughly. */
const ENTRY_BYTES = 512

let fields: ReturnType<typeof fieldTree> | undefined

export function logSubmission(
  { repositories, clock }: Pick<Context, 'repositories' | 'clock'>,
  { holder, email, answer }: LoggedSubmission,
) {
  fields ??= fieldTree(EmailSend)
  const sent = loggedBody(fields, email?.body)
  const answered = cutBody(answer.body)
  repositories.requestLogs.append(
    {
      id: createId(clock),
      teamId: holder.teamId,
      apiKeyId: holder.apiKeyId,
      method: 'SMTP',
      endpoint: ENDPOINT,
      responseStatus: answer.code,
      userAgent: email?.userAgent == null ? null : storableText(email.userAgent, USER_AGENT_LENGTH_MAX),
      requestBody: sent.json,
      responseBody: answered.json,
      requestBodyTruncated: sent.isCut,
      responseBodyTruncated: answered.isCut,
      createdAt: clock.now(),
    },
    ENTRY_BYTES + sent.bytes + answered.bytes,
  )
}
