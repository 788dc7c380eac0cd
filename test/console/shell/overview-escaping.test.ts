// Whatever text is put into the overview, the sessions and the pages of operators: it is read as that text, and adds no tag and no attribute.
import { deliverabilityPage } from '../../../src/console/operation/deliverability-page.ts'
import { healthPage } from '../../../src/console/operation/health-page.ts'
import { queuePage } from '../../../src/console/operation/queue-page.ts'
import { teamsPage } from '../../../src/console/operation/teams-page.ts'
import { overviewPage } from '../../../src/console/overview/overview-page.ts'
import { sessionsMain } from '../../../src/console/session/sessions-page.ts'
import { consolePage } from '../../../src/console/shell/console-page.ts'
import { checkPages, page } from './hostile-places.ts'

const NOW = new Date(0)
const QUEUED = { ready: 1, waiting: 1, leased: 1, parked: 1 }

const overview = {
  ...{ teamName: 't', now: NOW, isDiskLow: true, heldSinceBackup: NOW, isRelayFailing: true },
  first: { publicUrl: 'u', to: 't', isSimulated: true, from: 'f', formId: 'i' },
  sentence: 's',
  queue: { lines: [{ destination: 'd', count: 1 }], total: QUEUED, oldestDueAt: NOW, isBounded: true },
  attention: {
    domains: { rows: [{ id: 'i', name: 'n', status: 's', receivingUnprovenUntil: null }], hasMore: true },
    webhooks: {
      rows: [
        { id: 'i', endpoint: 'e', disabledReason: 'r', failingSince: null },
        { id: 'j', endpoint: 'e', disabledReason: null, failingSince: NOW },
      ],
      hasMore: true,
    },
    broadcasts: { rows: [{ id: 'i', name: 'n', status: 's', statusReason: 'r' }], hasMore: true },
    imports: { rows: [{ id: 'i', createdAt: NOW, reason: 'r' }], hasMore: true },
    automations: { rows: [{ id: 'i', name: 'n', heldAt: NOW }], hasMore: true },
    disabledAutomations: { rows: [{ id: 'i', name: 'n', disabledReason: 'r' }], hasMore: true },
  },
}
const session = { id: 'i', person: 'p', address: 'a', browser: 'b', createdAt: NOW, usedAt: NOW, expiresAt: NOW }
const queue = {
  lane: { teamId: 'i', destination: 'd' },
  pause: { id: 'i', teamId: 'j', destination: 'd' },
  ...{ key: 'k', teamName: 't', note: 'n' },
}
const finding = { subject: 's', found: 'f', advice: 'a' }

checkPages({
  'the overview': page(overview, ({ sentence, ...view }) =>
    overviewPage({
      ...view,
      problem: { sentence: sentence.replaceAll('`', ''), status: 422, retryAfterSeconds: undefined },
      days: [{ name: '2001-02-03', values: { received: 1 } }],
      quotas: [{ period: 'day', limit: 5, used: 4, left: 1 }],
      reputation: { status: 'paused', reason: 'Mail from <b>shop.example</b> bounced.', since: new Date(0) },
      beginnings: { hasEmail: false, hasDomain: true, verifiedDomain: null, hasOwnKey: false },
    }),
  ),
  'the sessions': page({ teamName: 't', session, after: 'a', whose: 'w', note: 'n' }, ({ teamName, session: row, ...view }) =>
    consolePage({
      ...{ title: 'Sessions', section: '/console/sessions', teamName },
      main: sessionsMain({
        ...{ ...view, address: '/console/sessions', now: NOW, currentId: 'o', passkeys: '/p' },
        page: { rows: [{ ...row, method: 'identity_provider' }], hasMore: true },
      }),
    }),
  ),
  'the queue': page(queue, ({ lane, pause, key, teamName, note }) =>
    queuePage({
      ...{ now: NOW, workerCount: 1, problem: null, note },
      queue: { lines: [{ ...QUEUED, ...lane, class: 'bulk', nextDueAt: NOW }], laneCount: 2, total: QUEUED, isBounded: true },
      pauses: [{ ...pause, class: null, createdAt: NOW, backupAt: NOW }],
      paces: [{ key, pace: { connections: 1, pausedUntilMs: 1, pauseCount: 1, slowedAtMs: null }, updatedAt: NOW }],
      teamNames: new Map([[lane.teamId, teamName]]),
    }),
  ),
  health: page({ check: 'c', worker: 'w', version: { name: 'n', version: 'v' }, table: { table: 't', first: 'f', last: 'l' } }, (view) =>
    healthPage({
      ...{ isReady: false, checks: { [view.check]: view.check }, freeBytes: 1, versions: [view.version] },
      workers: [{ id: view.worker, beat: '1', held: 1 }],
      partitions: [{ ...view.table, count: 1, bytes: 1 }],
    }),
  ),
  deliverability: page({ note: 'n', finding }, (view) =>
    deliverabilityPage({
      ...{ status: 'problem', note: view.note, checkedAt: NOW },
      findings: [{ ...view.finding, check: 'relay', state: 'problem' }],
    }),
  ),
  'the teams': page({ rows: [{ id: 'i', name: 'n', createdAt: NOW }], after: 'a' }, ({ rows, after }) =>
    teamsPage({ now: NOW, page: { rows, hasMore: true }, after }),
  ),
})
