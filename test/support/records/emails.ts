import type { Database } from '../../../src/db/database.ts'
import { createId } from '../../../src/lib/ids.ts'
import { IMAGE_IN_BASE64 } from '../builders/images.ts'
import { receiveEmail } from '../builders/received-emails.ts'
import { create, firstOf, type RecordBuilder } from './record-builder.ts'

const HOUR_MS = 60 * 60 * 1_000

/** Scheduled, so that it can be changed and canceled; with a file. */
export const emailRecord: RecordBuilder = {
  make: (service) =>
    create(service, '/emails', {
      from: 'hello@example.com',
      to: 'delivered@simulator.test',
      subject: 'Record',
      text: 'Record.',
      scheduled_at: new Date(Date.now() + HOUR_MS).toISOString(),
      attachments: [{ filename: 'record.txt', content: 'cmVjb3Jk' }],
    }),
  paths: (id) => [`/emails/${id}`],
  // Only what has been sent can be sent again.
  async ready({ database }, id, operationId) {
    const state = operationId === 'emails.resend' ? 'queued' : 'scheduled'
    await database.execute(`update emails set state = $2 where id = $1 and state in ('queued', 'scheduled')`, [id, state])
  },
}

export const attachmentRecord: RecordBuilder = {
  make: async (service, of) => firstOf(service, `/emails/${await of('email_id')}/attachments`),
  // Its link is signed anew for every reader.
  paths: () => [],
}

export const receivedEmailRecord: RecordBuilder = {
  make: (service) => receiveEmail(service),
  // The link to its raw message is signed anew for every reader.
  paths: () => [],
}

export const receivedAttachmentRecord: RecordBuilder = {
  make: async (service, of) => firstOf(service, `/emails/receiving/${await of('received_email_id')}/attachments`),
  paths: () => [],
}

/** Published, so that it can be sent. */
/** One pixel. */
export const imageRecord: RecordBuilder = {
  make: (service) => create(service, '/images', { name: 'Record', content: IMAGE_IN_BASE64 }),
  paths: (id) => [`/images/${id}`],
}

export const templateRecord: RecordBuilder = {
  async make(service) {
    const id = await create(service, '/templates', { name: 'Record', from: 'hello@example.com', subject: 'Record', html: '<p>Record.</p>' })
    return create(service, `/templates/${id}/publish`, {})
  },
  paths: (id) => [`/templates/${id}`, `/templates/${id}/versions`],
  // An alias is that of one template.
  unlike: (body, count) => ('alias' in body ? { ...body, alias: `example-${count}` } : body),
}

export const templateVersionRecord: RecordBuilder = {
  make: async (service, of) => firstOf(service, `/templates/${await of('template_id')}/versions`),
  // Its template shows it.
  paths: () => [],
}

let made = 0

export const domainRecord: RecordBuilder = {
  make: (service) => create(service, '/domains', { name: `record-${++made}.example.com` }),
  paths: (id) => [`/domains/${id}`],
  unlike: (body, count) => ('name' in body ? { ...body, name: `other-${count}.example.com` } : body),
}

/** Keyed by the id of the claim. */
const domains = new Map<string, string>()
let claimed = 0

export const domainClaimRecord: RecordBuilder = {
  async make(service, of) {
    const domainId = await of('domain_id')
    const { name } = (await service.call('GET', `/domains/${domainId}`)).body as { name: string }
    await holdName(service.database, name)
    const id = await create(service, '/domains/claim', { name })
    domains.set(id, domainId)
    return id
  },
  paths: (id) => [`/domains/${domains.get(id)}/claim`],
  async prepare({ database }) {
    for (let count = 1; count <= CLAIMS_OF_EXAMPLE; count += 1) await holdName(database, claimedName(count))
  },
  unlike: (body) => ('name' in body ? { ...body, name: claimedName(++claimed) } : body),
}

/** More than the tests of one operation make. */
const CLAIMS_OF_EXAMPLE = 20

const claimedName = (count: number): string => `claimed-${count}.example.com`

/** A team that no test knows has verified the name. Its id, and that of its domain. */
export async function holdName(
  { execute }: Pick<Database, 'execute'>,
  name: string,
  { teamId = createId(), ownedAt = null }: { teamId?: string; ownedAt?: Date | null } = {},
): Promise<{ teamId: string; id: string }> {
  const id = createId()
  await execute(
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, status, owns_name, owned_at, can_send, created_at)
     values ($1, $2, $3, $3, 'us-east-1', 'opportunistic', 'send', false, false, true, false, 'verified', true, $4, true, now())
     on conflict (name) where owns_name do nothing`,
    [id, teamId, name, ownedAt],
  )
  return { teamId, id }
}
