// The pages of emails and their templates, shared emails and the metrics, with hostile text in every place.

import { emailPage } from '../../../src/console/emails/email-page.ts'
import { listPage } from '../../../src/console/emails/list-page.ts'
import { searchPage } from '../../../src/console/emails/search-page.ts'
import { metricsPage } from '../../../src/console/metrics/metrics-page.ts'
import { deletePage as deleteTemplatePage } from '../../../src/console/templates/delete-page.ts'
import { templateListPage } from '../../../src/console/templates/list-page.ts'
import { templatePage } from '../../../src/console/templates/template-page.ts'
import { containedHtml } from '../../../src/mail/html/contained-html.ts'
import { busyPage, errorPage, sharedEmailPage } from '../../../src/modules/sharing/shares.pages.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { checkPages, ours, page, withoutCode } from './hostile-places.ts'

const NOW = new Date(0)
const ADDRESSES = ['a', 'b', 'c', 'd', 'e']

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
  hasRemoteImages: true,
  source: { text: 'A: b\r\n\r\nc', isCut: true },
  attachments: [attachment],
  progress,
  ...{ sharedUrl: 'u', typed: 't', sentence: 's', note: 'n' },
}

const metrics = {
  ...{ teamName: 't', span: 'week' as const, zone: 'z', domainId: 'd', domains: [{ id: 'd', name: 'n' }], hasMoreDomains: true },
  ...{ totals: { sent: 1 }, before: { sent: 2 }, periods: [{ name: '2001-02-03', values: { sent: 1 } }] },
  byDomain: [{ name: 'n', values: { sent: 1 } }],
  otherDomains: { sent: 1 },
}

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
    hasRemoteImages: true,
  },
  sentence: 's',
}

checkPages({
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
  'deleting a template': page({ teamName: 't', template: { id: 'i', name: 'n' } }, (view) =>
    deleteTemplatePage({ ...view, problem: null }),
  ),
  'a shared email': page(email, ({ html, ...view }) =>
    sharedEmailPage({ ...view, brand: null, framed: { ...containedHtml(html, () => null), hasRemoteImages: true } }, NOW),
  ),
  'a shared text of a team with a color': page({ ...email, brand: { name: 'n' }, html: null }, ({ html: _html, brand, ...view }) =>
    sharedEmailPage({ ...view, brand: { ...brand, color: '#1d4fc4' }, framed: null }, NOW),
  ),
  'a share link that does not work': page({ message: 'm' }, ({ message }) => errorPage(message)),
  'a share link that has to wait': page({ message: 'm' }, ({ message }) => busyPage(message)),
})
