import { createId } from '../../../src/lib/ids.ts'
import { OAUTH_GRANTS_MAX } from '../../../src/modules/oauth/grants.schema.ts'
import { addRun } from '../builders/automations.ts'
import { create, firstOf, type RecordBuilder } from './record-builder.ts'

export const apiKeyRecord: RecordBuilder = {
  make: (service) => create(service, '/api-keys', { name: 'Record' }),
  paths: () => ['/api-keys'],
}

/** The team that there is. */
export const teamRecord: RecordBuilder = {
  make: async ({ teamId }) => teamId,
  paths: () => ['/team'],
}

/** The client that every installation has. */
const CLIENT_ID = '7136aa0b-625c-4c9c-8820-e9784c8eb141'

export const oauthGrantRecord: RecordBuilder = {
  async make({ service, teamId }) {
    const { oauthGrants } = service.context.repositories
    const person = await service.context.repositories.persons.ensureAcrossTeams('grants@people.example', 'Grants')
    await service.context.repositories.persons.addMember(teamId, person.id, 'owner')
    const grant = await oauthGrants.create(
      teamId,
      { personId: person.id, clientId: CLIENT_ID, scopes: ['emails:send'], resource: null },
      OAUTH_GRANTS_MAX,
    )
    if (grant === 'too many grants') throw new Error('The team has too many grants')
    return grant.id
  },
  paths: () => ['/oauth/grants'],
}

export const logRecord: RecordBuilder = {
  async make(service) {
    await service.call('GET', '/emails')
    await service.service.context.repositories.requestLogs.flush()
    return firstOf(service, '/logs?limit=1')
  },
  paths: (id) => [`/logs/${id}`],
}

export const auditLogEntryRecord: RecordBuilder = {
  async make(service) {
    await create(service, '/api-keys', { name: 'Recorded' })
    return firstOf(service, '/audit-log?limit=1')
  },
  paths: (id) => [`/audit-log/${id}`],
}

export const webhookRecord: RecordBuilder = {
  make: (service) => create(service, '/webhooks', { endpoint: 'https://example.com/record', events: ['topic.created'] }),
  paths: (id) => [`/webhooks/${id}`],
}

export const webhookEventRecord: RecordBuilder = {
  make: async (service, of) => create(service, `/webhooks/${await of('webhook_id')}/test`, { type: 'topic.created' }),
  // It is read under its webhook.
  paths: () => [],
}

let made = 0

export const eventRecord: RecordBuilder = {
  make: (service) => create(service, '/events', { name: `record.made-${++made}`, schema: { order_id: 'string', total: 'number' } }),
  paths: (id) => [`/events/${id}`],
  // A name is that of one event.
  unlike: (body, count) => ('name' in body ? { ...body, name: `example-${count}` } : body),
}

export const automationRecord: RecordBuilder = {
  make: (service) =>
    create(service, '/automations', {
      name: 'Record',
      steps: [
        { key: 'start', type: 'trigger', config: { event_name: 'record.made' } },
        { key: 'wait', type: 'delay', config: { duration: '1 day' } },
      ],
      connections: [{ from: 'start', to: 'wait' }],
    }),
  paths: (id) => [`/automations/${id}`],
}

/** A run of a contact who waits. */
export const automationRunRecord: RecordBuilder = {
  make: async (service, of) => addRun(service, await of('automation_id')),
  // Its automation shows it.
  paths: () => [],
}

export const memberRecord: RecordBuilder = {
  async make({ service, teamId }) {
    const { persons } = service.context.repositories
    const person = await persons.ensureAcrossTeams(`member-${teamId}@people.example`, 'Member')
    await persons.addMember(teamId, person.id, 'owner')
    return person.id
  },
  paths: () => ['/members'],
}

export const invitationRecord: RecordBuilder = {
  async make({ service, teamId }) {
    const made = await service.context.repositories.invitations.create(teamId, {
      ...{ email: 'invited@people.example', role: 'support', digest: createId(), invitedBy: 'A test' },
    })
    if (typeof made === 'string') throw new Error(`Not invited: ${made}`)
    return made.id
  },
  paths: () => ['/invitations'],
}
