import type { Static } from '@sinclair/typebox'
import { type Caller, declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { notFound } from '../../lib/failure.ts'
import { EXAMPLE_TIME } from '../../lib/validation/common.schema.ts'
import { contactOfPath } from '../../mail/address-forms.ts'
import { mayRead } from '../accounts/scopes.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { ContactReference } from '../audience/contacts/contact-rows.repository.ts'
import { toContact } from '../audience/contacts/contacts.routes.ts'
import { CONTACTS, ContactParams } from '../audience/contacts/contacts.schema.ts'
import type { PropertyRow } from '../audience/properties/properties.repository.ts'
import { SEGMENTS } from '../audience/segments/segments.schema.ts'
import { TOPICS } from '../audience/topics/topics.schema.ts'
import { EMAILS } from '../emails/emails.schema.ts'
import { toContactEvent } from '../events/events.routes.ts'
import { EXAMPLE_CONTACT_EVENT } from '../events/events.schema.ts'
import { SOFT_BOUNCES } from '../suppressions/soft-bounces.ts'
import { toSoftBounces } from '../suppressions/suppressions.routes.ts'
import type { ContactExportRow } from './contact-exports.repository.ts'
import { ContactExport, EXPORT_EMAILS_MAX, EXPORT_EVENTS_MAX, EXPORT_RUNS_MAX } from './contact-exports.schema.ts'
import type { PrivacyContext } from './privacy.context.ts'

type Context = PlatformContext & AudienceContext & PrivacyContext

export const toContactExport = (row: ContactExportRow, properties: PropertyRow[], exportedAt: Date): Static<typeof ContactExport> => ({
  object: 'contact_export',
  exported_at: toTimestamp(exportedAt),
  contact: row.contact && toContact(row.contact, properties),
  updated_at: toTimestamp(row.contact?.updatedAt ?? null),
  segments: row.segments.map(({ id, name, addedAt }) => ({ id, name, added_at: toTimestamp(addedAt) })),
  topics: row.topics.map(({ chosenAt, ...topic }) => ({ ...topic, chosen_at: toTimestamp(chosenAt) })),
  opt_outs: {
    all_since: toTimestamp(row.optedOutAt),
    topics: row.topicOptOuts.map(({ id, since }) => ({ id, since: toTimestamp(since) })),
  },
  suppression: row.suppression && toSuppression(row.suppression),
  emails: row.emails.rows.map(({ lastEvent, createdAt, ...email }) => ({
    ...email,
    last_event: lastEvent,
    created_at: toTimestamp(createdAt),
  })),
  has_more_emails: row.emails.hasMore,
  events: row.events.rows.map(({ createdAt, ...event }) => ({ ...event, created_at: toTimestamp(createdAt) })),
  has_more_events: row.events.hasMore,
  sent_events: row.sentEvents.rows.map(toContactEvent),
  has_more_sent_events: row.sentEvents.hasMore,
  automation_runs: row.automationRuns.rows.map(toExportedRun),
  has_more_automation_runs: row.automationRuns.hasMore,
})

const toSuppression = ({ id, origin, sourceId, createdAt, softBounces }: NonNullable<ContactExportRow['suppression']>) => ({
  id,
  origin,
  source_id: sourceId,
  created_at: toTimestamp(createdAt),
  ...(softBounces && { reason: SOFT_BOUNCES, soft_bounces: toSoftBounces(softBounces) }),
})

const toExportedRun = (row: ContactExportRow['automationRuns']['rows'][number]) => ({
  id: row.id,
  automation_id: row.automationId,
  status: row.status,
  event: row.eventName,
  payload: row.payload,
  heard: row.heard ?? {},
  outputs: Object.fromEntries(Object.entries(row.steps).flatMap(([key, { output }]) => (output === null ? [] : [[key, output]]))),
  started_at: toTimestamp(row.startedAt),
  completed_at: toTimestamp(row.completedAt),
})

const LIMITS = { emailsMax: EXPORT_EMAILS_MAX, eventsMax: EXPORT_EVENTS_MAX, runsMax: EXPORT_RUNS_MAX }

/**
 * Everything that is stored about a person, as one document.
 * @throws Failure if nothing is known of the person, or filters take too long
 */
export async function exportContact(
  { repositories, hashAddress, clock }: Pick<Context, 'repositories' | 'hashAddress' | 'clock'>,
  teamId: string,
  reference: ContactReference,
): Promise<Static<typeof ContactExport>> {
  const found = await repositories.contactExports.read(teamId, reference, (email) => hashAddress(teamId, email), LIMITS)
  if (!found) throw notFound(CONTACTS.noun)
  return toContactExport(found, await repositories.contactProperties.all(teamId), clock.now())
}

const operation = declareOperations(CONTACTS)

export const contactExportRoutes: Routes<Context> = async (app, { context }) => {
  app.get(
    '/contacts/:contact_id/export',
    operation({
      id: 'contacts.export.retrieve',
      confirms: true,
      summary: 'Export the data of a person',
      description:
        'Returns everything that is stored about a person, as one document: the contact with its properties, segments and topics, the opt-outs of its address, emails to the address, events of the contact and of its suppression, what was sent for it with `POST /events/send`, and its runs of automations. If the address does not belong to a contact, it returns what is stored about the address, or a 404 if nothing is. Replies of mail servers are at `GET /emails/{email_id}/attempts`. Request logs are not searched. An access token gets the lists of emails, sent events and runs, the suppression and its events, only with the scope to read each, and what events said in a run only with `events:read`.',
      access: 'full',
      audit: 'always',
      givesOut: true,
      params: ContactParams,
      reply: { 200: ContactExport },
      example: { reply: EXAMPLE },
    }),
    async ({ caller, teamId, params }) => {
      return readableFor(caller, await exportContact(context, teamId, contactOfPath(params)))
    },
  )
}

function readableFor(holder: Caller, document: Static<typeof ContactExport>): Static<typeof ContactExport> {
  const may = (section: string) => mayRead(holder, section)
  return {
    ...document,
    ...(!may('emails') && { emails: [], has_more_emails: false }),
    ...(!may('events') && {
      sent_events: [],
      has_more_sent_events: false,
      automation_runs: document.automation_runs.map((run) => ({ ...run, payload: {}, heard: {}, outputs: {} })),
    }),
    ...(!may('automations') && { automation_runs: [], has_more_automation_runs: false }),
    ...(!may('suppressions') && { suppression: null, events: document.events.filter(({ type }) => !type.startsWith('suppression.')) }),
  }
}

const EXAMPLE = {
  object: 'contact_export' as const,
  exported_at: EXAMPLE_TIME,
  contact: {
    ...CONTACTS.example,
    properties: { company: { value: 'Analytical Engines', type: 'string' as const } },
  },
  updated_at: EXAMPLE_TIME,
  segments: [{ id: SEGMENTS.example.id, name: 'Newsletter readers', added_at: EXAMPLE_TIME }],
  topics: [
    {
      id: TOPICS.example.id,
      name: 'Product news',
      subscription: 'opt_out' as const,
      choice: 'opt_out' as const,
      chosen_at: EXAMPLE_TIME,
    },
  ],
  opt_outs: { all_since: null, topics: [{ id: TOPICS.example.id, since: EXAMPLE_TIME }] },
  suppression: null,
  emails: [
    {
      id: EMAILS.example.id,
      address: 'Ada@example.com',
      subject: 'Your receipt',
      state: 'delivered',
      last_event: 'delivered',
      created_at: EXAMPLE_TIME,
    },
  ],
  has_more_emails: false,
  events: [
    {
      id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c65',
      type: 'contact.topics.updated',
      data: { email: 'ada@example.com', topics: [{ id: TOPICS.example.id, subscription: 'opt_out' }] },
      created_at: EXAMPLE_TIME,
    },
  ],
  has_more_events: false,
  sent_events: [EXAMPLE_CONTACT_EVENT],
  has_more_sent_events: false,
  automation_runs: [
    {
      id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4cc2',
      automation_id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4cc1',
      status: 'running' as const,
      event: 'order.shipped',
      payload: { order_id: 'A-1024' },
      heard: {},
      outputs: {},
      started_at: EXAMPLE_TIME,
      completed_at: null,
    },
  ],
  has_more_automation_runs: false,
}
