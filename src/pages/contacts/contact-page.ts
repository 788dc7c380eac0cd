// One contact: how it stands, its facts, what can be done, and its timeline.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { PropertyRow } from '../../repositories/contacts/contact-properties.ts'
import type { ContactRow } from '../../repositories/contacts/contact-rows.ts'
import type { ContactSegmentRow } from '../../repositories/segments/contact-segments.ts'
import type { ContactTopicRow } from '../../repositories/topics/contact-topics.ts'
import { CONTACT_NAME_LENGTH_MAX } from '../../schemas/contacts.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, isAbout, PROBLEM_ID, problemNote } from '../shell/form-problem.ts'
import { moment } from '../shell/moments.ts'
import { AUDIENCE_STYLE } from './audience-style.ts'
import { type ContactForm, propertyField } from './contact-forms.ts'
import { ADDRESS, nameOf, pathOf, SUBSCRIPTION_WORDS, subscriptionMark } from './contact-words.ts'
import { type Timeline, timelineList } from './timeline-list.ts'

export type ContactView = {
  teamName: string
  now: Date
  contact: ContactRow
  properties: PropertyRow[]
  /** The segments that it is in; a sentence if their filters take too long. */
  segments: { rows: ContactSegmentRow[] } | { sentence: string }
  /** Segments to which it can be added. */
  choices: { id: string; name: string }[]
  topics: ContactTopicRow[]
  isSuppressed: boolean
  timeline: Timeline
  /** What stands in the form. */
  form: ContactForm
  /** The problem of any form of the page. */
  problem: FormProblem | null
  /** What was done last, in a sentence. */
  note: string
}

export function contactPage(view: ContactView): string {
  const { teamName, now, contact, properties, isSuppressed, form, problem, note } = view
  const path = pathOf(contact)
  const fields = ['email', 'first_name', 'last_name', ...properties.map(({ key }) => propertyField(key))]
  return consolePage({
    title: contact.email,
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<div class="head"><p><a href="${ADDRESS}">← All contacts</a></p><p class="note" role="status">${note}</p></div>
<article class="sheet parts"><h1><bdi>${contact.email}</bdi></h1>
${problemNote(problem, fields)}
<dl><dt>State</dt><dd>${subscriptionMark(contact.unsubscribed)}${isSuppressed ? html` <a href="/console/suppressions?q=${encodeURIComponent(contact.email)}">suppressed</a>: the address gets no mail` : ''}</dd>
${nameOf(contact) === '' ? '' : html`<dt>Name</dt><dd><bdi>${contact.firstName ?? ''}</bdi> <bdi>${contact.lastName ?? ''}</bdi></dd>`}
${properties.map(({ key, number }) => (contact.properties[number] === undefined ? '' : html`<dt>${key}</dt><dd dir="auto">${contact.properties[number]}</dd>`))}
<dt>Added</dt><dd>${moment(contact.createdAt, now)}</dd>
<dt>Id</dt><dd class="code">${contact.id}</dd></dl>
<div class="choice">${subscriptionForm(contact)}<a class="button quiet" href="${path}/export">Download all data</a> <a class="button quiet" href="${path}/erase">Erase</a></div>
</article>
<details class="sheet" id="edit"${fields.some((name) => isAbout(problem, name)) ? html` open` : ''}><summary><h2>Change the contact</h2></summary>
<form class="fields" method="post" action="${path}">
${field({ name: 'email', label: 'Address', hint: 'Unsubscribe links in emails that were sent before still apply to the former address.' }, { form, problem })}
<div class="pair">${field({ name: 'first_name', label: 'First name' }, { form, problem })}${field({ name: 'last_name', label: 'Last name' }, { form, problem })}</div>
${properties.map(({ key, type }) => field({ name: propertyField(key), label: key, hint: type === 'number' ? 'A number.' : '' }, { form, problem }))}
<div><button>Save the contact</button></div></form></details>
${segmentSection(view)}
${topicSection(view)}
<section class="sheet" id="timeline"><h2>Timeline</h2><p><a href="/console/emails?${new URLSearchParams({ to: contact.email }).toString()}">All emails to <bdi>${contact.email}</bdi></a></p>${timelineList(view.timeline, { path, now })}</section>`,
  })
}

const subscriptionForm = (contact: ContactRow): SafeHtml =>
  contact.unsubscribed
    ? html`<form method="post" action="${pathOf(contact)}/subscribe"><button class="quiet">Subscribe again</button></form>`
    : html`<form method="post" action="${pathOf(contact)}/unsubscribe"><button class="quiet">Unsubscribe</button></form>`

/** More than is valid, so that the sentence about a long one is that of the API. */
const TYPED_LENGTH_MAX = 4 * CONTACT_NAME_LENGTH_MAX

type Field = { name: string; label: string; hint?: string }

function field({ name, label, hint = '' }: Field, { form, problem }: { form: ContactForm; problem: FormProblem | null }): SafeHtml {
  const wrong = isAbout(problem, name) ? html` aria-invalid="true" aria-describedby="${PROBLEM_ID}" autofocus` : ''
  return html`<div><label for="${name}">${label}</label><input type="text" id="${name}" name="${name}" value="${form[name] ?? ''}" maxlength="${TYPED_LENGTH_MAX}" autocomplete="off"${wrong}>
${hint === '' ? '' : html`<p class="note">${hint}</p>`}</div>`
}

function segmentSection({ contact, segments, choices }: ContactView): SafeHtml {
  const path = pathOf(contact)
  const known = 'rows' in segments ? segments.rows : []
  const others = choices.filter(({ id }) => !known.some((one) => one.id === id))
  return html`<section class="sheet"><h2>Segments</h2>
${'sentence' in segments ? html`<p>${segments.sentence}</p>` : ''}
${'rows' in segments && known.length === 0 ? html`<p class="soft">In none.</p>` : ''}
${known.length === 0 ? '' : html`<ul class="rows">${known.map((row) => segmentLine(path, row))}</ul>`}
${others.length === 0 ? '' : html`<form class="inline" method="post" action="${path}/segments"><select name="segment_id" aria-label="Segment">${others.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select> <button class="quiet">Add to this segment</button></form>`}
</section>`
}

const segmentLine = (path: string, { id, name, hasFilter }: ContactSegmentRow): SafeHtml =>
  html`<li class="line"><a href="/console/segments/${id}"><bdi>${name}</bdi></a>${
    hasFilter
      ? html`<span class="soft">by its filter</span>`
      : html`<form method="post" action="${path}/segments/${id}/remove"><button class="quiet" aria-label="Remove from ${name}">Remove</button></form>`
  }</li>`

const topicSection = ({ contact, topics }: ContactView): SafeHtml => html`<section class="sheet"><h2>Topics</h2>
${topics.length === 0 ? html`<p class="soft">Your team has no <a href="/console/topics">topics</a>.</p>` : html`<ul class="rows">${topics.map((row) => topicLine(pathOf(contact), row))}</ul>`}
${contact.unsubscribed && topics.length > 0 ? html`<p class="note">While the contact is unsubscribed, it gets no broadcast of any topic.</p>` : ''}</section>`

const topicLine = (path: string, { id, name, subscription, chosenAt }: ContactTopicRow): SafeHtml => {
  const other = subscription === 'opt_in' ? 'opt_out' : 'opt_in'
  return html`<li class="line"><span><bdi>${name}</bdi> <span class="soft">${SUBSCRIPTION_WORDS[subscription]}${chosenAt === null ? ' by default' : ''}</span></span>
<form method="post" action="${path}/topics/${id}"><input type="hidden" name="subscription" value="${other}"><button class="quiet" aria-label="${other === 'opt_in' ? 'Opt in to' : 'Opt out of'} ${name}">${other === 'opt_in' ? 'Opt in' : 'Opt out'}</button></form></li>`
}
