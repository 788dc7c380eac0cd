// The pages of contacts and of what sorts them, and those on which they choose, with hostile text in every place.
import { contactPage } from '../../../src/console/contacts/contact-page.ts'
import { editPage } from '../../../src/console/contacts/edit-page.ts'
import { erasePage } from '../../../src/console/contacts/erase-page.ts'
import { contactListPage } from '../../../src/console/contacts/list-page.ts'
import { columnsPage } from '../../../src/console/imports/columns-page.ts'
import { importPage } from '../../../src/console/imports/import-page.ts'
import { importListPage } from '../../../src/console/imports/list-page.ts'
import { propertyListPage } from '../../../src/console/properties/list-page.ts'
import { propertyDeletePage, propertyPage } from '../../../src/console/properties/property-page.ts'
import { segmentDeletePage } from '../../../src/console/segments/delete-page.ts'
import { segmentEditPage } from '../../../src/console/segments/edit-page.ts'
import type { DraftGroup } from '../../../src/console/segments/filter-draft.ts'
import { segmentListPage } from '../../../src/console/segments/list-page.ts'
import { segmentPage } from '../../../src/console/segments/segment-page.ts'
import { topicListPage } from '../../../src/console/topics/list-page.ts'
import { topicDeletePage, topicPage } from '../../../src/console/topics/topic-page.ts'
import { chooseTexts } from '../../../src/modules/audience/unsubscribe/texts.ts'
import { noticePage, oneClickPage, preferencesPage } from '../../../src/modules/audience/unsubscribe/unsubscribe.pages.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { checkPages, ours, page } from './hostile-places.ts'

const NOW = new Date(0)
const READING = chooseTexts('en')
const topic = { id: UNKNOWN_ID, name: 'n', description: 'd', visibility: 'public', subscription: 'opt_in', isAvailable: true } as const

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

checkPages({
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
  preferences: page(
    { token: 't', name: 's', email: 'a@example.com', unsubscribed: false, isSuppressed: false, topics: [topic], isSaved: true },
    ({ name, ...view }) => preferencesPage(READING, { ...view, sender: { name, color: null } }),
  ),
  'preferences with the color of the team': page(
    { token: 't', name: 's', email: 'a@example.com', unsubscribed: false, isSuppressed: false, topics: [topic], isSaved: true },
    ({ name, ...view }) => preferencesPage(READING, { ...view, sender: { name, color: '#1d4fc4' } }),
  ),
  'one click': page({ token: 't', name: 's' }, ({ token, name }) =>
    oneClickPage(READING, { token, sender: { name, color: null }, scope: 'topic' }),
  ),
  'an unsubscribe link that does not work': page({ title: 't', note: 'n' }, (view) => noticePage(READING, view)),
})
