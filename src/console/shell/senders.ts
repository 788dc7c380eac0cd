// Who sent a request or an email: a key that exists, the grant of a program, or what is gone.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { Context } from '../../context.ts'
import type { ApiKeyRow } from '../../modules/accounts/api-keys.repository.ts'

/** `unnamed`: not for the role of the person who looks. */
export type Sender =
  | { kind: 'key' | 'grant' | 'person'; id: string; name: string }
  | { kind: 'gone'; id: string }
  | { kind: 'unnamed'; id: string }

/** A key without a name is called by its id, which begins with the time at which it was made: the end tells it from others. */
export const keyName = ({ id, name }: Pick<ApiKeyRow, 'id' | 'name'>): string => name || `Key …${id.slice(-8)}`

/** @param id as it is stored with what was sent. Grants have none of a key. */
export async function findSender(
  { apiKeys, oauthGrants, persons }: Pick<Context['repositories'], 'apiKeys' | 'oauthGrants' | 'persons'>,
  teamId: string,
  id: string,
): Promise<Sender> {
  const key = await apiKeys.find(teamId, id)
  if (key) return { kind: 'key', id, name: keyName(key) }
  const grant = await oauthGrants.find(teamId, id)
  if (grant) return { kind: 'grant', id, name: grant.client.name }
  const person = await persons.findAcrossTeams(id)
  return person ? { kind: 'person', id, name: person.name } : { kind: 'gone', id }
}

export function senderWords(sender: Sender): SafeHtml {
  if (sender.kind === 'gone') return html`a key that was deleted`
  if (sender.kind === 'unnamed') return html`a key, a program or a person of the team`
  if (sender.kind === 'person') return html`<bdi>${sender.name}</bdi>`
  if (sender.kind === 'grant') return html`the access of <a href="/console/grants"><bdi>${sender.name}</bdi></a>`
  return html`the key <a href="/console/api-keys/${sender.id}"><bdi>${sender.name}</bdi></a>`
}
