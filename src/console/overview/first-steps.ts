// What a new team does first. Each step ticks itself off.
import { html, type SafeHtml } from '@remix-run/html-template'
import { CONSOLE } from '../../http/pages/paths.ts'
import { copyable } from '../shell/copyable.ts'
import { formIdField } from '../shell/form-ids.ts'
import { problemNote } from '../shell/form-problem.ts'
import { FIRST_EMAIL, type OverviewView } from './overview-view.ts'

/** Nothing once all is done. */
export function firstSteps({ beginnings, first, problem }: Pick<OverviewView, 'beginnings' | 'first' | 'problem'>): SafeHtml {
  const { hasEmail, hasDomain, verifiedDomain, hasOwnKey } = beginnings
  if (hasEmail && hasOwnKey && verifiedDomain !== null) return html``
  const domainStep =
    verifiedDomain === null && hasDomain
      ? html`<a href="/console/domains">Publish its DNS records</a>. The domain is verified once they are seen.`
      : html`<a href="/console/domains">Add a domain</a> from which your mail is sent, and publish its DNS records.`
  return html`<section class="sheet parts first" aria-labelledby="first"><h2 id="first">First steps</h2>
${problemNote(problem, [])}<ol>
${step({ isDone: hasOwnKey, title: 'Make an API key for your program', more: html`<a href="/console/api-keys">Make a key</a>. It is shown once.` })}
${step({ isDone: verifiedDomain !== null, title: 'Add your domain', more: domainStep })}
${step({ isDone: hasEmail, title: 'Send a first email', more: firstEmail(first) })}
</ol></section>`
}

const step = ({ isDone, title, more }: { isDone: boolean; title: string; more: SafeHtml }): SafeHtml =>
  html`<li${isDone ? html` class="done"` : ''}><b>${title}</b>${isDone ? html` <span class="tag">done</span>` : html`<div>${more}</div>`}</li>`

const firstEmail = ({ publicUrl, to, isSimulated, from, formId }: OverviewView['first']): SafeHtml =>
  from === null
    ? html`Mail is sent from verified domains only. Add one first.`
    : html`${isSimulated ? html`<form method="post" action="${CONSOLE}/first-email">${formIdField(formId)}<button>Send it now</button></form><p>Or send it as your program will, with your key in place of <code>re_...</code>:</p>` : html`<p>Send it as your program will, with your key in place of <code>re_...</code>:</p>`}
${copyable({ id: 'request', text: requestLine({ publicUrl, to, from }), what: 'command' })}
${isSimulated ? html`<p class="note">The address ${to} only simulates a recipient.</p>` : ''}`

/** Nothing of it needs quoting in a shell: an origin, an address at a configured domain, and one at a host name. */
const requestLine = ({ publicUrl, to, from }: { publicUrl: string; to: string; from: string }): string =>
  `curl ${publicUrl}/emails -H 'Authorization: Bearer re_...' -H 'Content-Type: application/json' -d '${JSON.stringify({ from, to, ...FIRST_EMAIL })}'`
