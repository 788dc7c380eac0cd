import type { Static } from '@sinclair/typebox'
import { contactOfPath } from '../mail/audience/contact-addresses.ts'
import type { KeyHolder } from '../repositories/team/api-keys.ts'
import { EXAMPLE_TIME } from '../schemas/common.ts'
import { ContactExport } from '../schemas/contact-exports.ts'
import { CONTACTS, ContactParams } from '../schemas/contacts.ts'
import { EMAILS } from '../schemas/emails.ts'
import { mayRead } from '../schemas/oauth-scopes.ts'
import { SEGMENTS } from '../schemas/segments.ts'
import { EXAMPLE_CONTACT_EVENT } from '../schemas/sent-events.ts'
import { TOPICS } from '../schemas/topics.ts'
import { exportContact } from '../services/export-contact.ts'
import { type Call, operation, routes } from './operation.ts'

export const contactExportRoutes = routes(CONTACTS, (context) => {
  async function retrieve({ holder, teamId, params }: Call<{ params: typeof ContactParams }>) {
    return readableFor(holder, await exportContact(context, teamId, contactOfPath(params)))
  }

  return [
    operation({
      id: 'contacts.export.retrieve',
      method: 'GET',
      path: '/contacts/:contact_id/export',
      summary: 'Export the data of a person',
      description:
        'Returns everything that is stored about a person, as one document: the contact with its properties, segments and topics, the opt-outs of its address, emails to the address, events of the contact and of its suppression, what was sent for it with `POST /events/send`, and its runs of automations. If the address does not belong to a contact, it returns what is stored about the address, or a 404 if nothing is. Replies of mail servers are at `GET /emails/{email_id}/attempts`. Request logs are not searched. An access token gets the lists of emails, sent events and runs, the suppression and its events, only with the scope to read each, and what events said in a run only with `events:read`.',
      access: 'full',
      params: ContactParams,
      reply: ContactExport,
      example: { reply: EXAMPLE },
      handle: retrieve,
    }),
  ]
})

function readableFor(holder: KeyHolder, document: Static<typeof ContactExport>): Static<typeof ContactExport> {
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
