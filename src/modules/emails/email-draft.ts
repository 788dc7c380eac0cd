// Checks an email from a client, in a fixed order, and converts it to the form that everything below uses.

import { invalid } from '../../lib/failure.ts'
import type { Work } from '../../lib/main-thread.ts'
import { explainProblem, isProblem, type Problem } from '../../lib/problem.ts'
import { parseScheduledAt } from '../../lib/times/scheduled-times.ts'
import { UTC } from '../../lib/times/time-zones.ts'
import { asArray, notEmpty } from '../../mail/address-forms.ts'
import { canonicalAddress, type Mailbox, parseMailbox } from '../../mail/addresses.ts'
import {
  checkContentId,
  checkContentType,
  checkFilename,
  contentTypeOf,
  decodeContent,
  encodedSize,
  encodedTextSize,
  MESSAGE_BYTES_MAX,
} from '../../mail/attachments.ts'
import { checkCustomHeaders, checkSubject, unfoldedHeaders } from '../../mail/headers.ts'
import { GENERATED_TEXT_LENGTH_MAX } from '../../mail/html/text-from-html.ts'
import type { AttachmentInput, EmailSend } from './emails.schema.ts'
import type { NewSubmittedContent } from './submitted-message.ts'

export type EmailDraft = {
  from: string
  /** The domain of the sender, as a lower-case A-label. */
  fromDomain: string
  to: string[]
  cc: string[]
  bcc: string[]
  replyTo: string[]
  /** Distinct addresses of to, cc and bcc, in the order of their first mention. */
  recipients: string[]
  subject: string
  /** Null, as `text` is, if it was submitted: `submitted` has them. */
  html: string | null
  text: string | null
  /** The size of html and text in the message, encoded. */
  contentBytes: number
  headers: Record<string, string>
  tags: { name: string; value: string }[]
  scheduledAt: Date | null
  /** As given: the caller checks whether the team has such a topic. */
  topicId: string | null
  template: TemplateOrigin | null
  attachments: DraftAttachment[]
  /** The content of an email that was submitted over SMTP. */
  submitted?: NewSubmittedContent
}

/** The template that an email was made of, and the version that was published then. */
export type TemplateOrigin = { id: string; versionId: string }

/** What a client wrote, once its template was filled in. */
export type WrittenEmail = { input: EmailSend; template: TemplateOrigin | null }

/** The emails of a request that can be accepted, and what is wrong with each of the others, by its place in the request. */
export type ValidatedEmails = { drafts: EmailDraft[]; refusals: (EmailRefusal & { index: number })[] }

/** `forbidden`: the email is well-formed, but may not be sent. `notFound`: there is no such template. */
export type EmailRefusal = { kind: 'validation' | 'forbidden' | 'notFound'; message: string }

export type DraftAttachment = {
  filename: string | null
  contentType: string
  contentId: string | null
  /** Null if the file is to be fetched from `path`. */
  bytes: Buffer | null
  path: string | null
  /** The blob that has the file already. */
  stored?: { blobKey: string; bytes: number }
}

/** `template`: which one was filled in. */
export type DraftOptions = { now: Date; urlProblem: (url: string) => string | null; template?: TemplateOrigin | null }

/** @throws Failure about the first field that is wrong. */
export function* draftEmail(input: EmailSend, options: DraftOptions): Work<EmailDraft> {
  const { from: sender, subject } = input
  if (sender == null) throw invalid('Missing `from` field.')
  const from = mailbox('from', sender)
  const to = mailboxes('to', input.to)
  if (to.length === 0) throw invalid('The `to` field must not be empty.')
  const cc = mailboxes('cc', input.cc)
  const bcc = mailboxes('bcc', input.bcc)
  const replyTo = notEmpty(input.reply_to)
  mailboxes('reply_to', replyTo)
  if (subject == null) throw invalid('Missing `subject` field.')
  refuse('subject', checkSubject(subject))
  if (input.html == null && input.text == null) throw invalid('Missing `html` or `text` field.')
  refuse('headers', checkCustomHeaders(input.headers ?? {}))
  const headers = unfoldedHeaders(input.headers ?? {})
  const attachments: DraftAttachment[] = []
  for (const [index, attachment] of (input.attachments ?? []).entries())
    attachments.push(yield* draftAttachment(attachment, `attachments[${index}]`, options))
  const scheduledAt = input.scheduled_at == null ? null : parseSchedule('scheduled_at', input.scheduled_at, options.now)
  const contentBytes = yield* encodedContentSize(input)
  refuseTooLarge({ ...input, subject }, contentBytes, attachments)
  return {
    from: sender,
    fromDomain: from.domain,
    to: asArray(input.to),
    cc: asArray(input.cc),
    bcc: asArray(input.bcc),
    replyTo: asArray(replyTo),
    recipients: [...new Set([...to, ...cc, ...bcc].map(canonicalAddress))],
    subject,
    html: input.html ?? null,
    text: input.text ?? null,
    contentBytes,
    headers,
    tags: input.tags ?? [],
    scheduledAt,
    topicId: input.topic_id?.toLowerCase() ?? null,
    template: options.template ?? null,
    attachments,
  }
}

/** A time to send at. Null if it is now, because such an email is not scheduled. */
export function parseSchedule(field: string, text: string, now: Date, timezone: string | null = null): Date {
  const time = parseScheduledAt(text, now, timezone === null ? UTC : { names: [timezone], daylight: null })
  if (isProblem(time)) throw invalid(explainProblem(field, time))
  return time
}

function mailboxes(field: string, value: string | string[] | null | undefined): Mailbox[] {
  const texts = asArray(value)
  return texts.map((text, index) => mailbox(Array.isArray(value) ? `${field}[${index}]` : field, text))
}

function mailbox(field: string, text: string): Mailbox {
  const parsed = parseMailbox(text)
  if (isProblem(parsed)) throw invalid(explainProblem(field, parsed, text))
  return parsed
}

function refuse(field: string, found: Problem | null): void {
  if (found) throw invalid(explainProblem(field, found))
}

function* draftAttachment(input: AttachmentInput, field: string, { urlProblem }: DraftOptions): Work<DraftAttachment> {
  const filename = input.filename ?? null
  const contentId = input.content_id ?? input.inline_content_id ?? null
  if (filename !== null) refuse(`${field}.filename`, checkFilename(filename))
  if (input.content_type != null) refuse(`${field}.content_type`, checkContentType(input.content_type))
  if (contentId !== null) refuse(`${field}.${input.content_id == null ? 'inline_content_id' : 'content_id'}`, checkContentId(contentId))
  const described = { filename, contentType: contentTypeOf(filename, input.content_type ?? null), contentId }
  if (input.content != null) {
    if (input.path != null) throw invalid(`The \`${field}\` field must have either \`content\` or \`path\`, not both.`)
    const bytes = yield* decodeContent(input.content)
    if (isProblem(bytes)) throw invalid(explainProblem(`${field}.content`, bytes))
    return { ...described, bytes, path: null }
  }
  if (input.path == null) throw invalid(`Missing \`${field}.content\` or \`${field}.path\` field.`)
  const found = urlProblem(input.path)
  if (found !== null) throw invalid(explainProblem(`${field}.path`, { problem: found }))
  return { ...described, bytes: null, path: input.path }
}

/** A text that is made from HTML is hardly larger than the HTML, and its length is limited. */
function* encodedContentSize({ html, text }: EmailSend): Work<number> {
  const htmlBytes = yield* encodedTextSize(html ?? '')
  return htmlBytes + (text == null ? Math.min(htmlBytes, GENERATED_TEXT_LENGTH_MAX) : yield* encodedTextSize(text))
}

function refuseTooLarge(
  { to, cc, reply_to: replyTo, subject, headers }: EmailSend & { subject: string },
  contentBytes: number,
  files: DraftAttachment[],
): void {
  const addresses = [to, cc, replyTo].flatMap(asArray).join(', ')
  const headerBytes = Object.entries(headers ?? {}).reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  const fileBytes = files.reduce((sum, { bytes }) => sum + encodedSize(bytes?.length ?? 0), 0)
  if (contentBytes + addresses.length + subject.length + headerBytes + fileBytes <= MESSAGE_BYTES_MAX) return
  throw invalid(`The email has more than ${MESSAGE_BYTES_MAX / 1024 / 1024} MB once it is encoded. Send large files as links.`)
}
