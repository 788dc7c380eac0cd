// One broadcast: how it stands and what became of it, what can be done with it, and how a contact gets it.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { Static } from '@sinclair/typebox'
import { timeElement } from '../../http/pages/document.ts'
import { statusesFor } from '../../modules/broadcasts/broadcast-states.ts'
import type { PreviewOfBroadcast } from '../../modules/broadcasts/broadcasts.context.ts'
import type { BroadcastRow } from '../../modules/broadcasts/broadcasts.repository.ts'
import type { BroadcastCounts } from '../../modules/broadcasts/broadcasts.schema.ts'
import { percentage } from '../../modules/metrics/email-metrics.ts'
import { framed } from '../../modules/sharing/frame/email-frame.ts'
import { broadcastMark } from '../shell/broadcast-lines.ts'
import { consolePage } from '../shell/console-page.ts'
import { formIdField } from '../shell/form-ids.ts'
import { type FormProblem, PROBLEM_ID, problemNote, withCode } from '../shell/form-problem.ts'
import { fragmentVersion } from '../shell/fragments.ts'
import { ADDRESS, broadcastAddress, RECIPIENT_WORDS } from './broadcast-words.ts'
import { BROADCAST_FILES } from './broadcasts-style.ts'

export type BroadcastProgress = { broadcast: BroadcastRow; counts: Static<typeof BroadcastCounts>; now: Date }

export type BroadcastView = BroadcastProgress & {
  teamName: string
  segmentName: string | null
  topicName: string | null
  preview: PreviewOfBroadcast
  warnings: string[]
  /** As it was typed: whose values the preview has. */
  contact: string
  /** As it was typed: to whom a test goes. */
  to: string
  /** The id of the test's form. */
  formId: string
  note: string
  problem: FormProblem | null
}

export function broadcastPage(view: BroadcastView): string {
  const { broadcast, teamName, note, problem } = view
  const address = broadcastAddress(broadcast)
  return consolePage({
    title: broadcast.name,
    section: ADDRESS,
    teamName,
    files: BROADCAST_FILES,
    main: html`<div class="head"><p><a href="${ADDRESS}">← All broadcasts</a></p><p class="note" role="status">${note}</p></div>
<div id="progress" data-live="${address}/progress" data-version="${fragmentVersion(progressFragment(view))}">${progressSections(view)}</div>
${problemNote(problem, ['to'])}
${acts(view)}
${facts(view)}
${previewOf(view)}
${testForm(view)}`,
  })
}

/** What live.js asks for again. */
export const progressFragment = (progress: BroadcastProgress): SafeHtml => html`${progressSections(progress)}`

const progressSections = ({ broadcast, counts, now }: BroadcastProgress): SafeHtml => html`<article class="sheet parts" id="standing">
<h1>${broadcast.name}</h1>
<p>${broadcastMark(broadcast)} ${when(broadcast, now)}</p>
${[broadcast.statusReason, broadcast.endReason].map((reason) => (reason === null ? '' : html`<p class="wrong">${reason}</p>`))}
<dl class="funnel"><div><dt>Recipients${statusesFor('pause').includes(broadcast.status) ? ' so far' : ''}</dt><dd>${counts.recipients.toLocaleString('en')}</dd></div>${FUNNEL.map((type) => html`<div><dt><a href="${broadcastAddress(broadcast)}/recipients?type=${type}">${RECIPIENT_WORDS[type]}</a></dt><dd>${counts[type].toLocaleString('en')}</dd><dd class="soft note">${shareOf(counts, type)}</dd></div>`)}</dl>
<p><a href="${broadcastAddress(broadcast)}/links">Clicked links</a> · <a href="/console/emails?broadcast=${broadcast.id}">Its emails</a></p>
</article>`

const FUNNEL = [
  'sent',
  'delivered',
  'opened',
  'clicked',
  'unsubscribed',
  'bounced',
  'complained',
  'suppressed',
  'failed',
  'canceled',
] as const

const shareOf = (counts: Static<typeof BroadcastCounts>, key: keyof Static<typeof BroadcastCounts>): string =>
  counts.recipients === 0 ? '' : `${percentage(counts[key], counts.recipients)} %`

function when({ status, scheduledAt, sentAt }: BroadcastRow, now: Date): SafeHtml {
  if (sentAt !== null) return html`<span class="soft">${timeElement(sentAt, now)}</span>`
  return status === 'scheduled' && scheduledAt !== null ? html`<span class="soft">for ${timeElement(scheduledAt, now)}</span>` : html``
}

const ACTS = [
  ['send', 'Send it now', ''],
  ['pause', 'Pause', 'quiet'],
  ['resume', 'Resume', ''],
  ['cancel', 'Cancel the broadcast', 'danger'],
] as const

function acts({ broadcast, segmentName }: BroadcastView): SafeHtml {
  const isChangeable = statusesFor('update').includes(broadcast.status)
  const allowed = ACTS.filter(([act]) => statusesFor(act).includes(broadcast.status))
  if (allowed.length === 0) return html``
  return html`<div class="sheet acts">${isChangeable ? html`<p><a class="button quiet" href="${broadcastAddress(broadcast)}/edit">Change it</a></p>` : ''}${allowed.map(
    ([act, name, kind]) => {
      const form = html`<form method="post" action="${broadcastAddress(broadcast)}/${act}"><button class="${kind}">${name}</button></form>`
      return act === 'send' ? beforeSending(form, broadcast, segmentName) : act === 'cancel' ? beforeCanceling(form) : form
    },
  )}</div>`
}

/** Everyone has it within minutes, so one click is not enough. */
const beforeSending = (form: SafeHtml, broadcast: BroadcastRow, segmentName: string | null): SafeHtml =>
  segmentName === null
    ? html`<p class="wrong">The segment was deleted, so the broadcast has no recipients. <a href="${broadcastAddress(broadcast)}/edit">Choose another segment</a> before you send it.</p>`
    : html`<details id="send"><summary>Send …</summary>
<p>Every contact of <bdi>${segmentName}</bdi> who is subscribed gets it. What is delivered cannot be taken back. <a href="#test">Send yourself a test</a> first.</p>
${form}</details>`

const beforeCanceling = (form: SafeHtml): SafeHtml =>
  html`<details id="cancel"><summary>Cancel …</summary>
<p>Contacts who have not received it yet will not receive it. You cannot undo this. To stop it for a while, pause it.</p>
${form}</details>`

const facts = ({ broadcast, segmentName, topicName, now }: BroadcastView): SafeHtml => html`<section class="sheet"><h2>What it is</h2>
<dl><dt>From</dt><dd>${broadcast.from}</dd>
<dt>Segment</dt><dd>${segmentName === null ? 'deleted' : html`<a href="/console/segments/${broadcast.segmentId}"><bdi>${segmentName}</bdi></a>`}</dd>
${broadcast.topicId === null ? '' : html`<dt>Topic</dt><dd>${topicName === null ? 'deleted' : html`<a href="/console/topics/${broadcast.topicId}"><bdi>${topicName}</bdi></a>`}</dd>`}
${broadcast.replyTo.length === 0 ? '' : html`<dt>Reply to</dt><dd>${broadcast.replyTo.join(', ')}</dd>`}
${broadcast.ratePerHour === null ? '' : html`<dt>At most</dt><dd>${broadcast.ratePerHour.toLocaleString('en')} an hour</dd>`}
<dt>Created</dt><dd>${timeElement(broadcast.createdAt, now)}</dd>
<dt>Id</dt><dd class="code">${broadcast.id}</dd></dl></section>`

const previewOf = ({
  broadcast,
  preview,
  warnings,
  contact,
}: BroadcastView): SafeHtml => html`<section class="sheet parts" id="preview"><h2>How a contact gets it</h2>
<form class="choice" action="${broadcastAddress(broadcast)}"><input name="contact" value="${contact}" aria-label="Address or id of a contact" placeholder="ada@example.com"> <button class="quiet">Preview</button></form>
${warnings.map((warning) => html`<p class="wrong">${withCode(warning)}</p>`)}
<dl><dt>Subject</dt><dd>${preview.subject}</dd>${preview.previewText === null ? '' : html`<dt>Preview text</dt><dd>${preview.previewText}</dd>`}</dl>
${
  preview.html === null
    ? html`<pre class="prose" dir="auto" tabindex="0" role="region" aria-label="Text of the broadcast">${preview.text ?? ''}</pre>`
    : framed({
        title: 'Content of the broadcast',
        address: `${broadcastAddress(broadcast)}/html?${new URLSearchParams({ contact }).toString()}`,
      })
}</section>`

const testForm = ({
  broadcast,
  contact,
  to,
  formId,
  problem,
}: BroadcastView): SafeHtml => html`<section class="sheet" id="test"><h2>Send a test</h2>
<form class="fields" method="post" action="${broadcastAddress(broadcast)}/test">
<input type="hidden" name="contact" value="${contact}">${formIdField(formId)}
<div><label for="to">To</label><input id="to" name="to" value="${to}" required${problem === null ? '' : html` aria-describedby="${PROBLEM_ID}"`}>
<p class="note">One address, or several with commas between them. Tests are not counted.</p></div>
<div><button>Send the test</button></div></form></section>`
