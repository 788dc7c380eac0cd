// A template: how it stands, what it says, and its versions.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { EmailLineRow } from '../../modules/emails/email-searches.repository.ts'
import type { TemplateContent, TemplateSummaryRow, VersionSummaryRow } from '../../modules/templates/template-versions.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { formIdField } from '../shell/form-ids.ts'
import { type FormProblem, problemNote, withCode } from '../shell/form-problem.ts'
import { emailList } from './template-emails.ts'
import { type Preview, previewSection } from './template-preview.ts'
import { ADDRESS, templateAddress, templateMark } from './template-words.ts'
import { TEMPLATE_FILES } from './templates-style.ts'

export type TemplateView = {
  teamName: string
  now: Date
  template: TemplateSummaryRow
  formId: string
  /** What the shown version says about its sender. */
  shown: Pick<TemplateContent, 'from' | 'replyTo'> & { id: string }
  warnings: string[]
  preview: Preview
  /** Newest first. */
  versions: VersionSummaryRow[]
  /** The newest that were made from it. */
  emails: { rows: EmailLineRow[]; hasMore: boolean }
  /** Why it could not be duplicated. */
  problem: FormProblem | null
  /** What was done last, in a sentence. */
  note: string
}

export function templatePage(view: TemplateView): string {
  const { teamName, template, formId, warnings, preview, problem, note } = view
  const address = templateAddress(template)
  return consolePage({
    title: template.name,
    section: ADDRESS,
    teamName,
    files: TEMPLATE_FILES,
    main: html`<div class="head"><p><a href="${ADDRESS}">← All templates</a></p><p class="note" role="status">${note}</p></div>
<article class="sheet parts">
<h1 dir="auto">${template.name}</h1>
${standing(view)}
${warnings.length === 0 ? '' : html`<ul class="doubts">${warnings.map((warning) => html`<li>${withCode(warning)}</li>`)}</ul>`}
${problemNote(problem, [])}
${publishForm(template, address)}
<div class="choice"><form method="post" action="${address}/duplicate">${formIdField(formId)}<button class="quiet">Duplicate</button></form> <a class="button quiet" href="${address}/delete">Delete</a></div>
</article>
${previewSection(address, preview)}
${emailList(view.emails, view.now)}
${versionList(view, address)}`,
  })
}

const standing = ({
  template,
  shown,
  now,
}: TemplateView): SafeHtml => html`<div id="standing"><dl><dt>State</dt><dd>${templateMark(template)}</dd>
${template.alias === null ? '' : html`<dt>Alias</dt><dd class="code">${template.alias}</dd>`}
<dt>From</dt><dd><bdi>${shown.from ?? NONE}</bdi></dd>
${shown.replyTo.length === 0 ? '' : html`<dt>Replies to</dt><dd><bdi>${shown.replyTo.join(', ')}</bdi></dd>`}
${template.publishedAt === null ? '' : html`<dt>Published</dt><dd>${timeElement(template.publishedAt, now)}</dd>`}
<dt>Changed</dt><dd>${timeElement(template.updatedAt, now)}</dd>
<dt>Id</dt><dd class="code">${template.id}</dd></dl></div>`

const NONE = html`<span class="soft">none: each email needs its own</span>`

function publishForm({ currentVersionId, publishedVersionId }: TemplateSummaryRow, address: string): SafeHtml {
  if (currentVersionId === publishedVersionId) return html``
  const meaning =
    publishedVersionId === null
      ? 'It cannot be sent before.'
      : 'Emails say what the newest version says from then on. Those that were accepted before stay as they are.'
  return html`<form class="choice" method="post" action="${address}/publish"><button>Publish the newest version</button> <span class="note">${meaning}</span></form>`
}

const versionList = (view: TemplateView, address: string): SafeHtml => html`<div class="head"><h2>Versions</h2></div>
<table class="sheet list versions"><thead><tr><th scope="col">Made</th><th scope="col">State</th><td></td></tr></thead>
<tbody>${view.versions.map((version) => versionLine(version, view, address))}</tbody></table>`

function versionLine({ id, createdAt, subject }: VersionSummaryRow, { template, shown, now }: TemplateView, address: string): SafeHtml {
  const isNewest = id === template.currentVersionId
  const words = [isNewest ? 'newest' : '', id === template.publishedVersionId ? 'sent' : ''].filter((word) => word !== '').join(', ')
  const name = timeElement(createdAt, now)
  return html`<tr><th scope="row">${id === shown.id ? html`${name} <span class="tag">shown</span>` : html`<a href="${address}${isNewest ? '' : `?version=${id}`}#preview">${name}</a>`}${subject === null ? '' : html`<div class="soft" dir="auto">${subject}</div>`}</th>
<td>${words === '' ? '' : html`<span class="state ${id === template.publishedVersionId ? 'delivered' : 'canceled'}">${words}</span>`}</td>
<td>${isNewest ? '' : html`<form method="post" action="${address}/versions/${id}/restore"><button class="quiet">Restore</button></form>`}</td></tr>`
}
