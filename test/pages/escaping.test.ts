// Whatever text is put into a page, anywhere: it is read as that text, and adds no tag and no attribute.
import type { Graph } from '../../src/lib/automations/graph.ts'
import { automationPage } from '../../src/pages/automations/automation-page.ts'
import { automationListPage } from '../../src/pages/automations/list-page.ts'
import { runPage } from '../../src/pages/automations/run-page.ts'
import { broadcastPage } from '../../src/pages/broadcasts/broadcast-page.ts'
import { draftPage } from '../../src/pages/broadcasts/draft-page.ts'
import { broadcastListPage } from '../../src/pages/broadcasts/list-page.ts'
import { clickedLinksPage, recipientsPage } from '../../src/pages/broadcasts/recipients-page.ts'
import { answerPage } from '../../src/pages/consent/answer-page.ts'
import { bouncePage, consentNotice, consentPage } from '../../src/pages/consent/consent-page.ts'
import { consentReadingOf } from '../../src/pages/consent/texts/texts.ts'
import { contactPage } from '../../src/pages/contacts/contact-page.ts'
import { editPage } from '../../src/pages/contacts/edit-page.ts'
import { erasePage } from '../../src/pages/contacts/erase-page.ts'
import { contactListPage } from '../../src/pages/contacts/list-page.ts'
import { deletePage } from '../../src/pages/domains/delete-page.ts'
import { domainPage, type RefusedForm } from '../../src/pages/domains/domain-page.ts'
import { domainListPage } from '../../src/pages/domains/list-page.ts'
import { emailPage } from '../../src/pages/emails/email-page.ts'
import { listPage } from '../../src/pages/emails/list-page.ts'
import { searchPage } from '../../src/pages/emails/search-page.ts'
import { grantListPage } from '../../src/pages/grants/list-page.ts'
import { columnsPage } from '../../src/pages/imports/columns-page.ts'
import { importPage } from '../../src/pages/imports/import-page.ts'
import { importListPage } from '../../src/pages/imports/list-page.ts'
import { metricsPage } from '../../src/pages/metrics/metrics-page.ts'
import { propertyListPage } from '../../src/pages/properties/list-page.ts'
import { propertyDeletePage, propertyPage } from '../../src/pages/properties/property-page.ts'
import { segmentDeletePage } from '../../src/pages/segments/delete-page.ts'
import { segmentEditPage } from '../../src/pages/segments/edit-page.ts'
import type { DraftGroup } from '../../src/pages/segments/filter-draft.ts'
import { segmentListPage } from '../../src/pages/segments/list-page.ts'
import { segmentPage } from '../../src/pages/segments/segment-page.ts'
import { oneTimePage, signInPage } from '../../src/pages/session/session-page.ts'
import { busyPage, errorPage, sharedEmailPage } from '../../src/pages/share/share-page.ts'
import { consolePage } from '../../src/pages/shell/console-page.ts'
import { frontPage } from '../../src/pages/shell/front-page.ts'
import { notice } from '../../src/pages/shell/notice.ts'
import { deletePage as deleteTemplatePage } from '../../src/pages/templates/delete-page.ts'
import { templateListPage } from '../../src/pages/templates/list-page.ts'
import { templatePage } from '../../src/pages/templates/template-page.ts'
import { topicListPage } from '../../src/pages/topics/list-page.ts'
import { topicDeletePage, topicPage } from '../../src/pages/topics/topic-page.ts'
import { readingOf } from '../../src/pages/unsubscribe/texts/texts.ts'
import { noticePage, oneClickPage, preferencesPage } from '../../src/pages/unsubscribe/unsubscribe-page.ts'
import { deletePage as deleteWebhookPage } from '../../src/pages/webhooks/delete-page.ts'
import { eventPage } from '../../src/pages/webhooks/event-page.ts'
import { webhookListPage } from '../../src/pages/webhooks/list-page.ts'
import { secretPage } from '../../src/pages/webhooks/secret-page.ts'
import { settingsPage } from '../../src/pages/webhooks/settings-page.ts'
import { webhookPage } from '../../src/pages/webhooks/webhook-page.ts'
import type { AutomationRow } from '../../src/repositories/automations/automations.ts'
import type { AutomationRunSummaryRow } from '../../src/repositories/automations/run-records.ts'
import type { DomainWithRecords } from '../../src/repositories/domains/domain-rows.ts'
import { UNKNOWN_ID } from '../support/builders/email-builders.ts'
import { checkPages, type Page, page } from './hostile-places.ts'

const NOW = new Date(0)
const READING = readingOf('en')
const ADDRESSES = ['a', 'b', 'c', 'd', 'e']
const WAY = { address: '/', name: 'n' }

const email = {
  id: UNKNOWN_ID,
  from: 'f',
  to: ADDRESSES,
  cc: ['c'],
  bcc: ['b'],
  replyTo: ['r'],
  subject: 's',
  fromDomain: 'example.com',
  html: 'h',
  text: 't',
  topicId: null,
  templateId: null,
  templateVersionId: null,
  tags: [{ name: 'n', value: 'v' }],
  headers: [],
  lastEvent: 'bounced',
  state: 'final',
  scheduledAt: NOW,
  createdAt: NOW,
}
const line = { ...email, states: { bounced: 1, delivered: 4 }, attachmentCount: 2 }
const attempt = {
  ...{ id: 'i', recipientId: 'r', number: 1, outcome: 'o', host: 'h', tls: 't', code: 550, enhancedCode: 'e', text: 't' },
  durationMs: 1,
  startedAt: NOW,
}
const progress = {
  lastEvent: 'bounced',
  recipients: [{ id: 'r', address: 'a', state: 'bounced', attemptCount: 1 }],
  attempts: [attempt],
  pending: [{ recipientId: 'r', dueAt: NOW, isRunning: false }],
  notifications: [{ id: 'i', type: 'email.bounced', data: { to: ['a'], detail: { bounce: { message: 'm', type: 't' } } }, createdAt: NOW }],
  told: [{ webhookId: 'w', endpoint: 'e', messageId: 'i', type: 't', createdAt: NOW }],
  now: NOW,
}
const attachment = { id: 'i', filename: 'f', contentType: 't', contentId: 'c', size: 1, blobKey: 'k' }
const topic = { id: UNKNOWN_ID, name: 'n', description: 'd', visibility: 'public', subscription: 'opt_in', isAvailable: true } as const
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
const problem = { status: 422, sentence: 's', retryAfterSeconds: undefined }
const oneDomain = { teamName: 't', now: NOW, domain, settings: form, note: 'n', sentence: 's' }
const refusedBy = (name: RefusedForm['form'], sentence: string): RefusedForm => ({ form: name, problem: ours(sentence) })
/** What our sentences quote is shown as code. */
const ours = (sentence: string) => ({ ...problem, sentence: sentence.replaceAll('`', '') })
const list = { teamName: 't', broadcasts: [{ id: 'i', name: 'n' }], now: NOW, publicUrl: 'u' }
const findings = { rows: [line], searchedMax: 1, next: { after: 'a', isBecauseOfBound: true, createdAt: NOW } }
const emailsSought = { words: 'w', state: 's', to: 't', broadcast: 'b', domain: 'd', tag: 't', since: 's', until: 'u' }
const whole = {
  teamName: 't',
  email,
  relations: {
    ...{
      apiKeyId: null,
      isHandedIn: false,
      broadcast: { id: 'i', name: 'b' },
      template: { id: 'i', name: 't' },
      contacts: [{ id: 'i', name: 'c' }],
      answers: [{ id: 'i', name: 'c' }],
    },
    ...{ run: { id: 'r', automationId: 'a', automation: 'n' }, newestRuns: null, sender: { kind: 'key' as const, id: 'k', name: 'n' } },
  },
  showsRemoteImages: false,
  source: { text: 'A: b\r\n\r\nc', isCut: true },
  attachments: [attachment],
  progress,
  ...{ sharedUrl: 'u', typed: 't', sentence: 's', note: 'n' },
}

const contact = {
  ...{ id: 'i', email: 'e', addressHash: 'h', firstName: 'f', lastName: 'l', unsubscribed: true },
  ...{ properties: { '1': 'v' }, createdAt: NOW, updatedAt: NOW },
}
const timeline = [
  { kind: 'email' as const, data: { emailId: 'e', subject: 's', state: 'delivered' } },
  { kind: 'act' as const, data: { emailId: 'e', type: 'email.clicked', detail: { click: { link: 'l' } } } },
  { kind: 'contact' as const, data: { type: 'contact.topics.updated', unsubscribed: null, topics: [{ id: 'i', subscription: 'opt_in' }] } },
  { kind: 'event' as const, data: { name: 'n' } },
  { kind: 'run' as const, data: { runId: 'r', automationId: 'a', automation: 'n', status: 's' } },
].map((entry) => ({ ...entry, id: 'i', createdAt: NOW }))
const oneContact = {
  ...{ teamName: 't', now: NOW, contact, isSuppressed: true, sentence: 's', note: 'n' },
  properties: [{ id: 'i', number: 1, key: 'k', type: 'string' as const, fallbackValue: null, createdAt: NOW }],
  segments: { rows: [{ id: 'i', name: 'n', createdAt: NOW, hasFilter: false }] },
  choices: [{ id: 'j', name: 'n' }],
  topics: [{ ...topic, chosenAt: NOW }],
  timeline: { page: { rows: timeline, hasMore: true }, after: 'a' },
}
const segment = { id: 'i', name: 'n', createdAt: NOW }
const subjects = [{ words: 'w', subjects: [{ key: 'k', words: 'w', operators: ['o'], choices: null }] }]
const draftWith = (subject: string, value: string): DraftGroup => ({
  kind: 'any',
  rules: [
    { subject, operator: 'o', value },
    { kind: 'none', rules: [{ subject: 'topic:t', operator: '', value }] },
  ],
})
const audienceBroadcasts = { rows: [{ id: 'i', name: 'n', status: 'draft' as const, statusReason: 'r' }], hasMore: true }
const topicOfTeam = {
  ...{ id: 'i', name: 'n', description: 'd', defaultSubscription: 'opt_in' as const, visibility: 'public' as const },
  ...{ createdAt: NOW, updatedAt: NOW },
}
const property = { id: 'i', number: 1, key: 'k', type: 'string' as const, fallbackValue: 'f', createdAt: NOW }
const oneProperty = {
  ...{ teamName: 't', now: NOW, property, sentence: 's' },
  uses: { segments: [{ id: 'i', name: 'n' }], broadcasts: [{ id: 'i', name: 'n' }] },
}
const topicForm = { name: 'n', description: 'd', default_subscription: 'opt_in', visibility: 'public' }

const contactImport = {
  ...{ id: 'i', reason: 'r', createdAt: NOW, completedAt: NOW },
  ...{ total: 3, created: 1, updated: 0, skipped: 0, failed: 2 },
}
const inProgress = (row: typeof contactImport) => ({ ...row, status: 'in_progress' as const })

const metrics = {
  ...{ teamName: 't', span: 'week' as const, zone: 'z', domainId: 'd', domains: [{ id: 'd', name: 'n' }], hasMoreDomains: true },
  ...{ totals: { sent: 1 }, before: { sent: 2 }, periods: [{ name: '2001-02-03', values: { sent: 1 } }] },
  byDomain: [{ name: 'n', values: { sent: 1 } }],
  otherDomains: { sent: 1 },
}

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

const template = {
  ...{ id: 'i', name: 'n', alias: 'a', currentVersionId: 'c', publishedVersionId: 'p' },
  ...{ publishedAt: NOW, createdAt: NOW, updatedAt: NOW },
}
const version = { id: 'v', from: 'f', subject: 's', replyTo: ['r'], createdAt: NOW, publishedAt: NOW }
const oneTemplate = {
  ...{
    emails: { rows: [line], hasMore: true },
    teamName: 't',
    now: NOW,
    template,
    shown: { id: 'i', from: 'f', replyTo: ['r'] },
    warnings: ['w'],
    versions: [version],
    note: 'n',
    formId: 'i',
  },
  preview: {
    place: { version: 'v', typed: { K: 't' }, remote: false },
    asked: [{ key: 'K', type: null, fallbackValue: 'f' }],
    filled: { subject: 's', html: 'h', text: 't', missing: ['m'], broken: [] },
  },
  sentence: 's',
}

/** Between the backticks of a warning are names of the API. */
const withoutCode = (warning: string): string => warning.replaceAll('`', '')

const broadcast = {
  ...{ id: 'i', name: 'n', segmentId: 's', topicId: 't', status: 'queued' as const, statusReason: 'r', endReason: 'e', ratePerHour: 1 },
  properties: null,
  ...{ createdAt: NOW, scheduledAt: NOW, sentAt: null, from: 'f', subject: 's', replyTo: ['r'], previewText: 'p', html: 'h', text: 't' },
}
const counts = {
  ...{ recipients: 2, sent: 1, delivered: 1, opened: 1, clicked: 1, bounced: 0 },
  ...{ complained: 0, unsubscribed: 0, suppressed: 0, failed: 0, canceled: 1 },
}
const oneBroadcast = {
  ...{
    broadcast,
    counts,
    teamName: 't',
    segmentName: 's',
    topicName: 't',
    warnings: ['w'],
    contact: 'c',
    to: 't',
    note: 'n',
    formId: 'i',
    sentence: 's',
  },
  preview: { subject: 's', html: 'h', text: 't', previewText: 'p', mail: { html: null, text: null, headers: {} } },
}

const automation: AutomationRow = {
  ...{ id: 'i', name: 'n', status: 'enabled', createdAt: NOW, updatedAt: NOW, class: 'bulk', reentry: 'once', maxRunsPerContact: 1 },
  ...{ versionId: 'v', stoppedAt: null, heldAt: NOW, heldContactId: 'c', graph: { steps: [], connections: [] } },
}
const summaryOfRun: AutomationRunSummaryRow = {
  ...{ id: 'i', status: 'failed', reason: 'r', contactId: 'c', startedAt: NOW, completedAt: NOW, createdAt: NOW },
}
const runCounts = { running: 1, completed: 1, failed: 1, cancelled: 1 }
const reachedStep = { status: 'waiting' as const, startedAt: NOW.toISOString(), completedAt: null, until: NOW.toISOString() }

const consent = {
  ...{ uid: 'u', name: 'n', clientId: 'c', uri: 'u', redirectUri: 'r', scope: 's', logo: 'l', team: { id: 'i', name: 'n' } },
}
const askedBy = ({ uid, name, clientId, uri, redirectUri, scope }: typeof consent) => ({
  ...{ uid, redirectUri, scopes: [scope, 'full_access'], resource: null, mustAsk: false },
  client: { clientId, name, uri, logoUri: null, isDocument: false },
})
const CONSENT_READING = consentReadingOf('en')

const PAGES: Record<string, Page> = {
  'a program that asks for access': page(consent, (view) =>
    consentPage(CONSENT_READING, { asked: askedBy(view), logo: view.logo, team: view.team }),
  ),
  'a program that asks a person who is not signed in': page(consent, (view) =>
    consentPage(CONSENT_READING, {
      asked: { ...askedBy(view), client: { ...askedBy(view).client, isDocument: true } },
      logo: null,
      team: null,
    }),
  ),
  'the way back to a request for access': page({ uid: 'u' }, ({ uid }) => bouncePage(CONSENT_READING, uid)),
  'a request for access that is gone': page({ title: 't', note: 'n' }, (view) => consentNotice(CONSENT_READING, view)),
  'a refusal': page(
    { client: 'c', path: 'p' },
    ({ client, path }) => answerPage({ acceptLanguage: 'en', isRefusal: true, client, address: `https://editor.example/${path}` }).text,
  ),
  'the grants': page({ teamName: 't', id: 'i', name: 'n', scope: 's', key: { id: 'k', name: 'n' }, after: 'a', note: 'n' }, (view) =>
    grantListPage({
      ...{ teamName: view.teamName, now: NOW, note: view.note, older: { after: view.after } },
      rows: [
        {
          ...{ id: view.id, clientId: 'c', scopes: [view.scope], resource: null, createdAt: NOW, lastUsedAt: NOW },
          ...{ revokedAt: null, revokedReason: null, client: { name: view.name, logoUri: null, clientId: 'c' } },
        },
      ],
      keys: [{ ...view.key, grantId: view.id }],
    }),
  ),
  'the automations': page({ teamName: 't', name: 'n', after: 'a' }, ({ name, ...view }) =>
    automationListPage({
      ...view,
      ...{ now: NOW, page: { rows: [{ ...automation, name }], hasMore: true }, counts: new Map([['i', runCounts]]) },
    }),
  ),
  'an automation': page(
    {
      teamName: 't',
      name: 'n',
      key: 'k',
      event: 'e',
      timeout: 't',
      field: 'f',
      reason: 'r',
      contactId: 'c',
      eventName: 'e',
      template: 't',
    },
    (view) =>
      automationPage({
        ...{ eventName: view.eventName, eventId: 'i', templates: [{ id: 'i', name: view.template }] },
        ...{ teamName: view.teamName, now: NOW, counts: runCounts, steps: [], after: null },
        automation: { ...automation, name: view.name, graph: graphWith(view) },
        runs: { rows: [{ ...summaryOfRun, reason: view.reason, contactId: view.contactId }], hasMore: false },
      }),
  ),
  'a run of an automation': page(
    { teamName: 't', name: 'n', key: 'k', event: 'e', timeout: 't', field: 'f', output: 'o', error: 'x' },
    (view) =>
      runPage({
        ...{ teamName: view.teamName, now: NOW, automation: { ...automation, name: view.name }, graph: graphWith(view) },
        run: { ...summaryOfRun, versionId: 'v', eventName: view.event, state: { at: null, steps: {} }, endedAt: null },
        steps: graphWith(view).steps.map((step) => ({
          step,
          status: 'waiting',
          reached: { ...reachedStep, output: { [view.output]: view.output }, error: view.error },
        })),
      }),
  ),
  'the broadcasts': page({ teamName: 't', page: { rows: [broadcast], hasMore: true }, after: 'a', note: 'n' }, (view) =>
    broadcastListPage({ ...view, now: NOW }),
  ),
  'a broadcast': page(oneBroadcast, ({ sentence, warnings, ...view }) =>
    broadcastPage({ ...view, now: NOW, warnings: warnings.map(withoutCode), problem: ours(sentence) }),
  ),
  'the recipients of a broadcast': page(
    {
      ...{ teamName: 't', broadcast: { id: 'i', name: 'n' }, type: 'clicked' as const, email: 'e' },
      page: {
        rows: [{ id: UNKNOWN_ID, contactId: 'c', email: 'e', count: 2, bounceType: 'b', links: [{ url: 'u', clicks: 2 }] }],
        hasMore: false,
      },
    },
    (view) =>
      recipientsPage({
        ...view,
        type: 'clicked',
        page: { ...view.page, rows: view.page.rows.map((row) => ({ ...row, id: UNKNOWN_ID })) },
        after: null,
      }),
  ),
  'the links of a broadcast': page({ teamName: 't', broadcast: { id: 'i', name: 'n' }, url: 'u' }, ({ url, ...view }) =>
    clickedLinksPage({ ...view, page: { rows: [{ id: UNKNOWN_ID, url, clicks: 2, uniqueClicks: 1 }], hasMore: false }, after: null }),
  ),
  'a draft': page(
    {
      ...{ teamName: 't', action: 'a', back: 'b', title: 't', sentence: 's' },
      segments: [{ id: 'i', name: 'n' }],
      topics: [{ id: 'i', name: 'n' }],
      form: { name: 'n', from: 'f', subject: 's', html: 'h', text: 't', reply_to: 'r', preview_text: 'p' },
      formId: 'i',
    },
    ({ sentence, ...view }) => draftPage({ ...view, problem: ours(sentence) }),
  ),
  'a broadcast without HTML': page(
    { ...oneBroadcast, preview: { ...oneBroadcast.preview, html: null } },
    ({ sentence, warnings, ...view }) => broadcastPage({ ...view, now: NOW, warnings: warnings.map(withoutCode), problem: ours(sentence) }),
  ),
  metrics: page(metrics, metricsPage),
  'the list': page({ ...list, page: { rows: [line], hasMore: true }, after: 'a' }, listPage),
  'the list without mail': page({ ...list, page: { rows: [], hasMore: false }, after: null }, listPage),
  'a search': page({ ...list, sought: emailsSought, after: 'a', findings, sentence: 's' }, ({ sentence, ...view }) =>
    searchPage({ ...view, problem: ours(sentence) }),
  ),
  'an email as HTML': page(whole, ({ sentence, ...view }) => emailPage({ ...view, view: 'html', problem: ours(sentence) })),
  'an email as text': page(whole, ({ sentence, ...view }) =>
    emailPage({ ...view, email: { ...view.email, lastEvent: 'scheduled' }, view: 'text', problem: ours(sentence) }),
  ),
  'the headers of an email': page(whole, ({ sentence, ...view }) => emailPage({ ...view, view: 'headers', problem: ours(sentence) })),
  'the source of an email': page(whole, ({ sentence, ...view }) => emailPage({ ...view, view: 'source', problem: ours(sentence) })),
  'the contacts': page(
    {
      ...{ teamName: 't', now: NOW, words: 'w', rows: [contact], searchedMax: 2, note: 'n', sentence: 's' },
      ...{ older: { after: 'a' }, newer: { before: 'b' }, form: { email: 'e', first_name: 'f', last_name: 'l' } },
    },
    ({ sentence, ...view }) => contactListPage({ ...view, problem: ours(sentence) }),
  ),
  'a contact': page(oneContact, ({ sentence, timeline: { page: shown, after }, ...view }) =>
    contactPage({ ...view, timeline: { page: shown, after, topicNames: new Map() }, problem: ours(sentence) }),
  ),
  'a contact whose filters are slow': page({ ...oneContact, segments: { sentence: 's' } }, ({ sentence, timeline: shown, ...view }) =>
    contactPage({ ...view, timeline: { ...shown, topicNames: new Map() }, problem: ours(sentence) }),
  ),
  'changing a contact': page(
    {
      ...{ teamName: 't', contact: { id: 'i', email: 'e' }, properties: oneContact.properties, sentence: 's' },
      form: { email: 'e', first_name: 'f', last_name: 'l', 'properties.k': 'v' },
    },
    ({ sentence, ...view }) => editPage({ ...view, problem: ours(sentence) }),
  ),
  'erasing a person': page({ teamName: 't', contact: { id: 'i', email: 'e' }, typed: 't', sentence: 's' }, ({ sentence, ...view }) =>
    erasePage({ ...view, problem: ours(sentence) }),
  ),
  'the segments': page(
    {
      teamName: 't',
      now: NOW,
      page: { rows: [segment], hasMore: true },
      after: 'a',
      removal: { segmentId: 'i', left: 2, isMore: true },
      note: 'n',
    },
    segmentListPage,
  ),
  'a segment': page(
    {
      ...{ teamName: 't', now: NOW, segment, subject: 's', value: 'v', groups: subjects, after: 'a', note: 'n' },
      ...{
        progress: { members: { page: { rows: [contact], hasMore: true } }, counted: { sentence: 's' } },
        before: 'b',
        broadcasts: audienceBroadcasts,
      },
    },
    ({ subject, value, groups, ...view }) => segmentPage({ ...view, filter: { draft: draftWith(subject, value), groups } }),
  ),
  'building a segment': page(
    {
      teamName: 't',
      segment: { id: 'i', hasFilter: true },
      formId: 'i',
      name: 'n',
      subject: 's',
      value: 'v',
      groups: subjects,
      sentence: 's',
    },
    ({ subject, value, sentence, ...view }) =>
      segmentEditPage({ ...view, draft: draftWith(subject, value), counted: { contacts: 1, isAll: false }, problem: ours(sentence) }),
  ),
  'deleting a segment': page({ teamName: 't', segment, sentence: 's' }, ({ sentence, ...view }) =>
    segmentDeletePage({ ...view, problem: ours(sentence) }),
  ),
  'the imports': page(
    { teamName: 't', now: NOW, page: { rows: [contactImport], hasMore: true }, after: 'a', sentence: 's' },
    ({ sentence, page: { rows, hasMore }, ...view }) =>
      importListPage({ ...view, page: { rows: rows.map(inProgress), hasMore }, bytesMax: 1, problem: ours(sentence) }),
  ),
  'choosing columns': page(
    {
      ...{
        teamName: 't',
        token: 't',
        names: ['n', 'm'],
        sentence: 's',
        form: { 'column-0': 'email', on_conflict: 'skip', new_segment: 'g' },
      },
      ...{ properties: [{ key: 'k', type: 'string' as const }], segments: [{ id: 'i', name: 'n' }] },
      formId: 'f',
    },
    ({ sentence, ...view }) => columnsPage({ ...view, problem: ours(sentence) }),
  ),
  'an import': page(
    { teamName: 't', now: NOW, found: contactImport, ignoredColumns: ['c'], refusals: [{ line: 2, reason: 'r' }] },
    ({ found, refusals, ...view }) =>
      importPage({
        ...{ ...view, found: inProgress(found), hasReport: true },
        refusals: refusals.map(({ line, reason }) => ({ line, reason: reason.replaceAll('`', '') })),
      }),
  ),
  'the topics': page(
    { teamName: 't', page: { rows: [topicOfTeam], hasMore: true }, after: 'a', form: topicForm, formId: 'i', note: 'n', sentence: 's' },
    ({ sentence, ...view }) => topicListPage({ ...view, problem: ours(sentence) }),
  ),
  'a topic': page(
    { teamName: 't', now: NOW, topic: topicOfTeam, broadcasts: audienceBroadcasts, form: topicForm, note: 'n', sentence: 's' },
    ({ sentence, ...view }) => topicPage({ ...view, problem: ours(sentence) }),
  ),
  'deleting a topic': page({ teamName: 't', topic: { id: 'i', name: 'n' }, sentence: 's' }, ({ sentence, ...view }) =>
    topicDeletePage({ ...view, problem: ours(sentence) }),
  ),
  'the properties': page(
    {
      teamName: 't',
      page: { rows: [property], hasMore: true },
      after: 'a',
      form: { key: 'k', fallback_value: 'f' },
      note: 'n',
      sentence: 's',
    },
    ({ sentence, ...view }) => propertyListPage({ ...view, problem: ours(sentence) }),
  ),
  'a property': page({ ...oneProperty, form: { fallback_value: 'f' }, note: 'n' }, ({ sentence, ...view }) =>
    propertyPage({ ...view, problem: ours(sentence) }),
  ),
  'deleting a property': page(oneProperty, ({ sentence, ...view }) => propertyDeletePage({ ...view, problem: ours(sentence) })),
  'the domains': page(
    { teamName: 't', now: NOW, page: { rows: [domain], hasMore: true }, after: 'a', form, sentence: 's', note: 'n' },
    ({ sentence, ...view }) => domainListPage({ ...view, problem: ours(sentence) }),
  ),
  'a domain': page(oneDomain, ({ sentence, ...view }) => domainPage({ ...view, refused: refusedBy('settings', sentence) })),
  'a domain that cannot be verified': page(oneDomain, ({ sentence, ...view }) =>
    domainPage({ ...view, refused: refusedBy('verify', sentence) }),
  ),
  'deleting a domain': page({ teamName: 't', domain: { id: 'i', name: 'n' } }, (view) => deletePage({ ...view, isSenderChecked: true })),
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
  'the templates': page({ teamName: 't', now: NOW, page: { rows: [template], hasMore: true }, after: 'a', note: 'n' }, templateListPage),
  'a template': page(oneTemplate, ({ sentence, preview, warnings, ...view }) =>
    templatePage({
      ...view,
      warnings: warnings.map(withoutCode),
      preview: { ...preview, place: { ...preview.place, view: 'html' }, problem: ours(sentence) },
      problem: ours(sentence),
    }),
  ),
  'a template as text': page(oneTemplate, ({ sentence: _sentence, preview, warnings: _warnings, ...view }) =>
    templatePage({
      ...view,
      warnings: [],
      preview: { ...preview, place: { ...preview.place, view: 'text' }, problem: null },
      problem: null,
    }),
  ),
  'deleting a template': page({ teamName: 't', template: { id: 'i', name: 'n' } }, deleteTemplatePage),
  'signing in': page({ problem: 'p', next: '/n' }, (view) => signInPage({ ...view, hasProvider: true })),
  'a sign-in link': page({ token: 't', teamName: 'n' }, oneTimePage),
  'an error of the console': page({ title: 't', message: 'm', teamName: 'n' }, ({ title, message, teamName }) =>
    consolePage({ title, section: null, teamName, main: notice({ title, message, way: WAY }) }),
  ),
  'an error for anyone': page({ title: 't', message: 'm' }, ({ title, message }) =>
    frontPage({ title, main: notice({ title, message, way: WAY }) }),
  ),
  'a shared email': page(email, (view) => sharedEmailPage(view, { addressOf: () => null, now: NOW })),
  'a shared text': page({ ...email, html: null }, (view) => sharedEmailPage(view, { addressOf: () => null, now: NOW })),
  'a share link that does not work': page({ message: 'm' }, ({ message }) => errorPage(message)),
  'a share link that has to wait': page({ message: 'm' }, ({ message }) => busyPage(message)),
  preferences: page({ token: 't', senderName: 's', email: 'a@example.com', unsubscribed: false, topics: [topic], isSaved: true }, (view) =>
    preferencesPage(READING, view),
  ),
  'one click': page({ token: 't', senderName: 's' }, (view) => oneClickPage(READING, { ...view, scope: 'topic' })),
  'an unsubscribe link that does not work': page({ title: 't', note: 'n' }, (view) => noticePage(READING, view)),
}

function graphWith({ key, event, timeout, field }: { key: string; event: string; timeout: string; field: string }): Graph {
  return {
    steps: [
      { key, type: 'trigger', config: { event_name: event } },
      { key: 'w', type: 'wait_for_event', config: { event_name: event, timeout } },
      { key: 'c', type: 'condition', config: { type: 'rule', field, operator: 'exists' } },
    ],
    connections: [
      { from: key, to: 'w', type: 'default' },
      { from: 'w', to: 'c', type: 'timeout' },
    ],
  }
}

checkPages(PAGES)
