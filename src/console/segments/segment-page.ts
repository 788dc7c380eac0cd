// One segment: how many contacts it has, how they are found, and who they are.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { ContactRow } from '../../modules/audience/contacts/contact-rows.repository.ts'
import type { BoundedCount } from '../../modules/audience/segments/segment-members.repository.ts'
import type { SegmentRow } from '../../modules/audience/segments/segments.repository.ts'
import type { AudienceBroadcastRow } from '../../modules/broadcasts/due-broadcasts.repository.ts'
import { AUDIENCE_STYLE } from '../contacts/audience-style.ts'
import { count } from '../contacts/contact-words.ts'
import { contactTable } from '../contacts/list-page.ts'
import { broadcastLines } from '../shell/broadcast-lines.ts'
import { consolePage } from '../shell/console-page.ts'
import { fragmentVersion } from '../shell/fragments.ts'
import { pager } from '../shell/pager.ts'
import type { DraftGroup } from './filter-draft.ts'
import type { SubjectGroup } from './filter-subjects.ts'
import { filterWords } from './filter-words.ts'
import { ADDRESS, pathOf } from './segment-words.ts'

/** What takes long in a large team. Null: it is still being read, and follows. */
export type SegmentProgress = {
  /** A sentence if they could not be read in time. */
  members: { page: Page<ContactRow> } | { sentence: string } | null
  counted: BoundedCount | { sentence: string } | null
}

export type SegmentView = {
  teamName: string
  now: Date
  segment: Pick<SegmentRow, 'id' | 'name' | 'createdAt'>
  /** Null if contacts are added one by one. */
  filter: { draft: DraftGroup; groups: SubjectGroup[] } | null
  progress: SegmentProgress
  broadcasts: Page<AudienceBroadcastRow>
  after: string | null
  before: string | null
  /** What was done last, in a sentence. */
  note: string
}

export function segmentPage(view: SegmentView): string {
  const { teamName, now, segment, filter, progress, broadcasts, after, before, note } = view
  const path = pathOf(segment)
  const place = new URLSearchParams({ ...(after !== null && { after }), ...(before !== null && { before }) }).toString()
  return consolePage({
    title: segment.name,
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<div class="head"><p><a href="${ADDRESS}">← All segments</a></p><p class="note" role="status">${note}</p></div>
<article class="sheet parts"><h1 dir="auto">${segment.name}</h1>
<dl><dt>Contacts</dt><dd><span id="counted" role="status">${countOf(progress, segment)}</span></dd>
<dt>Members</dt><dd>${filter === null ? 'are added one by one, or by an import' : filterWords(filter.draft, filter.groups)}</dd>
<dt>Created</dt><dd>${timeElement(segment.createdAt, now)}</dd><dt>Id</dt><dd class="code">${segment.id}</dd></dl>
<div class="choice"><a class="button quiet" href="${path}/edit">Change the segment</a> <a class="button quiet" href="${path}/delete">Delete</a></div></article>
<div id="members" data-live="${path}/progress${place === '' ? '' : `?${place}`}" data-version="${fragmentVersion(segmentFragment(view))}">${members(view)}</div>
${broadcastLines(broadcasts)}`,
  })
}

/** The parts that follow, and change while the page is open, with the ids that they have there. */
export const segmentFragment = (view: SegmentView): SafeHtml =>
  html`<span id="counted">${countOf(view.progress, view.segment)}</span><div id="members">${members(view)}</div>`

/** Without scripts nothing follows, so the page is asked for again, and waits. */
const countOf = ({ counted }: SegmentProgress, segment: SegmentView['segment']): SafeHtml =>
  counted === null
    ? html`<span class="soft">being counted …</span><noscript> <a class="button quiet" href="${pathOf(segment)}?count=yes">Count them</a></noscript>`
    : html`${countWords(counted)}`

function members({ progress, segment, filter, after, before, now }: SegmentView): SafeHtml {
  if (progress.members === null) return html`<p class="sheet">The contacts are being looked for …</p>`
  if ('sentence' in progress.members) return html`<p class="sheet">${progress.members.sentence}</p>`
  const { page } = progress.members
  return html`${page.rows.length > 0 ? contactTable(page.rows, now) : html`<p class="sheet">${nobody(filter !== null, after)}</p>`}
${pager(page, { address: pathOf(segment), after: after ?? before })}`
}

export function countWords(counted: BoundedCount | { sentence: string }): string {
  if ('sentence' in counted) return counted.sentence
  const { contacts, isAll } = counted
  if (isAll) return contacts === 1 ? '1 contact' : `${count(contacts)} contacts`
  return contacts === 0 ? 'It takes too long to count them.' : `more than ${count(contacts)} contacts`
}

function nobody(hasFilter: boolean, after: string | null): SafeHtml {
  if (after !== null) return html`There are no older contacts in this segment.`
  return hasFilter
    ? html`The filter finds no contact at the moment.`
    : html`The segment is empty. Add contacts on <a href="/console/contacts">their pages</a>, or <a href="/console/imports">import a file</a> into it.`
}
