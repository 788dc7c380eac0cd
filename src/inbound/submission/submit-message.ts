// Makes an email of a message that was handed in over SMTP, and accepts it as one of POST /emails.
import { createHash } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import libmime from 'libmime'
import type { Context } from '../../context.ts'
import { Failure, invalid } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import { explainProblem } from '../../lib/problem.ts'
import { checkFileType } from '../../mail/attachment-rules.ts'
import { type FilePart, type Parts, type StoreFile, splitMessage } from '../../mail/received/message-parts.ts'
import { contentOf } from '../../mail/received/received-content.ts'
import { safeFilename } from '../../mail/received/safe-names.ts'
import { readHead } from '../../mail/submission/head.ts'
import { htmlPartOf } from '../../mail/submission/html-part.ts'
import { draftSubmission, submissionBody } from '../../mail/submission/submission-draft.ts'
import { readSubmissionHeaders } from '../../mail/submission/submission-headers.ts'
import type { KeyHolder } from '../../repositories/team/api-keys.ts'
import { ATTACHMENTS_MAX, type EmailSend } from '../../schemas/emails.ts'
import { acceptEmails } from '../../services/accept-email.ts'
import { judgeEmails } from '../../services/judge-emails.ts'

export type Submission = {
  holder: KeyHolder
  /** Those of the envelope, each once: local part exact, domain as a lower-case A-label. */
  recipients: string[]
  /** All of a small message, and the first bytes of a large one, which is the blob. */
  beginning: Buffer
  blobKey: string | null
}

/** As the request log shows it. */
export type SubmittedEmail = { body: EmailSend; userAgent: string | null }

/** Called as soon as it is known what the message says. */
export type OnRead = (email: SubmittedEmail) => void

/** The blobs of the attachments, and the digest of each. */
type Files = Map<string, string>

/** @throws Failure about the first thing that is wrong */
export async function submitMessage(context: Context, submission: Submission, onRead: OnRead): Promise<{ id: string }> {
  const { clock } = context
  const { holder, recipients, beginning, blobKey } = submission
  const id = createId(clock)
  const files: Files = new Map()
  try {
    const head = readHead(beginning)
    const headers = readSubmissionHeaders(head)
    const parts = await partsOf(context, submission, files)
    const read = { recipients, head, headers, content: contentOf(parts), htmlPart: htmlPartOf(parts) }
    const body = submissionBody(read)
    onRead({ body, userAgent: headers.userAgent })
    refuseFiles(parts.files)
    const source = blobKey === null ? beginning.subarray(head.bodyStart) : { blobKey, start: head.bodyStart }
    const draft = draftSubmission({ ...read, body: source }, { messageId: `<${id}@${headers.sender.domain}>`, now: clock.now() })
    const reply = await acceptEmails(context, {
      mode: 'one',
      holder,
      judged: await judgeEmails(context, holder, [{ draft }]),
      ids: [id],
      idempotency:
        headers.idempotencyKey === null
          ? null
          : {
              operation: 'submission',
              key: headers.idempotencyKey,
              body: { ...body, recipients: recipients.toSorted(), files: [...files.values()] },
            },
    })
    // It repeats an earlier one, so nothing names its files.
    if (reply.id !== id) await discard(context, submission, files)
    return reply
  } catch (error) {
    // If it is unknown whether it was committed, the files stay, because rows may name them. The sweep of blobs decides.
    if (error instanceof Failure) await discard(context, submission, files)
    throw error
  }
}

async function discard({ gateways }: Context, { blobKey }: Submission, files: Files): Promise<void> {
  const keys = [...files.keys(), ...(blobKey === null ? [] : [blobKey])]
  await Promise.all(keys.map((key) => gateways.blobs.remove(key)))
}

async function partsOf({ gateways }: Context, { beginning, blobKey }: Submission, files: Files): Promise<Parts> {
  const storeFile: StoreFile = async (file) => {
    const key = createId()
    files.set(key, '')
    const hash = createHash('sha256')
    const copy = new PassThrough()
    const [{ bytes }] = await Promise.all([
      gateways.blobs.put(key, copy),
      pipeline(
        file.on('data', (piece) => hash.update(piece)),
        copy,
      ),
    ])
    files.set(key, hash.digest('base64'))
    return { blobKey: key, bytes }
  }
  const message = blobKey === null ? Readable.from([beginning], { objectMode: false }) : await gateways.blobs.open(blobKey)
  return splitMessage(message, storeFile)
}

function refuseFiles(files: readonly FilePart[]): void {
  if (files.length > ATTACHMENTS_MAX) throw invalid(`The message must have at most ${ATTACHMENTS_MAX} attachments.`)
  for (const name of files.flatMap(({ node }) => namesOf(node))) {
    const problem = checkFileType(name)
    if (problem !== null) throw invalid(explainProblem('filename', problem, name))
  }
}

/** Programs that read mail differ in which of the names they show, and in what they leave out of it. */
function namesOf({ filename, headers }: FilePart['node']): string[] {
  const type = headers === false ? '' : headers.getFirst('content-type')
  const given = [filename || '', libmime.parseHeaderValue(type).params.name ?? '']
  return given.flatMap((name) => safeFilename(name) ?? [])
}
