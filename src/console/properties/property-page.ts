// One contact property: its fallback, which can be changed, what uses it, and deleting it.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { PropertyRow } from '../../modules/audience/properties/properties.repository.ts'
import { AUDIENCE_STYLE } from '../contacts/audience-style.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { fallbackField } from './list-page.ts'
import type { PropertyForm } from './property-forms.ts'
import { ADDRESS, pathOf, placeholderOf, TYPE_WORDS } from './property-words.ts'

type Named = { id: string; name: string }

export type PropertyView = {
  teamName: string
  now: Date
  property: PropertyRow
  /** Some of those that use it. Broadcasts: only such as are not sent yet. */
  uses: { segments: Named[]; broadcasts: Named[] }
  form: PropertyForm
  problem: FormProblem | null
  note: string
}

export const propertyPage = ({ teamName, now, property, uses, form, problem, note }: PropertyView): string =>
  consolePage({
    title: property.key,
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<div class="head"><p><a href="${ADDRESS}">← All properties</a></p><p class="note" role="status">${note}</p></div>
<section class="sheet parts"><h1>${property.key}</h1>
<dl><dt>Type</dt><dd>${TYPE_WORDS[property.type]}</dd><dt>In broadcasts</dt><dd class="code">${placeholderOf(property)}</dd><dt>Created</dt><dd>${timeElement(property.createdAt, now)}</dd><dt>Id</dt><dd class="code">${property.id}</dd></dl>
<form class="fields" method="post" action="${pathOf(property)}">
${problemNote(problem, ['fallback_value'])}
${fallbackField(form, problem)}
<div class="choice"><button>Save the fallback</button> <a class="button quiet" href="${pathOf(property)}/delete">Delete</a></div></form></section>
${usesOf(uses)}`,
  })

const usesOf = ({ segments, broadcasts }: PropertyView['uses']): SafeHtml =>
  segments.length + broadcasts.length === 0
    ? html``
    : html`<section class="sheet"><h2>Used by</h2>${list('segments', segments)}${list('broadcasts', broadcasts)}</section>`

const WORDS = { segments: 'the filter of the segment', broadcasts: 'the broadcast' }

const list = (kind: keyof typeof WORDS, records: Named[]): SafeHtml =>
  html`<ul class="rows">${records.map(({ id, name }) => html`<li>${WORDS[kind]} <a href="/console/${kind}/${id}"><bdi>${name}</bdi></a></li>`)}</ul>`

/** Asks before a property is deleted, and says what that means. */
export const propertyDeletePage = ({ teamName, property, uses, problem }: Omit<PropertyView, 'form' | 'note' | 'now'>): string =>
  consolePage({
    title: `Delete ${property.key}`,
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<p><a href="${pathOf(property)}">← ${property.key}</a></p>
<section class="sheet parts"><h1>Delete the property ${property.key}?</h1>
${problemNote(problem, [])}
<ul><li>Its value in every contact is deleted.</li>
<li>A broadcast that names it cannot be sent.</li>
${uses.segments.length > 0 ? html`<li>It cannot be deleted while the filter of a segment uses it.</li>` : ''}</ul>
<p>This cannot be undone.</p>
<form class="choice" method="post" action="${pathOf(property)}/delete"><button class="danger">Delete the property</button> <a class="button quiet" href="${pathOf(property)}">Keep it</a></form>
</section>
${usesOf(uses)}`,
  })
