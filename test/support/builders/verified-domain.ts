// A domain whose records were seen, without the DNS. Bounces of its mail return to `send.` and its name.
import { createId } from '../../../src/lib/ids.ts'
import type { DkimAlgorithm } from '../../../src/lib/signing/key-pairs.ts'
import { createDkimKey } from '../../../src/repositories/domains/dkim-keys.ts'
import type { TestService } from '../servers/service.ts'

export type VerifiedDomain = {
  id: string
  /** The TXT records of its keys. */
  records: Record<string, string>
  /** Another key, whose record was not seen yet. Returns its id. */
  addKey(selector: string, algorithm: DkimAlgorithm): Promise<string>
}

/** With a key of each algorithm, `ph1` and `ph2`, unless other keys are named. */
export async function createVerifiedDomain(
  { service, database, teamId }: Pick<TestService, 'service' | 'database' | 'teamId'>,
  name = 'example.com',
  keys: Record<string, DkimAlgorithm> = { ph1: 'rsa-sha256', ph2: 'ed25519-sha256' },
): Promise<VerifiedDomain> {
  const { context } = service
  const id = createId()
  await database.execute(
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, status, owns_name, created_at)
     values ($1, $2, $3, $3, 'us-east-1', 'opportunistic', 'send', false, false, true, false, 'verified', true, now())`,
    [id, teamId, name],
  )
  for (const kind of ['ReturnPathMX', 'SPF'])
    await database.execute(`insert into domain_records (domain_id, kind, status) values ($1, $2, 'verified')`, [id, kind])
  const records: Record<string, string> = {}
  async function addKey(selector: string, algorithm: DkimAlgorithm): Promise<string> {
    const key = await context.makeDkimKey(algorithm, teamId)
    await database.records((inside) => createDkimKey(inside, teamId, { domainId: id, selector, createdAt: context.clock.now(), ...key }))
    const type = algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'
    records[`${selector}._domainkey.${name}`] = `v=DKIM1; k=${type}; p=${key.publicKey}`
    return key.id
  }
  for (const [selector, algorithm] of Object.entries(keys))
    await database.execute('update dkim_keys set seen_at = $2 where id = $1', [await addKey(selector, algorithm), context.clock.now()])
  return { id, records, addKey }
}
