// The DNS records of a domain, each with what to publish and what was found. Only the latter changes while the page is open, so a text that is being
// selected stays.
import { createHash } from 'node:crypto'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { DomainWithRecords } from '../../modules/domains/domain-rows.repository.ts'
import { LOCAL_RECORDS, leadToLocalhost } from '../../modules/domains/records/wanted-records.ts'
import { stateMark } from '../shell/state-marks.ts'
import { recordFindings, recordItem, type ShownRecord } from './record-item.ts'

export function recordSections(domain: DomainWithRecords, now: Date): SafeHtml {
  const shown = shownRecords(domain)
  const required = shown.filter(({ record }) => !record.isRecommended)
  const recommended = shown.filter(({ record }) => record.isRecommended)
  return html`<section class="sheet"><h2>Records to publish</h2>
<p class="note">Most providers take the name without <bdi>${domain.root}</bdi>. If yours takes the whole name, use the whole name. Leave the TTL as the provider suggests.</p>
${leadToLocalhost(domain.records) ? html`<p class="wrong">${LOCAL_RECORDS}</p>` : ''}
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
export const recordFragments = (domain: DomainWithRecords, now: Date): SafeHtml[] =>
  shownRecords(domain).map(
    (shown) =>
      html`<div id="state-${shown.index}">${stateMark(shown.record.status)}</div><div id="found-${shown.index}">${recordFindings(shown, now)}</div>`,
  )

/** Changes with what is to be published. */
export const recordsVersion = ({ records }: DomainWithRecords): string =>
  createHash('sha256')
    .update(JSON.stringify(records.map(({ kind, type, host, value, isRecommended }) => [kind, type, host, value, isRecommended])))
    .digest('base64url')
    .slice(0, 22)

const shownRecords = ({ records }: DomainWithRecords): ShownRecord[] =>
  records.map((record, index) => ({ record, index, isOneOfSeveral: records.filter(({ kind }) => kind === record.kind).length > 1 }))

const list = ({ root }: DomainWithRecords, shown: ShownRecord[], now: Date): SafeHtml =>
  html`<ul class="rows">${shown.map((one) => recordItem(one, root, now))}</ul>`
