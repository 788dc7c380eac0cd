// A domain on which a team receives mail, without the DNS.
import { createId } from '../../../src/lib/ids.ts'
import type { TestService } from '../servers/service.ts'

type Settings = { record?: string; receiving?: boolean; ownsName?: boolean }

export async function createReceivingDomain(
  { database }: Pick<TestService, 'database'>,
  teamId: string,
  name: string,
  { record = 'verified', receiving = true, ownsName = true }: Settings = {},
): Promise<string> {
  const id = createId()
  await database.execute(
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, status, owns_name, created_at)
     values ($1, $2, $3, $3, 'us-east-1', 'opportunistic', 'send', false, false, true, $4, 'verified', $5, now())`,
    [id, teamId, name, receiving, ownsName],
  )
  await database.execute(`insert into domain_records (domain_id, kind, status) values ($1, 'Receiving', $2)`, [id, record])
  return id
}
