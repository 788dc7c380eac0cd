// What the header of a message that was handed in says to us, and the header with which it is sent.
import libmime from 'libmime'
import addressparser from 'nodemailer/lib/addressparser'
import { Failure, invalid } from '../../lib/failure.ts'
import { IDEMPOTENCY_KEY_LENGTH_MAX } from '../../lib/idempotency-keys.ts'
import { explainProblem, isProblem } from '../../lib/problem.ts'
import { type Mailbox, parseMailbox } from '../addresses.ts'
import { fieldValue, type Head, type HeadField, sentField, writtenField } from './head.ts'
import { readTags } from './tags.ts'

export type SubmissionHeaders = {
  /** As one text, which `parseMailbox` takes. */
  from: string
  sender: Mailbox
  to: string[]
  cc: string[]
  replyTo: string[]
  subject: string
  idempotencyKey: string | null
  tags: { name: string; value: string }[]
  topicId: string | null
  scheduledAt: string | null
  /** Of the program that wrote it. */
  userAgent: string | null
}

/** Read, and not sent. */
const OURS = new Set(['resend-idempotency-key', 'idempotency-key', 'x-tags', 'x-topic-id', 'x-scheduled-at'])
/** Not sent: Bcc would tell who else gets it, the others speak for someone else than the sender, or are written on the way. */
const LEFT_OUT = new Set(['bcc', 'resent-bcc', 'sender', 'return-path', 'x-original-message-id'])

/** @throws Failure about the first that is wrong */
export function readSubmissionHeaders({ fields }: Head): SubmissionHeaders {
  const all = (...names: string[]) => fields.filter(({ name }) => names.includes(name)).map(fieldValue)
  const sender = senderOf(fields)
  return {
    from: mailboxText(sender),
    sender,
    to: all('to').flatMap(mailboxes),
    cc: all('cc').flatMap(mailboxes),
    replyTo: all('reply-to').flatMap(mailboxes),
    subject: decoded(all('subject')[0] ?? ''),
    idempotencyKey: keyOf(all('resend-idempotency-key', 'idempotency-key')),
    tags: readTags(all('x-tags').filter(Boolean)),
    topicId: only('X-Topic-Id', all('x-topic-id')),
    scheduledAt: only('X-Scheduled-At', all('x-scheduled-at')),
    userAgent: all('x-mailer', 'user-agent')[0] ?? null,
  }
}

/** The header with which it is sent, without the empty line after it. */
export function sentHead({ fields }: Head, { messageId, date, sender }: { messageId: string; date: Date; sender: Mailbox }): string {
  const lines = fields
    .filter(({ name }) => !OURS.has(name) && !LEFT_OUT.has(name))
    .map((field) => {
      // The one address that was judged is the one that readers see.
      if (field.name === 'from') return writtenField('From', { name: sender.name ?? '', address: sender.address })
      return field.name === 'message-id' ? sentField({ ...field, text: `X-Original-${field.text}` }) : sentField(field)
    })
  const has = (name: string) => fields.some((field) => field.name === name)
  return [
    `Message-ID: ${messageId}`,
    ...(has('date') ? [] : [`Date: ${date.toUTCString().replace('GMT', '+0000')}`]),
    ...(has('mime-version') || !has('content-type') ? [] : ['MIME-Version: 1.0']),
    ...lines,
  ].join('\r\n')
}

function senderOf(fields: readonly HeadField[]): Mailbox {
  const [from, ...others] = fields.filter(({ name }) => name === 'from')
  if (from === undefined) throw invalid('The message has no `From` header.')
  if (others.length > 0) throw invalid('The message has more than one `From` header.')
  const [sender, ...more] = addressparser(fieldValue(from))
  if (sender === undefined || more.length > 0 || sender.group !== undefined) throw invalid('The `From` header must have one address.')
  const address = sender.address ?? ''
  const name = decoded(sender.name ?? '').trim()
  const mailbox = parseMailbox(textOf({ name: name.toLowerCase() === address.toLowerCase() ? '' : name, address }))
  if (isProblem(mailbox)) throw new Failure('validation', explainProblem('From', mailbox, fieldValue(from)))
  return mailbox
}

type Parsed = ReturnType<typeof addressparser>[number]

const flat = (parsed: Parsed): { name: string; address: string }[] =>
  parsed.group ? parsed.group.flatMap(flat) : [{ name: parsed.name ?? '', address: parsed.address ?? '' }]

/** As texts, of those that are addresses. What else stands there is sent as it came. */
const mailboxes = (value: string): string[] =>
  addressparser(value)
    .flatMap(flat)
    .filter(({ address }) => address.includes('@'))
    .map(({ name, address }) => textOf({ name: decoded(name), address }))

const textOf = ({ name, address }: { name: string; address: string }): string =>
  name === '' ? address : `${/^[\w !#$%&'*+/=?^`{|}~-]+$/u.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`} <${address}>`

const mailboxText = ({ name, address }: Mailbox): string => textOf({ name: name ?? '', address })

function decoded(value: string): string {
  if (!value.includes('=?')) return value
  try {
    return libmime.decodeWords(value).replaceAll('\0', '').toWellFormed()
  } catch {
    return value
  }
}

function keyOf(values: string[]): string | null {
  const [key, ...others] = new Set(values)
  if (key === undefined) return null
  if (others.length > 0 || key.length === 0 || key.length > IDEMPOTENCY_KEY_LENGTH_MAX)
    throw new Failure(
      'invalidIdempotencyKey',
      `The \`Idempotency-Key\` header must be one, and have 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters.`,
    )
  return key
}

function only(name: string, values: string[]): string | null {
  if (values.length > 1) throw invalid(`The message has more than one \`${name}\` header.`)
  return values[0] ?? null
}
