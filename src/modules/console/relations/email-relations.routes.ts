// What an email has to do with other records, for the page of an email: each person reads what their role may.
import type { Static } from '@sinclair/typebox'
import { type Caller, declareOperations, type Routes } from '../../../http/operation.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { notFound } from '../../../lib/failure.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import { mayRead } from '../../accounts/scopes.ts'
import type { EmailsContext } from '../../emails/emails.context.ts'
import { EMAILS, EmailParams } from '../../emails/emails.schema.ts'
import type { OauthContext } from '../../oauth/oauth.context.ts'
import { webhookEventId } from '../../webhooks/events/webhook-events.schema.ts'
import type { ConsoleContext } from '../console.context.ts'
import { CONSOLE } from '../console.schema.ts'
import type { EmailRelationsRow, NamedRecord, ToldWebhook } from './email-relations.repository.ts'
import { EmailRelations, EXAMPLE_WEBHOOK_EVENT } from './email-relations.schema.ts'

type Context = AccountsContext & EmailsContext & OauthContext & ConsoleContext
type Answer = Static<typeof EmailRelations>
type Sender = NonNullable<Answer['sent_by']>

/** Webhooks are looked for by the newest things that happened to the email. */
const NOTIFICATIONS_READ_MAX = 200

const operation = declareOperations(CONSOLE)

export const emailRelationRoutes: Routes<Context> = async (app, { context }) => {
  const { relatedRecords, notifications, apiKeys, oauthGrants, persons } = context.repositories

  /** An id is kept with what was sent, and does not say of what it is. */
  async function senderOf({ teamId, ...reader }: Caller, { senderId: id, isOfAutomation }: EmailRelationsRow): Promise<Sender | null> {
    if (isOfAutomation) return { type: 'automation', id: null, name: null }
    if (id === null) return null
    const key = await apiKeys.find(teamId, id)
    if (key) return mayRead(reader, 'api-keys') ? { type: 'api_key', id, name: key.name } : HIDDEN
    const grant = await oauthGrants.find(teamId, id)
    if (grant) return mayRead(reader, 'oauth') ? { type: 'oauth_grant', id, name: grant.client.name } : HIDDEN
    const person = await persons.findAcrossTeams(id)
    if (person) return mayRead(reader, 'members') ? { type: 'person', id, name: person.name } : HIDDEN
    return { type: 'deleted', id: null, name: null }
  }

  async function toldOf(teamId: string, emailId: string): Promise<ToldWebhook[]> {
    const { rows } = await notifications.listOf(teamId, emailId, { limit: NOTIFICATIONS_READ_MAX, after: null, before: null })
    return relatedRecords.told(
      teamId,
      rows.map(({ id }) => id),
    )
  }

  app.get(
    '/emails/:email_id/relations',
    operation({
      id: 'emails.relations.retrieve',
      summary: 'Retrieve the relations of an email',
      description:
        'Returns what an email has to do with other records: who sent it, its broadcast, template and automation run, the received emails that it answers or that answer it, its contacts, and what webhooks were told of it. A person sees the records that their role may read; of a broadcast everyone sees the name.',
      access: 'member',
      scope: 'emails:read',
      audit: 'never',
      params: EmailParams,
      reply: { 200: EmailRelations },
      example: { reply: EXAMPLE },
    }),
    async ({ caller, teamId, params }) => {
      const id = params.email_id.toLowerCase()
      const relations = await relatedRecords.find(teamId, id)
      if (!relations) throw notFound(EMAILS.noun)
      const may = (section: string): boolean => mayRead(caller, section)
      const { run, answered } = relations
      return {
        ...{ object: 'email_relations' as const, id, sent_by: await senderOf(caller, relations), is_submitted: relations.isSubmitted },
        broadcast: relations.broadcast,
        template: may('templates') ? relations.template : null,
        automation_run:
          run && may('automations') ? { id: run.id, automation_id: run.automationId, automation_name: run.automationName } : null,
        answered: answered && may('received-emails') ? receivedEmail(answered) : null,
        replies: may('received-emails') ? relations.replies.map(receivedEmail) : [],
        contacts: may('contacts') ? relations.contacts.map(({ id: contactId, name }) => ({ id: contactId, email: name })) : [],
        webhook_events: may('webhooks') ? (await toldOf(teamId, id)).map(toWebhookEvent) : [],
      }
    },
  )
}

const HIDDEN: Sender = { type: 'hidden', id: null, name: null }

const receivedEmail = ({ id, name }: NamedRecord<string | null>): Answer['replies'][number] => ({ id, from: name })

const toWebhookEvent = ({ messageId, webhookId, endpoint, type, createdAt }: ToldWebhook): Answer['webhook_events'][number] => ({
  ...{ id: webhookEventId(messageId), webhook_id: webhookId, endpoint, type },
  created_at: toTimestamp(createdAt),
})

const EXAMPLE: Answer = {
  ...{ object: 'email_relations', id: EMAILS.example.id },
  sent_by: { type: 'api_key', id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10', name: 'Production' },
  ...{ is_submitted: false, broadcast: null, template: null, automation_run: null, answered: null },
  replies: [{ id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c81', from: 'ada@example.com' }],
  contacts: [{ id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c57', email: 'ada@example.com' }],
  webhook_events: [
    {
      id: webhookEventId('0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c99'),
      webhook_id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c71',
      ...EXAMPLE_WEBHOOK_EVENT,
    },
  ],
}
