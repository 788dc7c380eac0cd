// What needs someone to look at it, in one list with links.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import { dayOf, periodEnd } from '../../modules/limits/quota-periods.ts'
import { lineText } from '../shell/line-text.ts'
import type { OverviewState } from './overview-view.ts'

export function attentionList(state: OverviewState): SafeHtml {
  const items = [...ofService(state), ...ofQuotas(state), ...ofReputation(state), ...ofTeam(state)]
  return html`<section class="sheet" aria-labelledby="attention"><h2 id="attention">Needs your attention</h2>
${items.length === 0 ? html`<p class="soft">Nothing does at the moment.</p>` : html`<ul class="rows">${items.map((item) => html`<li>${item}</li>`)}</ul>`}</section>`
}

function ofService({ isDiskLow, heldSinceBackup, isRelayFailing, now }: OverviewState): SafeHtml[] {
  return [
    ...(heldSinceBackup === null
      ? []
      : [
          html`${mark('delayed', 'restored')} The service was restored from a backup of ${timeElement(heldSinceBackup, now)}. Nothing is sent until your operator resumes the queue.`,
        ]),
    ...(isDiskLow ? [html`${mark('failed', 'disk almost full')} New emails are refused until your operator makes room.`] : []),
    ...(isRelayFailing ? [html`${mark('delayed', 'relay does not answer')} Mail waits and is retried.`] : []),
  ]
}

const ofQuotas = ({ quotas, now }: OverviewState): SafeHtml[] =>
  quotas.map(({ period, limit, used, left }) => {
    const ends = timeElement(periodEnd(period, dayOf(now)), now)
    const percent = Math.min(100, Math.floor((used * 100) / limit))
    return html`${mark(left === 0 ? 'failed' : 'delayed', 'limit')} ${percent} % of the emails of ${period === 'day' ? 'today' : 'this month'} are used, of ${limit.toLocaleString('en')} addresses. ${left === 0 ? html`More are refused until ${ends}.` : html`The next ${period} begins ${ends}.`}`
  })

const ofReputation = ({ reputation }: OverviewState): SafeHtml[] =>
  reputation?.reason
    ? [html`${mark(reputation.status === 'warning' ? 'delayed' : 'failed', 'reputation')} <bdi>${reputation.reason}</bdi>`]
    : []

function ofTeam({ attention, now }: OverviewState): SafeHtml[] {
  const { domains, webhooks, broadcasts, imports, automations, disabledAutomations } = attention
  return [
    ...itemsOf(
      domains,
      'domains',
      ({ id, name, status, receivingUnprovenUntil: until }) =>
        html`${mark(status, 'domain')} ${link(`/console/domains/${id}`, name)} ${DOMAINS[status] ?? ''}${until === null || status === 'failed' ? '' : html` receives mail without a proof that it is yours, until ${timeElement(until, now)} for certain: publish its DKIM record.`}`,
    ),
    ...itemsOf(
      webhooks,
      'webhooks',
      ({ id, endpoint, disabledReason, failingSince }) =>
        html`${mark(disabledReason === null ? 'delayed' : 'failed', 'webhook')} ${link(`/console/webhooks/${id}`, endpoint ?? 'Feed only')} ${disabledReason === null ? html`has failed since ${failingSince === null ? '' : timeElement(failingSince, now)}.` : html`was disabled. <bdi>${disabledReason}</bdi>`}`,
    ),
    ...itemsOf(
      broadcasts,
      'broadcasts',
      ({ id, name, status, statusReason }) =>
        html`${mark('delayed', 'broadcast')} ${link(`/console/broadcasts/${id}`, name)} ${status === 'paused' ? 'is paused.' : 'waits.'} <bdi>${statusReason ?? ''}</bdi>`,
    ),
    ...itemsOf(
      imports,
      'imports',
      ({ id, createdAt, reason }) =>
        html`${mark('failed', 'import')} The ${link(`/console/imports/${id}`, 'import')} of ${timeElement(createdAt, now)} failed. <bdi>${reason ?? ''}</bdi>`,
    ),
    ...itemsOf(
      disabledAutomations,
      'automations',
      ({ id, name, disabledReason }) =>
        html`${mark('failed', 'automation')} ${link(`/console/automations/${id}`, name)} was disabled. <bdi>${disabledReason}</bdi>`,
    ),
    ...itemsOf(
      automations,
      'automations',
      ({ id, name, heldAt }) =>
        html`${mark('delayed', 'automation')} ${link(`/console/automations/${id}`, name)} A contact started it too often: further runs were not made, ${timeElement(heldAt, now)}.`,
    ),
  ]
}

const itemsOf = <Row>({ rows, hasMore }: Page<Row>, section: string, item: (row: Row) => SafeHtml): SafeHtml[] => [
  ...rows.map(item),
  ...(hasMore ? [html`And more: <a href="/console/${section}">all ${section}</a>.`] : []),
]

const mark = (color: string, words: string): SafeHtml => html`<span class="state ${color}">${words}</span>`

const link = (address: string, name: string): SafeHtml => html`<a class="name" href="${address}"><bdi>${lineText(name)}</bdi></a>`

const DOMAINS: Record<string, string> = {
  failed: 'is not verified: its DNS records were not found.',
  partially_failed: 'lacks some of its DNS records.',
  temporary_failure: 'lost some of its DNS records, or they could not be looked up.',
}
