// The pages of domains and webhooks, with hostile text in every place.
import { deletePage } from '../../../src/console/domains/delete-page.ts'
import { domainPage, type RefusedForm } from '../../../src/console/domains/domain-page.ts'
import { domainListPage } from '../../../src/console/domains/list-page.ts'
import { deletePage as deleteWebhookPage } from '../../../src/console/webhooks/delete-page.ts'
import { eventPage } from '../../../src/console/webhooks/event-page.ts'
import { webhookListPage } from '../../../src/console/webhooks/list-page.ts'
import { secretPage } from '../../../src/console/webhooks/secret-page.ts'
import { settingsPage } from '../../../src/console/webhooks/settings-page.ts'
import { webhookPage } from '../../../src/console/webhooks/webhook-page.ts'
import type { DomainWithRecords } from '../../../src/modules/domains/domain-rows.repository.ts'
import { checkPages, ours, page } from './hostile-places.ts'

const NOW = new Date(0)

const record = { value: 'v', priority: 10, isRecommended: false, missingSince: NOW, found: ['f', 'g'] }
const domain: DomainWithRecords = {
  ...{
    id: 'i',
    name: 'n',
    root: 'r',
    region: 'us-east-1',
    tls: 'enforced',
    returnPath: 'p',
    trackingSubdomain: 't',
    trackingHost: null,
    status: 'pending',
  },
  ...{
    openTracking: true,
    clickTracking: true,
    sending: true,
    receiving: true,
    ownsName: true,
    receivingUnprovenUntil: null,
    createdAt: NOW,
    askedAt: NOW,
    checkedAt: NOW,
  },
  checkDueAt: NOW,
  keys: [],
  records: [
    { ...record, kind: 'SPF', type: 'TXT', host: 'h', status: 'pending' },
    { ...record, kind: 'DKIM', type: 'TXT', host: 'h', value: 'v'.repeat(300), status: 'temporary_failure', isRecommended: true },
  ],
}
const form = { name: 'n', custom_return_path: 'p', tracking_subdomain: 't', tls: 'enforced', sending: 'on' }
const oneDomain = { teamName: 't', now: NOW, domain, settings: form, note: 'n', sentence: 's' }
const refusedBy = (name: RefusedForm['form'], sentence: string): RefusedForm => ({ form: name, problem: ours(sentence) })

const webhook = {
  ...{ id: 'i', endpoint: 'e', events: ['email.sent' as const], status: 'disabled' as const, isOrdered: true, concurrency: 1 },
  ...{ createdAt: NOW, lastSuccessAt: NOW, lastFailureAt: NOW, failingSince: NOW, disabledReason: 'r' },
}
const oneWebhook = { teamName: 't', now: NOW, webhook, note: 'n', problem: null }
const webhookForm = { endpoint: 'e', concurrency: 'c', 'email.sent': 'on' }
const event = {
  ...{ id: 'i', type: 'email.sent' as const, subjectId: 's', isTest: false, createdAt: NOW, status: 'pending' as const },
  ...{ dueAt: NOW, heldBy: 'h', failure: 'f' },
}
const webhookAttempt = { id: 'i', outcome: 'failure' as const, httpStatus: 500, response: 'r', error: 'e', durationMs: 1, startedAt: NOW }

checkPages({
  'the domains': page(
    { teamName: 't', now: NOW, page: { rows: [domain], hasMore: true }, after: 'a', form, sentence: 's', note: 'n' },
    ({ sentence, ...view }) => domainListPage({ ...view, problem: ours(sentence) }),
  ),
  'a domain': page(oneDomain, ({ sentence, ...view }) => domainPage({ ...view, refused: refusedBy('settings', sentence) })),
  'a domain that cannot be verified': page(oneDomain, ({ sentence, ...view }) =>
    domainPage({ ...view, refused: refusedBy('verify', sentence) }),
  ),
  'deleting a domain': page({ teamName: 't', domain: { id: 'i', name: 'n' } }, (view) =>
    deletePage({ ...view, isSenderChecked: true, problem: null }),
  ),
  'the webhooks': page(
    { teamName: 't', now: NOW, rows: [webhook], form: webhookForm, formId: 'i', sentence: 's', note: 'n' },
    ({ sentence, ...view }) => webhookListPage({ ...view, problem: ours(sentence) }),
  ),
  'a webhook': page(
    { ...oneWebhook, status: 'failed' as const, page: { rows: [event], hasMore: true }, after: 'a', formId: 'i', sentence: 's' },
    ({ sentence, ...view }) => webhookPage({ ...view, refused: { form: 'test', problem: ours(sentence) } }),
  ),
  'the settings of a webhook': page({ ...oneWebhook, form: webhookForm, sentence: 's' }, ({ sentence, ...view }) =>
    settingsPage({ ...view, refusal: ours(sentence) }),
  ),
  'the secret of a webhook': page({ ...oneWebhook, secret: 's', oldUntil: NOW }, secretPage),
  'an event of a webhook': page(
    {
      ...{ teamName: 't', now: NOW, webhook, event, attempts: { rows: [webhookAttempt], hasMore: true } },
      ...{ payload: { type: 't', data: { name: 'n' } }, note: 'n', sentence: 's' },
    },
    ({ sentence, ...view }) => eventPage({ ...view, problem: ours(sentence) }),
  ),
  'deleting a webhook': page({ teamName: 't', webhook: { id: 'i', endpoint: 'e' } }, deleteWebhookPage),
})
