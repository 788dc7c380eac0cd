// The DNS records of a domain, each with what to publish and what was found. Only the latter changes while the page is open, so a text that is being
// selected stays.
import { createHash } from 'node:crypto'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { RecordKind } from '../../lib/domains/domain-records.ts'
import { MISSING_HOURS_MAX } from '../../lib/domains/record-states.ts'
import { relativeName } from '../../lib/domains/wanted-records.ts'
import { STRING_OCTETS_MAX, zoneText } from '../../lib/domains/zone-text.ts'
import type { CheckedRecord, DomainWithRecords } from '../../repositories/domains/domain-rows.ts'
import { moment } from '../shell/moments.ts'
import { stateMark } from '../shell/state-marks.ts'

type Shown = { record: CheckedRecord; index: number }

export function recordSections(domain: DomainWithRecords, now: Date): SafeHtml {
  const shown = domain.records.map((record, index): Shown => ({ record, index }))
  const required = shown.filter(({ record }) => !record.isRecommended)
  const recommended = shown.filter(({ record }) => record.isRecommended)
  return html`<section class="sheet"><h2>Records to publish</h2>
<p class="note">Most providers take the name without <bdi>${domain.root}</bdi>. If yours takes the whole name, use the whole name. Leave the TTL as the provider suggests.</p>
${list(domain, required, now)}</section>
${
  recommended.length === 0
    ? ''
    : html`<section class="sheet"><h2>Recommended records</h2>
<p class="note">They improve delivery. The state of the domain does not wait for them.</p>
${list(domain, recommended, now)}</section>`
}`
}

/** The parts that change, with the ids that they have on the page. */
export const recordFragments = ({ records }: DomainWithRecords, now: Date): SafeHtml[] =>
  records.map(
    (record, index) =>
      html`<div id="state-${index}">${stateMark(record.status)}</div><div id="found-${index}">${findings({ record, index }, now)}</div>`,
  )

/** Changes with what is to be published. */
export const recordsVersion = ({ records }: DomainWithRecords): string =>
  createHash('sha256')
    .update(JSON.stringify(records.map(({ kind, type, host, value }) => [kind, type, host, value])))
    .digest('base64url')
    .slice(0, 22)

const list = (domain: DomainWithRecords, shown: Shown[], now: Date): SafeHtml =>
  html`<ul class="rows">${shown.map((one) => recordItem(domain, one, now))}</ul>`

function recordItem({ root }: DomainWithRecords, { record, index }: Shown, now: Date): SafeHtml {
  const { kind, type, host, value, priority } = record
  const { title, purpose } = WORDS[kind]
  const what = `${title} record`
  return html`<li><div class="line"><h3>${title} <span class="tag">${type}</span></h3><div id="state-${index}">${stateMark(record.status)}</div></div>
<p class="note">${purpose}</p>
<dl class="record"><dt>Name</dt><dd>${copyable({ id: `name-${index}`, text: relativeName(host, root), what: `name of the ${what}`, more: html`<span class="soft">whole name: <code>${host}</code></span>` })}</dd>
<dt>Value</dt><dd>${copyable({ id: `value-${index}`, text: value, what: `value of the ${what}` })}
${value.length > STRING_OCTETS_MAX ? zonePieces({ record, index }, what) : ''}</dd>
${priority === null ? '' : html`<dt>Priority</dt><dd><code>${priority}</code></dd>`}</dl>
<div id="found-${index}">${findings({ record, index }, now)}</div></li>`
}

const zonePieces = ({ record: { host, value }, index }: Shown, what: string): SafeHtml =>
  html`<details><summary>For a zone file, in pieces of ${STRING_OCTETS_MAX} characters</summary>
${copyable({ id: `zone-${index}`, text: zoneText(host, value), what: `${what} for a zone file` })}</details>`

type Copyable = { id: string; text: string; what: string; more?: SafeHtml }

/** The script copy.js shows the button. */
const copyable = ({ id, text, what, more = html`` }: Copyable): SafeHtml =>
  html`<div class="copyable"><div><code id="${id}">${text}</code>${more}</div> <button type="button" class="quiet copy" data-copy="${id}" data-said="The ${what} was copied." aria-label="Copy the ${what}" hidden>Copy</button></div>`

function findings({ record, index }: Shown, now: Date): SafeHtml {
  const { kind, status, found, missingSince } = record
  const deadline = missingSince === null ? null : new Date(missingSince.getTime() + MISSING_MS_MAX)
  return html`${
    found.length === 0
      ? ''
      : html`<p class="soft" id="found-label-${index}">Found at this name instead:</p>
<div class="found" tabindex="0" role="region" aria-label="Found instead of the ${WORDS[kind].title} record"><ul>${found.map((value) => html`<li><code dir="ltr">${value}</code></li>`)}</ul></div>`
  }${deadline === null ? '' : html`<p class="soft">${found.length > 0 ? '' : status === 'pending' ? 'Not found yet. ' : 'It was verified and is missing. '}It fails if it is not found by ${moment(deadline, now)}.</p>`}${status === 'failed' && found.length === 0 ? html`<p class="soft">Not found for ${MISSING_HOURS_MAX} hours.</p>` : ''}`
}

const MISSING_MS_MAX = MISSING_HOURS_MAX * 60 * 60_000

const WORDS: Record<RecordKind, { title: string; purpose: string }> = {
  ReturnPathMX: { title: 'Return path', purpose: 'Bounces return to this host.' },
  SPF: { title: 'SPF', purpose: 'Says which servers may send for the return path.' },
  DKIM: { title: 'DKIM', purpose: 'The key with which recipients check our signatures.' },
  DKIMEd25519: { title: 'DKIM Ed25519', purpose: 'A second key. Emails are signed with it as well from the moment it is seen.' },
  DMARC: { title: 'DMARC', purpose: 'Says what recipients do with emails that are not from you. A stricter policy is as good.' },
  Tracking: { title: 'Tracking', purpose: 'Opens and clicks are tracked through this host.' },
  TrackingCAA: { title: 'Tracking CAA', purpose: 'Lets us get a certificate for the tracking host.' },
  Receiving: { title: 'Receiving', purpose: 'Emails to the domain arrive at this host.' },
}
