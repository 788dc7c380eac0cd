// Asks before a domain is deleted, and says what that means.
import { html } from '@remix-run/html-template'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { deleteButton } from '../shell/used-record.ts'
import { DOMAIN_FILES } from './domains-style.ts'

export type DeleteView = {
  teamName: string
  domain: { id: string; name: string }
  /** Only verified domains can send. */
  isSenderChecked: boolean
  problem: FormProblem | null
}

export const deletePage = ({ teamName, domain: { id, name }, isSenderChecked, problem }: DeleteView): string =>
  consolePage({
    title: `Delete ${name}`,
    section: '/console/domains',
    teamName,
    files: DOMAIN_FILES,
    main: html`<p><a href="/console/domains/${id}">← ${name}</a></p>
<section class="sheet parts"><h1>Delete ${name}?</h1>
${problemNote(problem, [])}
<ul>
${isSenderChecked ? WITH_CHECK : WITHOUT_CHECK}
<li>API keys that are restricted to it can send nothing.</li>
<li>Its DKIM keys are deleted. If you register it again, it gets new ones, and their DNS records have to be published.</li>
<li>Another team can verify the name.</li>
</ul>
<p>This cannot be undone.</p>
<form class="choice" method="post" action="/console/domains/${id}/delete">${deleteButton(`Delete ${name}`, problem)} <a class="button quiet" href="/console/domains/${id}">Keep it</a></form>
</section>`,
  })

const WITH_CHECK = html`<li>Emails can no longer be sent from it. Emails that are scheduled from it are canceled, and scheduled broadcasts are drafts again.</li>`
const WITHOUT_CHECK = html`<li>Emails from it are no longer signed, including those that are scheduled.</li>`
