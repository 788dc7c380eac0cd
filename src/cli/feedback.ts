import { Command, InvalidArgumentError, Option } from 'commander'
import type { Config } from '../config/config.ts'
import { toTimestamp } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import { isId } from '../lib/ids.ts'
import { isRecord } from '../lib/validation/field-tree.ts'
import { INBOUND_VERDICTS, type InboundMessageRow, type InboundVerdict } from '../modules/inbound/inbound-messages.repository.ts'
import type { Repositories } from '../repositories.ts'
import { withRepositories } from './database.ts'
import { formatTime, grouped, type JsonOption, jsonOption, print, printJson, printTable, say, shortened } from './output.ts'

const MESSAGES_DEFAULT = 50
const MESSAGES_MAX = 1_000
const TEXT_LENGTH_MAX = 60
/** It says what was missing, and names an address. */
const REASON_LENGTH_MAX = 250

const WORDS = `
Verdicts:
  bounce, complaint                             its recipient was found, and it was acted upon
  delay, success, auto_reply, challenge, other  changes nothing; shown in the timeline of the email if its recipient is known
  unmatched                                     a complaint of which no recipient is known, or that does not prove who sent it
  backscatter                                   a bounce of mail that was not sent here, or too long ago
  unreadable                                    could not be read`

type ListOptions = JsonOption & { verdict: InboundVerdict; limit: number }

/** Opens a stored content by its key. */
type OpenBlob = (place: Pick<Config, 'blobFolder' | 'bucket'>, key: string) => Promise<AsyncIterable<Uint8Array>>

export function feedbackCommands(openBlob: OpenBlob): Command {
  const feedback = new Command('feedback').description('Bounces, complaints and other messages about mail that was sent: list, show.')
  feedback
    .command('list')
    .description('Complaints that changed nothing, or other messages that came back, newest first.')
    .addOption(new Option('--verdict <verdict>', 'only messages with this verdict').choices(INBOUND_VERDICTS).default('unmatched'))
    .addOption(new Option('--limit <messages>', 'how many at most').argParser(parseLimit).default(MESSAGES_DEFAULT))
    .addOption(jsonOption())
    .addHelpText('after', WORDS)
    .action((options: ListOptions) => withRepositories((repositories) => list(repositories, options)))
  feedback
    .command('show')
    .description('Show a message: its verdict, and the beginning of its raw content as long as that is kept.')
    .argument('<id>', 'as `feedback list` shows it')
    .action((id: string) => withRepositories(({ inboundList }, config) => show(inboundList, (key) => openBlob(config, key), id)))
  return feedback
}

async function list({ inboundList }: Repositories, { verdict, limit, json }: ListOptions): Promise<void> {
  const rows = await inboundList.listAcrossTeams(verdict, limit)
  if (json) return printJson(rows.map(toJson))
  if (rows.length === 0) return say(`No message with the verdict "${verdict}" is kept.`)
  printTable(['RECEIVED', 'TO', 'FROM', 'TYPE', 'NAMES', 'WHY', 'EMAIL', 'ID'], rows.map(toCells))
  if (rows.length === limit) print(`There may be more; --limit shows up to ${MESSAGES_MAX.toLocaleString('en-US')}.`)
}

function toCells({ id, receivedAt, rcptTo, mailFrom, peer, detail }: InboundMessageRow): string[] {
  const { type, why, names, emailId } = reportedFacts(detail)
  const cells = [rcptTo, `${mailFrom || '<>'} at ${peer}`, type, names.join(' ')]
  return [formatTime(receivedAt), ...cells.map((cell) => fitting(cell, TEXT_LENGTH_MAX)), fitting(why, REASON_LENGTH_MAX), emailId, id]
}

/** For a bounce: its type and subtype. For a complaint: its type and why it changed nothing. */
function reportedFacts(detail: unknown): { type: string; why: string; names: string[]; emailId: string } {
  const facts = isRecord(detail) ? detail : {}
  return {
    type: firstText(facts.feedback_type, facts.type),
    why: firstText(facts.reason, facts.sub_type),
    names: [...textsIn(facts.recipients), ...textsIn(facts.message_ids)],
    emailId: firstText(facts.email_id),
  }
}

const firstText = (...values: unknown[]): string => textsIn(values)[0] ?? ''

/** A program that reads the table gets all of a name. */
const fitting = (text: string, lengthMax: number): string => (process.stdout.isTTY ? shortened(text, lengthMax) : text)

/** A longer message is better read as a file. */
const SHOWN_BYTES_MAX = 64 * 1024

async function show(inboundList: Repositories['inboundList'], open: (key: string) => ReturnType<OpenBlob>, id: string): Promise<void> {
  const row = isId(id) ? await inboundList.findAcrossTeams(id.toLowerCase()) : null
  if (row === null) throw new Failure('notFound', `There is no message "${id}"; \`feedback list\` shows them.`)
  const { type, why, names, emailId } = reportedFacts(row.detail)
  const facts = [
    ['Received', formatTime(row.receivedAt)],
    ['Verdict', row.verdict ?? 'none yet'],
    ['Type', type],
    ['Why', why],
    ['Names', names.join(' ')],
    ['Email', emailId],
    ['Team', row.teamId ?? ''],
    ['To', row.rcptTo],
    ['From', `${row.mailFrom || '<>'} at ${row.peer}`],
  ].filter(([, value]) => value !== '')
  for (const [name = '', value = ''] of facts) print(`${name.padEnd(NAME_WIDTH)}  ${value}`)
  if (row.blobKey === null) return say('Its content is no longer kept.')
  print('')
  // Each line is indented, so that none passes for one of ours.
  const content = await readBeginning(await open(row.blobKey))
  for (const line of content.toString('utf8').split(/\r?\n/)) print(`  ${line}`)
  if (row.bytes > SHOWN_BYTES_MAX) say(`This is the beginning: the message has ${grouped(row.bytes)} bytes.`)
}

const NAME_WIDTH = 8

async function readBeginning(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of content) {
    pieces.push(piece)
    length += piece.length
    if (length >= SHOWN_BYTES_MAX) break
  }
  return Buffer.concat(pieces, Math.min(length, SHOWN_BYTES_MAX))
}

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [])

const toJson = (row: InboundMessageRow) => ({
  id: row.id,
  received_at: toTimestamp(row.receivedAt),
  verdict: row.verdict,
  purpose: row.purpose,
  mail_from: row.mailFrom,
  rcpt_to: row.rcptTo,
  peer: row.peer,
  bytes: row.bytes,
  blob: row.blobKey,
  team_id: row.teamId,
  detail: row.detail,
})

function parseLimit(value: string): number {
  const limit = Number(value)
  if (!Number.isInteger(limit) || limit < 1 || limit > MESSAGES_MAX)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MESSAGES_MAX.toLocaleString('en-US')}.`)
  return limit
}
