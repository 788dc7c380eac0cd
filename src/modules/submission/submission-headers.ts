import addressparser from 'nodemailer/lib/addressparser'
import { IDEMPOTENCY_KEY_LENGTH_MAX } from '../../http/headers.ts'
import { Failure, invalid } from '../../lib/failure.ts'
import { explainProblem, isProblem } from '../../lib/problem.ts'
import { type Mailbox, parseMailbox } from '../../mail/addresses.ts'
import { decodedWords } from '../../mail/decoded-text.ts'
import { SINGLE_FIELDS } from '../../mail/headers.ts'
import { fieldValue, type Head, type HeadField } from '../../mail/message-head.ts'

/** A sentence about fields of POST /emails, as one about the headers that stand for them. */
export const inHeaders = (sentence: string): string =>
  sentence
    .replace(TAG, (_all, index: string, what: string) => `The ${what} of tag ${Number(index) + 1} in the \`X-Tags\` header`)
    .replace(FIELD, (_all, name: string) => `The \`${HEADERS[name] ?? name}\` ${KINDS[name] ?? 'header'}`)

const TAG = /^The `tags\[(\d+)\]\.(name|value)` field/
const FIELD = /^The `([^`]+)` field/
const HEADERS: Record<string, string> = { tags: 'X-Tags', topic_id: 'X-Topic-Id' }
/** What is no header. */
const KINDS: Record<string, string> = { filename: 'parameter', 'RCPT TO': 'command' }

// The line that each server puts on top of a message that it takes (RFC 5321, section 4.4).

export type Reception = {
  /** The name that the client gave in EHLO. */
  helo: string
  /** `ESMTPSA` over TLS, `ESMTPA` without (RFC 3848). */
  protocol: string
  /** This server. */
  host: string
}

/** Without the address of the client, which would tell recipients where the programs of a team run. So is a name that is an address, or none. */
export function receivedLine({ helo, protocol, host }: Reception, { id, date }: { id: string; date: Date }): string {
  const client = helo.length <= HELO_LENGTH_MAX && DOMAIN.test(helo) && !/^[\d.]+$/.test(helo) ? helo : 'unknown'
  return `Received: from ${client} by ${host}\r\n with ${protocol} id ${id};\r\n ${date.toUTCString().replace('GMT', '+0000')}`
}

const HELO_LENGTH_MAX = 253
const DOMAIN = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/

/**
 * The tags of `X-Tags` headers: `category=receipt; order=17`, or JSON, a list of names and values as `POST /emails` takes it or an object.
 *
 * @throws Failure if it is neither
 */
export const readTags = (values: readonly string[]): { name: string; value: string }[] =>
  values.flatMap((value) => (/^[[{]/.test(value) ? tagsOfJson(value) : tagsOfText(value)))

const tagsOfText = (value: string): { name: string; value: string }[] =>
  value
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=')
      if (at === -1) throw malformed()
      return { name: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() }
    })

function tagsOfJson(text: string): { name: string; value: string }[] {
  const json = parsed(text)
  if (!Array.isArray(json)) return Object.entries(json).map(([name, value]) => ({ name, value: tagText(value) }))
  return json.map((tag) => {
    if (tag === null || typeof tag !== 'object' || !('name' in tag) || !('value' in tag)) throw malformed()
    return { name: tagText(tag.name), value: tagText(tag.value) }
  })
}

function parsed(text: string): object {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed()
  }
}

function tagText(value: unknown): string {
  if (typeof value !== 'string') throw malformed()
  return value
}

const malformed = () => invalid('The `X-Tags` header must be `name=value; name=value`, or tags in JSON as `POST /emails` takes them.')

// What the header of a message that was submitted says to us.

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
  const sender = readSender(byName.get('from')?.[0])
  return {
    from: mailboxText(sender),
    sender,
    to: all('to').flatMap(mailboxes),
    cc: all('cc').flatMap(mailboxes),
    replyTo: all('reply-to').flatMap(mailboxes),
    subject: decoded(all('subject')[0] ?? ''),
    idempotencyKey: readIdempotencyKey([...all('resend-idempotency-key'), ...all('idempotency-key')]),
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

function readSender(from: HeadField | undefined): Mailbox {
  if (from === undefined) throw invalid('The message has no `From` header.')
  const [sender, ...more] = addressesIn(fieldValue(from))
  if (sender === undefined || more.length > 0 || sender.group !== undefined) throw invalid('The `From` header must have one address.')
  const address = sender.address ?? ''
  const name = decoded(sender.name ?? '').trim()
  const mailbox = parseMailbox(formatMailbox({ name: name.toLowerCase() === address.toLowerCase() ? '' : name, address }))
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
    .map(({ name, address }) => formatMailbox({ name: decoded(name), address }))

const formatMailbox = ({ name, address }: { name: string; address: string }): string =>
  name === '' ? address : `${/^[\w !#$%&'*+/=?^`{|}~-]+$/u.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`} <${address}>`

const mailboxText = ({ name, address }: Mailbox): string => formatMailbox({ name: name ?? '', address })

const decoded = (value: string): string => decodedWords(value).replaceAll('\0', '').toWellFormed()

function readIdempotencyKey(values: string[]): string | null {
  const [key, ...others] = new Set(values)
  if (key === undefined) return null
  if (others.length > 0 || key.length === 0 || key.length > IDEMPOTENCY_KEY_LENGTH_MAX)
    throw new Failure(
      'invalidIdempotencyKey',
      `The message must have at most one \`Idempotency-Key\` header, of 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters.`,
    )
  return key
}

function only(name: string, values: string[]): string | null {
  if (values.length > 1) throw invalid(`The message has more than one \`${name}\` header.`)
  return values[0] ?? null
}
