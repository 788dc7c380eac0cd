import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { RecordKind } from '../../mail/record-types.ts'
import type { CheckedRecord } from '../../modules/domains/domain-rows.repository.ts'
import { MISSING_HOURS_MAX, MISSING_MS_MAX } from '../../modules/domains/records/record-states.ts'
import { relativeName, STRING_OCTETS_MAX, zoneText } from '../../modules/domains/records/wanted-records.ts'
import { copyable } from '../shell/copyable.ts'
import { stateMark } from '../shell/state-marks.ts'

/** `isOneOfSeveral`: the domain has other records of the kind, as it has while its keys are changed. */
export type ShownRecord = { record: CheckedRecord; index: number; isOneOfSeveral: boolean }

/** One DNS record: what to publish, and what was found. */
export function recordItem(shown: ShownRecord, root: string, now: Date): SafeHtml {
  const { record, index, isOneOfSeveral } = shown
  const { kind, type, host, value, priority, status } = record
  const title = titleOf(shown)
  return html`<li><div class="line"><h3>${title} <span class="tag">${type}</span></h3><div id="state-${index}">${stateMark(status)}</div></div>
<p class="note">${isOneOfSeveral ? ONE_OF_SEVERAL : WORDS[kind].purpose}</p>
<dl class="record"><dt>Name</dt><dd>${copyable({
    id: `name-${index}`,
    text: relativeName(host, root),
    what: `name of the ${title} record`,
    more: html`<span class="soft">whole name: <code>${host}</code></span>`,
  })}</dd>
<dt>Value</dt><dd>${copyable({ id: `value-${index}`, text: value, what: `value of the ${title} record` })}
${value.length > STRING_OCTETS_MAX ? zonePieces(shown) : ''}</dd>
${priority === null ? '' : html`<dt>Priority</dt><dd><code>${priority}</code></dd>`}</dl>
<div id="found-${index}">${recordFindings(shown, now)}</div></li>`
}

/** What is published in place of a record, and until when the record is looked for. */
export function recordFindings(shown: ShownRecord, now: Date): SafeHtml {
  const { found } = shown.record
  const outlook = outlookOf(shown.record, now)
  return html`${
    found.length === 0
      ? ''
      : html`<p class="soft">Found at this name instead:</p>
<div class="found" tabindex="0" role="region" aria-label="Found instead of the ${titleOf(shown)} record"><ul>${found.map((value) => html`<li><code dir="ltr">${value}</code></li>`)}</ul></div>`
  }${outlook === null ? '' : html`<p class="soft">${outlook}</p>`}`
}

function outlookOf({ status, found, missingSince }: CheckedRecord, now: Date): SafeHtml | null {
  if (status === 'failed') return html`Not found for ${MISSING_HOURS_MAX} hours.`
  if (missingSince === null) return null
  const fails = html`It fails if it is not found by ${timeElement(new Date(missingSince.getTime() + MISSING_MS_MAX), now)}.`
  if (found.length > 0) return fails
  return html`${status === 'pending' ? 'Not found yet.' : 'It was verified and is missing.'} ${fails}`
}

/** Several records of keys are told apart by their selectors. */
const titleOf = ({ record: { kind, host }, isOneOfSeveral }: ShownRecord): string =>
  isOneOfSeveral ? `${WORDS[kind].title} ${host.split('.', 1)[0]}` : WORDS[kind].title

const zonePieces = (shown: ShownRecord): SafeHtml =>
  html`<details><summary>For a zone file, in pieces of ${STRING_OCTETS_MAX} characters</summary>
${copyable({ id: `zone-${shown.index}`, text: zoneText(shown.record.host, shown.record.value), what: `${titleOf(shown)} record for a zone file` })}</details>`

const ONE_OF_SEVERAL = 'One of several keys while they are being changed. The records of all of them are needed.'

const WORDS: Record<RecordKind, { title: string; purpose: string }> = {
  ReturnPathMX: { title: 'Return path', purpose: 'Bounces return to this host.' },
  SPF: { title: 'SPF', purpose: 'Says which servers may send for the return path.' },
  DKIM: { title: 'DKIM', purpose: 'The key with which recipients check our signatures.' },
  DKIMEd25519: { title: 'DKIM Ed25519', purpose: 'A second key. Emails are signed with it as well from the moment it is seen.' },
  DMARC: { title: 'DMARC', purpose: 'Says what recipients do with emails that are not from you. A stricter policy is accepted too.' },
  Tracking: { title: 'Tracking', purpose: 'Opens and clicks are tracked through this host.' },
  TrackingCAA: { title: 'Tracking CAA', purpose: 'Lets us get a certificate for the tracking host.' },
  Receiving: { title: 'Receiving', purpose: 'Emails to the domain arrive at this host.' },
}
