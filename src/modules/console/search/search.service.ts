// One search over all that a team has: the words are an id, a Message-ID, an address, or a part of a name or a subject.
import { isId } from '../../../lib/ids.ts'
import { partOfContactAddress } from '../../../mail/address-forms.ts'
import { emailIdOf } from '../../emails/message-ids.ts'
import { rowIdOfEvent } from '../../webhooks/events/webhook-events.service.ts'
import type { ConsoleContext } from '../console.context.ts'
import type { FoundType } from './found-types.ts'
import type { FoundRecords } from './record-searches.repository.ts'

/** Without blanks and addresses within: `<1@example.com>`, or the same without the brackets. */
const MESSAGE_ID = /^<?([^\s<>@]{1,200}@[^\s<>@]{1,250})>?$/

/** @param types what the one who searches may see */
export async function findRecords(
  { repositories: { recordSearches } }: Pick<ConsoleContext, 'repositories'>,
  teamId: string,
  { words, types }: { words: string; types: readonly FoundType[] },
): Promise<FoundRecords> {
  if (words === '') return { rows: [], isComplete: true }
  const inBrackets = MESSAGE_ID.exec(words)?.[1]
  const messageId = inBrackets === undefined ? null : `<${inBrackets}>`
  // Our own Message-IDs begin with the id of the email.
  const id = isId(words) ? words.toLowerCase() : (rowIdOfEvent(words) ?? (messageId && emailIdOf(messageId)))
  if (id !== null) {
    const rows = await recordSearches.byId(teamId, id, types)
    if (rows.length > 0 || messageId === null) return { rows, isComplete: true }
  }
  return recordSearches.byName(teamId, { words, address: partOfContactAddress(words), messageId }, types)
}
