// Finds any record of a team: a page of its own, and the part of it that the field of all pages shows below itself.
import { html, type SafeHtml } from '@remix-run/html-template'
import { contactAddress } from '../../mail/address-forms.ts'
import type { FoundRecord } from '../../modules/console/search/record-searches.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { lineText } from '../shell/line-text.ts'
import { recordAddress } from './record-links.ts'

export const SEARCH_ADDRESS = '/console/search'
/** The longest address. */
export const WORDS_LENGTH_MAX = 254

export type SearchView = { teamName: string; words: string; records: FoundRecord[]; problem: FormProblem | null }

export const searchPage = ({ teamName, words, records, problem }: SearchView): string =>
  consolePage({
    title: 'Search',
    section: null,
    teamName,
    main: html`<div class="head"><h1>Search</h1></div>
<form class="sheet choice" role="search" action="${SEARCH_ADDRESS}">
<input type="search" name="q" value="${words}" maxlength="${WORDS_LENGTH_MAX}" aria-label="Id, address, domain or name" placeholder="Id, address, domain or name" autocomplete="off" autocapitalize="off" spellcheck="false" autofocus>
<button>Search</button></form>
${problemNote(problem, [])}
${problem === null ? foundRecords({ words, records }) : ''}`,
  })

/** The records that were found, and where to look further. */
export function foundRecords({ words, records }: Pick<SearchView, 'words' | 'records'>): SafeHtml {
  if (words === '')
    return html`<p class="note">Finds an email, a contact, a domain, a broadcast and everything else by its id, its address, or a part of its name.</p>`
  const count = records.length === 1 ? '1 record found.' : `${records.length === 0 ? 'No' : records.length} records found.`
  return html`<section class="sheet parts" aria-label="Found"><p class="note" role="status">${count}</p>
${records.length === 0 ? '' : html`<ul class="rows">${records.map(item)}</ul>`}
<h2>Look further</h2><ul class="rows">${further(words).map(([address, name]) => html`<li><a href="${address}">${name}</a></li>`)}</ul></section>`
}

const item = (record: FoundRecord): SafeHtml =>
  html`<li><a href="${recordAddress(record)}"><bdi>${lineText(record.title || '(no name)')}</bdi></a> <span class="soft">${KIND_WORDS[record.type] ?? record.type}</span></li>`

/** Where the kind alone does not say it. */
const KIND_WORDS: Partial<Record<FoundRecord['type'], string>> = {
  contact_property: 'property',
  api_key: 'API key',
  received_email: 'received email',
  contact_import: 'import',
  oauth_grant: 'grant',
  automation_run: 'run of an automation',
  webhook_event: 'event of a webhook',
}

/** Emails and contacts have searches of their own, and a path can only be one of a request. */
function further(words: string): [address: string, name: string][] {
  const query = new URLSearchParams({ q: words })
  if (words.startsWith('/')) return [[`/console/logs?${new URLSearchParams({ path: words })}`, 'Requests with this path']]
  // A whole address is found among all emails, by an index.
  const isAddress = typeof contactAddress(words) === 'string'
  return [
    ...(isAddress ? [[`/console/emails?${new URLSearchParams({ to: words })}`, 'Emails to this address'] as [string, string]] : []),
    [`/console/emails?${query}`, 'Emails with this in their subject or addresses'],
    [`/console/contacts?${query}`, 'Contacts with this in their address or name'],
  ]
}
