import { createId } from '../../../src/lib/ids.ts'
import type { Database } from '../../../src/repositories/database.ts'
import { create, type RecordBuilder } from './record-builder.ts'

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
