// Asks before a template is deleted, and says what that means.
import { html } from '@remix-run/html-template'
import type { TemplateSummaryRow } from '../../modules/templates/template-versions.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { deleteButton } from '../shell/used-record.ts'
import { ADDRESS, templateAddress } from './template-words.ts'
import { TEMPLATE_FILES } from './templates-style.ts'

export type DeleteView = { teamName: string; template: Pick<TemplateSummaryRow, 'id' | 'name'>; problem: FormProblem | null }

export const deletePage = ({ teamName, template, problem }: DeleteView): string =>
  consolePage({
    title: `Delete ${template.name}`,
    section: ADDRESS,
    teamName,
    files: TEMPLATE_FILES,
    main: html`<p><a href="${templateAddress(template)}" dir="auto">← ${template.name}</a></p>
<section class="sheet parts"><h1>Delete this template?</h1>
${problemNote(problem, [])}
<p dir="auto">${template.name}</p>
<ul>
<li>Programs that send it get an error from then on.</li>
<li>Its versions are gone with it.</li>
<li>Emails that were created from it stay as they are, and scheduled ones are still sent.</li>
</ul>
<p>This cannot be undone.</p>
<form class="choice" method="post" action="${templateAddress(template)}/delete">${deleteButton('Delete the template', problem)} <a class="button quiet" href="${templateAddress(template)}">Keep it</a></form>
</section>`,
  })
