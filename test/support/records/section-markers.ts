// A team whose every record has the marker of its section, so that a test sees which sections an answer shows.
import { reached } from '../builders/automations.ts'
import { receiveEmail } from '../builders/received-emails.ts'
import type { TestService } from '../servers/service.ts'
import { create } from './record-builder.ts'
import { type Records, recordsOf } from './records.ts'

/** The statements that write the marker of a section, `$1`, into its records. Unique columns get the id too. */
export const MARKED: Record<string, string[]> = {
  emails: ['update emails set subject = $1'],
  'received-emails': ['update received_emails set subject = $1'],
  templates: ['update template_versions set subject = $1'],
  images: ['update images set name = $1'],
  domains: [`update domains set name = $1 || id where name like 'record-%'`],
  'contact-properties': [`update contact_properties set fallback_value = to_jsonb($1::text) where type = 'string'`],
  topics: ['update topics set name = $1'],
  segments: ['update segments set name = $1'],
  contacts: ['update contacts set first_name = $1, last_name = $1'],
  'contact-imports': ['update contact_imports set reason = $1'],
  broadcasts: ['update broadcasts set name = $1, subject = $1', 'update broadcast_versions set subject = $1'],
  events: ['update events set name = $1 || id', `update sent_events set payload = jsonb_build_object('plan', $1::text)`],
  automations: ['update automations set name = $1'],
  suppressions: ['update suppressions set email = $1 || id'],
  webhooks: ['update webhooks set endpoint = $1'],
  'api-keys': ['update api_keys set name = $1'],
  oauth: ['update oauth_clients set name = $1'],
  'audit-log': [
    `insert into audit_log (id, team_id, created_at, actor_kind, act, details, details_digest, user_agent)
     select '01ffffff-ffff-7fff-bfff-ffffffffffff', id, now(), 'system', 'marked', '{}', '', $1 from teams on conflict do nothing`,
  ],
  logs: ['update request_logs set user_agent = $1'],
  team: ['update teams set name = $1'],
  members: [`update persons set name = $1 where email not like 'owner-%'`],
}

/** An address stands in each record of a contact, and in the emails to it. */
export const CONTACT_ADDRESSES = /(?:record|member)-\d+@example\.com|marked@example\.com/
export const RECIPIENT = 'recipient@example.com'

export const markerOf = (section: string) => `marker of ${section}.`
export const shownIn = (text: string) => Object.keys(MARKED).filter((section) => text.includes(markerOf(section)))

export type MarkedTeam = {
  records: Records
  /** A webhook that is told of what happens, and a contact. */
  webhookId: string
  contactId: string
  /** Marks what calls have made since. */
  mark(): Promise<void>
}

export async function createMarkedTeam(service: TestService): Promise<MarkedTeam> {
  const records = recordsOf(service)
  const ids = await records.oneOfEach()
  const subject = markerOf('emails')
  // What webhooks and logs show of it.
  const webhookId = await create(service, '/webhooks', {
    endpoint: 'https://hooks.example.com/x',
    events: ['contact.created', 'email.received', 'email.sent'],
  })
  const contactId = await create(service, '/contacts', { email: 'marked@example.com', first_name: markerOf('contacts') })
  await create(service, '/emails', { from: 'hello@example.com', to: 'delivered@simulator.test', subject, text: subject })
  await create(service, '/suppressions', { email: 'marked@example.com' })
  await service.call('POST', '/events/send', { body: { event: 'plan.changed', email: 'marked@example.com', payload: {} } })
  await receiveEmail(service)
  const sent = await create(service, '/emails', { from: 'hello@example.com', to: RECIPIENT, subject, text: subject })
  await service.database.execute(`update emails set broadcast_id = $2, contact_id = $3, last_event = 'sent' where id = $1`, [
    sent,
    ids.get('broadcast_id'),
    contactId,
  ])
  await service.database.execute(`insert into broadcast_marks (broadcast_id, type, email_id) values ($1, 'sent', $2)`, [
    ids.get('broadcast_id'),
    sent,
  ])
  await service.database.execute('update automation_runs set state = jsonb_set(state, $1, $2), contact_id = $3, email = $4', [
    '{steps}',
    { start: reached({ output: { to: ['marked@example.com'], plan: markerOf('events') } }) },
    contactId,
    'marked@example.com',
  ])

  async function mark(): Promise<void> {
    await service.service.context.repositories.requestLogs.flush()
    for (const [section, statements] of Object.entries(MARKED))
      for (const statement of statements) await service.database.execute(statement, [markerOf(section)])
  }
  await mark()
  return { records, webhookId, contactId, mark }
}
