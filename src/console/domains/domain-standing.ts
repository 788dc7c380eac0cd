// How a domain stands, at the top of its page: its state, what that means, and when the DNS was and will be asked.
import { html, type SafeHtml } from '@remix-run/html-template'
import { formatRelativeTime, timeElement } from '../../http/pages/document.ts'
import type { DomainWithRecords } from '../../modules/domains/domain-rows.repository.ts'
import { NAME_TAKEN } from '../../modules/domains/domains.service.ts'
import { canReceive, canSend, domainStatus, MISSING_HOURS_MAX } from '../../modules/domains/records/record-states.ts'
import { stateMark } from '../shell/state-marks.ts'

export const domainStanding = (domain: DomainWithRecords, now: Date): SafeHtml => html`<dl>
<dt>State</dt><dd>${stateMark(domain.status)}</dd>
<dt>Sending</dt><dd>${readiness(domain.sending, domain.ownsName && canSend(domain.records))}</dd>
<dt>Receiving</dt><dd>${readiness(domain.receiving, domain.ownsName && canReceive(domain.records, domain))}</dd>
<dt>Last check</dt><dd>${domain.checkedAt === null ? 'none yet' : around(domain.checkedAt, now)}</dd>
<dt>Next check</dt><dd>${nextCheck(domain, now)}</dd>
</dl>
<p>${meaningOf(domain)}</p>`

const readiness = (isEnabled: boolean, isReady: boolean): string => (isEnabled ? (isReady ? 'ready' : 'not ready') : 'disabled')

const around = (time: Date, now: Date): SafeHtml =>
  html`${timeElement(time, now)} <span class="soft">(${formatRelativeTime(time, now)})</span>`

function nextCheck({ checkDueAt }: DomainWithRecords, now: Date): SafeHtml {
  if (checkDueAt === null) return html`when you ask for it`
  return checkDueAt <= now ? html`now` : around(checkDueAt, now)
}

function meaningOf(domain: DomainWithRecords): string {
  switch (domain.status) {
    case 'not_started':
      return 'Publish the records below with the provider of your DNS. Then verify the domain.'
    case 'pending':
      return `The DNS is asked again and again until the records are found, for up to ${MISSING_HOURS_MAX} hours. This page updates itself.`
    case 'verified':
      return domain.records.some(({ status, isRecommended }) => status === 'temporary_failure' && !isRecommended)
        ? 'A record was verified and is missing. The domain works as before until the record has failed.'
        : 'The records are published. They are checked at least once a day, next at the time above.'
    case 'partially_verified':
      return 'The records of one capability are verified. Those of the other are not found yet.'
    case 'partially_failed':
      return 'The records of one capability are verified. A record of the other has failed: publish it as shown below, then verify the domain.'
    case 'failed':
      return isOfAnother(domain)
        ? canSend(domain.records)
          ? NAME_TAKEN
          : NAME_OR_HOST_TAKEN
        : `A record was not found for ${MISSING_HOURS_MAX} hours. Publish it as shown below, then verify the domain.`
  }
}

/** An MX record alone is not enough for a host of another team's domain either. */
const NAME_OR_HOST_TAKEN = 'Another team has this domain, or one whose bounces or links lead to it. Verify the domain to see which.'

/** It has failed although its records have not. */
const isOfAnother = (domain: DomainWithRecords): boolean => domainStatus(domain.records, domain) !== 'failed'
