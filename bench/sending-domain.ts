import { createId } from '../src/lib/ids.ts'
import { SENDING_DOMAIN } from './email.ts'

type Run = (sql: string, values: unknown[]) => Promise<{ id: string }[]>

/** Gives the first team the domain of all emails, verified. Returns the ids of both. */
export async function addSendingDomain(run: Run): Promise<{ teamId: string; domainId: string }> {
  const [team] = await run('select id from teams order by id limit 1', [])
  if (!team) throw new Error('There is no team')
  const domainId = createId()
  await run(
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, status, owns_name,
       can_send, created_at)
     values ($1, $2, $3, $3, 'us-east-1', 'opportunistic', 'send', false, false, true, false, 'verified', true, true, now())`,
    [domainId, team.id, SENDING_DOMAIN],
  )
  return { teamId: team.id, domainId }
}
