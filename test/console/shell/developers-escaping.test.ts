// The pages for developers, with hostile text in every place.
import { createdPage } from '../../../src/console/api-keys/created-page.ts'
import { deletePage } from '../../../src/console/api-keys/delete-page.ts'
import { keyPage } from '../../../src/console/api-keys/key-page.ts'
import { keyListPage } from '../../../src/console/api-keys/list-page.ts'
import { eventPage } from '../../../src/console/events/event-page.ts'
import { eventListPage } from '../../../src/console/events/list-page.ts'
import { logListPage } from '../../../src/console/logs/list-page.ts'
import { logPage } from '../../../src/console/logs/log-page.ts'
import { checkPages, ours, page } from './hostile-places.ts'

const NOW = new Date(0)

const key = {
  ...{ id: 'i', name: 'n', permission: 'sending_access', domainId: 'd', domainName: 'n', grantId: null, personId: null },
  ...{ createdAt: NOW, lastUsedAt: NOW },
}
const log = { id: 'i', createdAt: NOW, endpoint: '/e', method: 'POST', responseStatus: 200, userAgent: 'u', apiKeyId: null, personId: 'p' }
const sought = { path: 'p', method: 'GET', status: 's', key: 'k', from: 'f', until: 'u' }
const event = { id: 'i', name: 'n', schema: { name: 'string' as const }, createdAt: NOW, updatedAt: NOW }
const sent = { address: 'a', isUnknown: false, rows: [{ id: 'i', name: 'n', payload: { key: 'v' }, createdAt: NOW }], hasMore: true }

checkPages({
  'the API keys': page(
    {
      ...{ teamName: 't', now: NOW, page: { rows: [key], hasMore: true }, after: 'a', ownKeyId: 'o', note: 'n', sentence: 's' },
      form: { id: 'i', name: 'n', domain: 'd' },
    },
    ({ sentence, ...view }) => keyListPage({ ...view, problem: ours(sentence) }),
  ),
  'an API key': page({ teamName: 't', now: NOW, key, isOwn: true, typedName: 'n', note: 'n', sentence: 's' }, ({ sentence, ...view }) =>
    keyPage({ ...view, problem: ours(sentence) }),
  ),
  'a new API key': page({ teamName: 't', key: { id: 'i', name: 'n' }, token: 't' }, createdPage),
  'deleting an API key': page({ teamName: 't', now: NOW, key, isOwn: true, isLastWithFullAccess: true }, deletePage),
  'the logs': page(
    {
      ...{ teamName: 't', now: NOW, sought, keys: [{ id: 'i', name: 'n' }], after: 'a' },
      findings: { rows: [log], searchedMax: 1, next: { after: 'a', isBecauseOfBound: true } },
    },
    (view) => logListPage({ ...view, sought: { ...view.sought, method: 'GET' }, problem: null }),
  ),
  'a refused search of logs': page({ teamName: 't', now: NOW, sought, keys: [], after: null, sentence: 's' }, ({ sentence, ...view }) =>
    logListPage({ ...view, findings: { rows: [], searchedMax: 0, next: null }, problem: ours(sentence) }),
  ),
  'a log': page(
    {
      ...{ teamName: 't', now: NOW, sender: { id: 'i', name: 'n' } },
      log: {
        ...log,
        apiKeyId: 'a',
        requestBody: { name: 'v' },
        responseBody: 's',
        requestBodyTruncated: false,
        responseBodyTruncated: true,
      },
    },
    (view) => logPage({ ...view, sender: { ...view.sender, kind: 'key' } }),
  ),
  'the events': page(
    {
      ...{ teamName: 't', now: NOW, page: { rows: [{ ...event, schema: null }], hasMore: true }, after: 'a', note: 'n', sentence: 's' },
      form: { name: 'n', schema: 's' },
    },
    ({ sentence, ...view }) => eventListPage({ ...view, problem: ours(sentence) }),
  ),
  'an event': page(
    {
      teamName: 't',
      now: NOW,
      event: { ...event, schema: null },
      schema: 's',
      sent,
      automations: [{ id: 'i', name: 'n' }],
      note: 'n',
      sentence: 's',
    },
    ({ sentence, ...view }) => eventPage({ ...view, problem: ours(sentence) }),
  ),
})
