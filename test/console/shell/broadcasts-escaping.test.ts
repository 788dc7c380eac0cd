// The pages of broadcasts and automations, with hostile text in every place.

import { automationPage } from '../../../src/console/automations/automation-page.ts'
import { automationListPage } from '../../../src/console/automations/list-page.ts'
import { runPage } from '../../../src/console/automations/run-page.ts'
import { broadcastPage } from '../../../src/console/broadcasts/broadcast-page.ts'
import { draftPage } from '../../../src/console/broadcasts/draft-page.ts'
import { broadcastListPage } from '../../../src/console/broadcasts/list-page.ts'
import { clickedLinksPage, recipientsPage } from '../../../src/console/broadcasts/recipients-page.ts'
import type { AutomationRow } from '../../../src/modules/automations/automations.repository.ts'
import type { Graph } from '../../../src/modules/automations/graph/graph.ts'
import type { AutomationRunSummaryRow } from '../../../src/modules/automations/runs/run-records.repository.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { checkPages, ours, page, withoutCode } from './hostile-places.ts'

const NOW = new Date(0)

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
  ...{ versionId: 'v', stoppedAt: null, heldAt: NOW, heldContactId: 'c', disabledReason: 'd', graph: { steps: [], connections: [] } },
}
const summaryOfRun: AutomationRunSummaryRow = {
  ...{ id: 'i', status: 'failed', reason: 'r', contactId: 'c', startedAt: NOW, completedAt: NOW, createdAt: NOW },
}
const runCounts = { running: 1, completed: 1, failed: 1, cancelled: 1 }
const reachedStep = { status: 'waiting' as const, startedAt: NOW.toISOString(), completedAt: null, until: NOW.toISOString() }

checkPages({
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
})

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
