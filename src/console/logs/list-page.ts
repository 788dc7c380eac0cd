// The API requests of a team, newest first, and the form that looks for some of them.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { LogFindings, RequestLogSummaryRow } from '../../modules/logs/logs.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, isAbout, PROBLEM_ID, problemNote } from '../shell/form-problem.ts'
import { lineText } from '../shell/line-text.ts'
import { isAnything, METHODS, type SoughtLogs, searchPath } from './log-search.ts'
import { ADDRESS, logAddress, statusMark } from './log-words.ts'
import { LOGS_STYLE } from './logs-style.ts'

export type LogListView = {
  teamName: string
  now: Date
  sought: SoughtLogs
  /** The newest keys of the team, and the one that is looked for, by their names. */
  keys: { id: string; name: string }[]
  findings: LogFindings
  /** The id after which this page begins; null if it is the first page. */
  after: string | null
  problem: FormProblem | null
}

export function logListPage({ teamName, now, sought, keys, findings, after, problem }: LogListView): string {
  return consolePage({
    title: 'Logs',
    section: ADDRESS,
    teamName,
    files: [LOGS_STYLE],
    main: html`<div class="head"><h1>Logs</h1><p class="note">The API requests of your team. Secrets in them are not kept.</p></div>
${searchForm({ sought, keys, problem })}
${problem === null ? found({ sought, findings, after, now }) : ''}`,
  })
}

type Form = Pick<LogListView, 'sought' | 'keys' | 'problem'>

const searchForm = ({ sought, keys, problem }: Form): SafeHtml => html`<form class="sheet log-search" role="search" action="${ADDRESS}">
${problemNote(problem, ['status', 'from', 'until'])}
<div class="wide"><label for="path">Path</label><input type="search" id="path" name="path" value="${sought.path}" maxlength="1024" placeholder="/emails" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="path-hint"><p class="note" id="path-hint">How it begins.</p></div>
<div><label for="method">Method</label><select id="method" name="method"><option value="">Any</option>${METHODS.map((method) => option(method, method, sought.method))}</select></div>
<div><label for="status">Status</label><input id="status" name="status" value="${sought.status}" maxlength="20" list="statuses" placeholder="4xx or 404" autocomplete="off"${wrong(problem, 'status')}>
<datalist id="statuses">${STATUSES.map((status) => html`<option value="${status}">`)}</datalist></div>
<div><label for="key">API key</label><select id="key" name="key"><option value="">Any</option>${keys.map(({ id, name }) => option(id, name, sought.key))}</select></div>
<div><label for="from">From (UTC)</label><input type="datetime-local" id="from" name="from" value="${sought.from}"${wrong(problem, 'from')}></div>
<div><label for="until">Until (UTC)</label><input type="datetime-local" id="until" name="until" value="${sought.until}"${wrong(problem, 'until')}></div>
<div class="choice wide"><button>Search</button>${isAnything(sought) ? '' : html` <a href="${ADDRESS}">Show all requests</a>`}</div>
</form>`

const STATUSES = ['2xx', '4xx', '5xx', '401', '403', '404', '409', '422', '429', '500', '503']

const wrong = (problem: FormProblem | null, name: string): SafeHtml =>
  isAbout(problem, name) ? html` aria-invalid="true" autofocus aria-describedby="${PROBLEM_ID}"` : html``

const option = (value: string, name: string, chosen: string): SafeHtml =>
  html`<option value="${value}"${value === chosen ? html` selected` : ''}>${name}</option>`

const found = ({
  sought,
  findings: { rows, next, searchedMax },
  after,
  now,
}: Pick<
  LogListView,
  'sought' | 'findings' | 'after' | 'now'
>): SafeHtml => html`${rows.length === 0 ? nothing(sought, after) : table(rows, now)}
${next?.isBecauseOfBound ? html`<p class="note">One search looks at ${searchedMax.toLocaleString('en')} requests, and this one read that many. To look further, search older ones, or choose a key, a status of 400 or more, or a time.</p>` : ''}
<nav class="pages" aria-label="Pages"><span>${after === null ? '' : html`<a href="${searchPath(sought)}">← Newest</a>`}</span>
<span>${next === null ? '' : html`<a href="${searchPath(sought, { after: next.after })}" rel="next">${next.isBecauseOfBound ? 'Search older requests →' : 'Older →'}</a>`}</span></nav>`

function nothing(sought: SoughtLogs, after: string | null): SafeHtml {
  if (after !== null) return html`<p class="sheet">No older request found.</p>`
  if (!isAnything(sought)) return html`<p class="sheet">No request found.</p>`
  return html`<section class="sheet"><h2>No requests yet</h2><p>Each request that a program of yours sends to the API appears here within a second, with both bodies.</p></section>`
}

const table = (rows: RequestLogSummaryRow[], now: Date): SafeHtml => html`<table class="sheet list logs"><thead><tr>
<th scope="col">Request</th><th scope="col">Status</th><th scope="col">Time</th>
</tr></thead><tbody>${rows.map((row) => line(row, now))}</tbody></table>`

const line = (row: RequestLogSummaryRow, now: Date): SafeHtml => html`<tr>
<th scope="row"><a href="${logAddress(row)}"><span class="method">${row.method}</span> <bdi class="code">${lineText(row.endpoint)}</bdi></a>${row.userAgent === null ? '' : html`<div class="soft agent">${lineText(row.userAgent)}</div>`}</th>
<td>${statusMark(row.responseStatus)}</td><td class="soft">${timeElement(row.createdAt, now)}</td></tr>`
