import { Command, InvalidArgumentError, Option } from 'commander'
import { INBOUND_VERDICTS, type InboundVerdict } from '../lib/inbound-verdicts.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import type { InboundMessageRow } from '../repositories/inbound/inbound-list.ts'
import type { Repositories } from '../repositories/repositories.ts'
import { isRecord } from '../schemas/bodies/field-tree.ts'
import { withRepositories } from './database.ts'
import { type JsonOption, jsonOption, print, printJson, printTable, say } from './output.ts'
import { moment, shortened } from './tables.ts'

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

export function feedbackCommands(): Command {
  const feedback = new Command('feedback').description('What came back about mail that was sent: list.')
  feedback
    .command('list')
    .description('Complaints that changed nothing, or other messages that came back, newest first.')
    .addOption(new Option('--verdict <verdict>', 'what was made of them').choices(INBOUND_VERDICTS).default('unmatched'))
    .addOption(new Option('--limit <messages>', 'how many at most').argParser(limitOf).default(MESSAGES_DEFAULT))
    .addOption(jsonOption())
    .addHelpText('after', WORDS)
    .action((options: ListOptions) => withRepositories((repositories) => list(repositories, options)))
  return feedback
}

async function list({ inboundList }: Repositories, { verdict, limit, json }: ListOptions): Promise<void> {
  const rows = await inboundList.listAcrossTeams(verdict, limit)
  if (json) return printJson(rows.map(toJson))
  if (rows.length === 0) return say(`No message with the verdict "${verdict}" is kept.`)
  printTable(['RECEIVED', 'TO', 'FROM', 'TYPE', 'NAMES', 'WHY', 'ID'], rows.map(toCells))
  if (rows.length === limit) print(`There may be more; --limit shows up to ${MESSAGES_MAX.toLocaleString('en-US')}.`)
}

function toCells({ id, receivedAt, rcptTo, mailFrom, peer, detail }: InboundMessageRow): string[] {
  const { feedback_type: type, message_ids: messageIds, recipients, reason } = isRecord(detail) ? detail : {}
  const names = [...textsIn(recipients), ...textsIn(messageIds)]
  const cells = [rcptTo, `${mailFrom || '<>'} at ${peer}`, textsIn([type])[0] ?? '', names.join(' ')]
  const why = shortened(textsIn([reason])[0] ?? '', REASON_LENGTH_MAX)
  return [moment(receivedAt), ...cells.map((cell) => shortened(cell, TEXT_LENGTH_MAX)), why, id]
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

function limitOf(value: string): number {
  const limit = Number(value)
  if (!Number.isInteger(limit) || limit < 1 || limit > MESSAGES_MAX)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MESSAGES_MAX.toLocaleString('en-US')}.`)
  return limit
}
