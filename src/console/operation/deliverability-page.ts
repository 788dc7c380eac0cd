// What makes mail arrive, check by check, the worst first.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import { type DeliverabilityReport, FINDING_STATES, type Finding, type FindingState } from '../../modules/deliverability/findings.ts'
import { operatorPage } from './operator-page.ts'

export const deliverabilityPage = ({ status, note, checkedAt, findings }: DeliverabilityReport): string =>
  operatorPage({
    place: 'Deliverability',
    main: html`<div class="head"><h1>Deliverability</h1><p class="note">Checked ${timeElement(checkedAt, checkedAt)}; a check is kept for a minute.</p></div>
<p>${mark(status)}${note === null ? '' : ` ${note}`}</p>
${findings.length === 0 ? '' : html`<section class="sheet"><h2>Checks</h2><ul class="rows">${FINDING_STATES.flatMap((state) => findings.filter((finding) => finding.state === state)).map(line)}</ul></section>`}`,
  })

const line = ({ check, subject, state, found, advice }: Finding): SafeHtml =>
  html`<li>${mark(state)} <b>${check}</b> <bdi>${subject}</bdi>: ${found}${advice === null ? '' : html`<div class="soft">${advice}</div>`}</li>`

const mark = (state: FindingState): SafeHtml => html`<span class="state ${COLORS[state]}">${state}</span>`

/** The colors are shared with the states of emails. */
const COLORS: Record<FindingState, string> = {
  problem: 'failed',
  warning: 'delayed',
  unknown: 'unknown',
  ok: 'delivered',
  skipped: 'canceled',
}
