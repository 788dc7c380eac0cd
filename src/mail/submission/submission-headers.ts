// What the header of a message that was handed in says to us.
import addressparser from 'nodemailer/lib/addressparser'
import { Failure, invalid } from '../../lib/failure.ts'
import { IDEMPOTENCY_KEY_LENGTH_MAX } from '../../lib/idempotency-keys.ts'
import { explainProblem, isProblem } from '../../lib/problem.ts'
import { type Mailbox, parseMailbox } from '../addresses.ts'
import { decodedWords } from '../decoded-text.ts'
import { SINGLE_FIELDS } from '../single-fields.ts'
import { fieldValue, type Head, type HeadField } from './head.ts'
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
  /** The program that wrote the message. */
  userAgent: string | null
}

/** @throws Failure about the first that is wrong */
export function readSubmissionHeaders({ fields }: Head): SubmissionHeaders {
  const byName = Map.groupBy(fields, ({ name }) => name)
  refuseRepeated(byName)
  const all = (name: string) => (byName.get(name) ?? []).map(fieldValue)
  const sender = senderOf(byName.get('from')?.[0])
  return {
    from: mailboxText(sender),
    sender,
    to: all('to').flatMap(mailboxes),
    cc: all('cc').flatMap(mailboxes),
    replyTo: all('reply-to').flatMap(mailboxes),
    subject: decoded(all('subject')[0] ?? ''),
    idempotencyKey: keyOf([...all('resend-idempotency-key'), ...all('idempotency-key')]),
    tags: readTags(all('x-tags').filter(Boolean)),
    topicId: only('X-Topic-Id', all('x-topic-id')),
    scheduledAt: only('X-Scheduled-At', all('x-scheduled-at')),
    userAgent: all('x-mailer')[0] ?? all('user-agent')[0] ?? null,
  }
}

/** Large providers refuse messages that repeat one. */
function refuseRepeated(byName: ReadonlyMap<string, readonly HeadField[]>): void {
  for (const [name, header] of SINGLE)
    if ((byName.get(name)?.length ?? 0) > 1) throw invalid(`The message has more than one \`${header}\` header.`)
}

const SINGLE: ReadonlyMap<string, string> = new Map(SINGLE_FIELDS.map((header) => [header.toLowerCase(), header]))

function senderOf(from: HeadField | undefined): Mailbox {
  if (from === undefined) throw invalid('The message has no `From` header.')
  const [sender, ...more] = addressesIn(fieldValue(from))
  if (sender === undefined || more.length > 0 || sender.group !== undefined) throw invalid('The `From` header must have one address.')
  const address = sender.address ?? ''
  const name = decoded(sender.name ?? '').trim()
  const mailbox = parseMailbox(textOf({ name: name.toLowerCase() === address.toLowerCase() ? '' : name, address }))
  if (isProblem(mailbox)) throw new Failure('validation', explainProblem('From', mailbox, fieldValue(from)))
  return mailbox
}

type Parsed = ReturnType<typeof addressparser>[number]

/** What most programs write needs no parser, which takes longer than all the rest of the header. */
export function addressesIn(value: string): Parsed[] {
  const plain = PLAIN_MAILBOX.exec(value)?.groups
  return plain === undefined ? addressparser(value) : [{ name: plain.name ?? '', address: plain.named ?? plain.alone ?? '' }]
}

const PLAIN_ADDRESS = '[A-Za-z0-9]+(?:[._+-][A-Za-z0-9]+){0,9}@[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+){1,9}'
const PLAIN_MAILBOX = new RegExp(
  `^(?:(?<name>[A-Za-z0-9]+(?: [A-Za-z0-9]+){0,9}) <(?<named>${PLAIN_ADDRESS})>|(?<alone>${PLAIN_ADDRESS}))$`,
)

const flat = (parsed: Parsed): { name: string; address: string }[] =>
  parsed.group ? parsed.group.flatMap(flat) : [{ name: parsed.name ?? '', address: parsed.address ?? '' }]

/** As texts, of those that are addresses. What else stands there is sent as it came. */
const mailboxes = (value: string): string[] =>
  addressesIn(value)
    .flatMap(flat)
    .filter(({ address }) => address.includes('@'))
    .map(({ name, address }) => textOf({ name: decoded(name), address }))

const textOf = ({ name, address }: { name: string; address: string }): string =>
  name === '' ? address : `${/^[\w !#$%&'*+/=?^`{|}~-]+$/u.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`} <${address}>`

const mailboxText = ({ name, address }: Mailbox): string => textOf({ name: name ?? '', address })

const decoded = (value: string): string => decodedWords(value).replaceAll('\0', '').toWellFormed()

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
