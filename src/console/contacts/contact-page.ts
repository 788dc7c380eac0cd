// One contact: how it stands, its facts, what can be done, and its timeline.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { ContactRow } from '../../modules/audience/contacts/contact-rows.repository.ts'
import type { PropertyRow } from '../../modules/audience/properties/properties.repository.ts'
import type { ContactSegmentRow } from '../../modules/audience/segments/contact-segments.repository.ts'
import type { ContactTopicRow } from '../../modules/audience/topics/contact-topics.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { AUDIENCE_STYLE } from './audience-style.ts'
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
  /** The problem of any form of the page. */
  problem: FormProblem | null
  /** What was done last, in a sentence. */
  note: string
}

export function contactPage(view: ContactView): string {
  const { teamName, now, contact, properties, isSuppressed, problem, note } = view
  const path = pathOf(contact)
  return consolePage({
    title: contact.email,
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<div class="head"><p><a href="${ADDRESS}">← All contacts</a></p><p class="note" role="status">${note}</p></div>
<article class="sheet parts"><h1><bdi>${contact.email}</bdi></h1>
${problemNote(problem, [])}
<dl><dt>State</dt><dd>${subscriptionMark(contact.unsubscribed)}${isSuppressed ? html` <a href="/console/suppressions?q=${encodeURIComponent(contact.email)}">suppressed</a>: the address gets no mail` : ''}</dd>
${nameOf(contact) === '' ? '' : html`<dt>Name</dt><dd><bdi>${contact.firstName ?? ''}</bdi> <bdi>${contact.lastName ?? ''}</bdi></dd>`}
${properties.map(({ key, number }) => (contact.properties[number] === undefined ? '' : html`<dt>${key}</dt><dd dir="auto">${contact.properties[number]}</dd>`))}
<dt>Added</dt><dd>${timeElement(contact.createdAt, now)}</dd>
<dt>Id</dt><dd class="code">${contact.id}</dd></dl>
<div class="choice"><a class="button quiet" href="${path}/edit">Change</a> ${subscriptionForm(contact)}<a class="button quiet" href="${path}/export">Download all data</a> <a class="button quiet" href="${path}/erase">Erase</a></div>
</article>
${segmentSection(view)}
${topicSection(view)}
<section class="sheet" id="timeline"><h2>Timeline</h2><p><a href="/console/emails?${new URLSearchParams({ to: contact.email }).toString()}">All emails to <bdi>${contact.email}</bdi></a></p>${timelineList(view.timeline, { path, now })}</section>`,
  })
}

const subscriptionForm = (contact: ContactRow): SafeHtml =>
  contact.unsubscribed
    ? html`<form method="post" action="${pathOf(contact)}/subscribe"><button class="quiet">Subscribe again</button></form>`
    : html`<form method="post" action="${pathOf(contact)}/unsubscribe"><button class="quiet">Unsubscribe</button></form>`

function segmentSection({ contact, segments, choices }: ContactView): SafeHtml {
  const path = pathOf(contact)
  const known = 'rows' in segments ? segments.rows : []
  const others = choices.filter(({ id }) => !known.some((one) => one.id === id))
  return html`<section class="sheet"><h2>Segments</h2>
${'sentence' in segments ? html`<p>${segments.sentence}</p>` : ''}
${'rows' in segments && known.length === 0 ? html`<p class="soft">In none.</p>` : ''}
${known.length === 0 ? '' : html`<form method="post"><ul class="rows">${known.map((row) => segmentLine(path, row))}</ul></form>`}
${others.length === 0 ? '' : html`<form class="inline" method="post" action="${path}/segments"><select name="segment_id" aria-label="Segment">${others.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select> <button class="quiet">Add to this segment</button></form>`}
</section>`
}

const segmentLine = (path: string, { id, name, hasFilter }: ContactSegmentRow): SafeHtml =>
  html`<li class="line"><a href="/console/segments/${id}"><bdi>${name}</bdi></a>${
    hasFilter
      ? html`<span class="soft">by its filter</span>`
      : html`<button class="quiet" formaction="${path}/segments/${id}/remove" aria-label="Remove from ${name}">Remove</button>`
  }</li>`

const topicSection = ({ contact, topics }: ContactView): SafeHtml => html`<section class="sheet"><h2>Topics</h2>
${topics.length === 0 ? html`<p class="soft">Your team has no <a href="/console/topics">topics</a>.</p>` : html`<form method="post"><ul class="rows">${topics.map((row) => topicLine(pathOf(contact), row))}</ul></form>`}
${contact.unsubscribed && topics.length > 0 ? html`<p class="note">While the contact is unsubscribed, it gets no broadcast of any topic.</p>` : ''}</section>`

const topicLine = (path: string, { id, name, subscription, chosenAt }: ContactTopicRow): SafeHtml => {
  const other = subscription === 'opt_in' ? 'opt_out' : 'opt_in'
  return html`<li class="line"><span><bdi>${name}</bdi> <span class="soft">${SUBSCRIPTION_WORDS[subscription]}${chosenAt === null ? ' by default' : ''}</span></span>
<button class="quiet" formaction="${path}/topics/${id}" name="subscription" value="${other}" aria-label="${other === 'opt_in' ? 'Opt in to' : 'Opt out of'} ${name}">${other === 'opt_in' ? 'Opt in' : 'Opt out'}</button></li>`
}
