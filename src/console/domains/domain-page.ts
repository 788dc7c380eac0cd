import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { DomainWithRecords } from '../../modules/domains/domain-rows.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { fragmentVersion } from '../shell/fragments.ts'
import { settingFields } from './domain-fields.ts'
import type { DomainForm } from './domain-forms.ts'
import { domainStanding } from './domain-standing.ts'
import { DOMAIN_FILES } from './domains-style.ts'
import { recordFragments, recordSections, recordsVersion } from './record-list.ts'

/** Which form was refused, and why. */
export type RefusedForm = { form: 'verify' | 'settings'; problem: FormProblem }

export type DomainView = {
  teamName: string
  now: Date
  domain: DomainWithRecords
  /** What was typed, or the settings that the domain has. */
  settings: DomainForm
  refused: RefusedForm | null
  /** What was done last, in a sentence. */
  note: string
}

export function domainPage({ teamName, now, domain, settings, refused, note }: DomainView): string {
  const address = `/console/domains/${domain.id}`
  const problemOf = (form: RefusedForm['form']) => (refused?.form === form ? refused.problem : null)
  return consolePage({
    title: domain.name,
    section: '/console/domains',
    teamName,
    files: DOMAIN_FILES,
    main: html`<div class="head"><p><a href="/console/domains">← All domains</a></p><p class="note" role="status">${note}</p>
<div id="news" aria-live="polite"></div></div>
<article class="sheet parts">
<h1>${domain.name}</h1>
<div id="standing"${refused === null ? following(domain, now) : ''}>${domainStanding(domain, now)}</div>
${problemNote(problemOf('verify'), [])}
<form method="post" action="${address}/verify"><button>Verify now</button></form>
<dl><dt>Registered</dt><dd>${timeElement(domain.createdAt, now)}</dd><dt>Id</dt><dd class="code">${domain.id}</dd></dl>
<p><a href="/console/emails?domain=${domain.name}">Its emails</a> · <a href="/console/metrics?domain=${domain.id}">Its metrics</a></p>
</article>
${recordSections(domain, now)}
<section class="sheet" id="settings"><h2>Settings</h2>
<form class="fields" method="post" action="${address}/settings">
${problemNote(problemOf('settings'), ['tracking_subdomain'])}
${settingFields({ values: settings, problem: problemOf('settings') })}
<div><button>Save the settings</button></div>
</form></section>
<section class="sheet parts"><h2>Delete</h2>
<p>The next page says what that means, and asks first.</p>
<p><a class="button quiet" href="${address}/delete">Delete the domain …</a></p></section>`,
  })
}

/** The part that changes, for a page that shows the records of this version. Of other records, it can only say that there are some. */
export const domainFragment = (
  domain: DomainWithRecords,
  shownVersion: string,
  now: Date,
): SafeHtml => html`<div id="standing">${domainStanding(domain, now)}</div>
${shownVersion === recordsVersion(domain) ? recordFragments(domain, now) : html`<div id="news"><p class="wrong">The records of this domain have changed. <a href="/console/domains/${domain.id}">Show them</a></p></div>`}`

/** A page that shows a refused form does not follow, because reloading it would send the form again. */
function following(domain: DomainWithRecords, now: Date): SafeHtml {
  const version = recordsVersion(domain)
  return html` data-live="/console/domains/${domain.id}/progress?records=${version}" data-version="${fragmentVersion(domainFragment(domain, version, now))}"`
}
