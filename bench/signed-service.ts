// Posthaste as in production, with a verified domain whose keys sign all mail: for each algorithm that it is started with, one.
import { compose } from '../src/compose.ts'
import { readConfig } from '../src/config/config.ts'
import type { Context } from '../src/context.ts'
import type { Database } from '../src/db/database.ts'
import { openMigratedDatabase } from '../src/db/open-database.ts'
import { createLog } from '../src/io/log.ts'
import { DKIM_ALGORITHMS } from '../src/lib/crypto/keys.ts'
import { ensureFirstTeam } from '../src/modules/accounts/teams/first-team.service.ts'
import { createDkimKey } from '../src/modules/domains/dkim/dkim-keys.repository.ts'
import { SENDING_DOMAIN } from './email.ts'
import { addSendingDomain } from './sending-domain.ts'

const config = readConfig()
const log = createLog(config)
const opened = await openMigratedDatabase(config, log)
const service = await compose(config, opened, log, {
  publicUrl: config.publicUrl ?? `http://localhost:${config.port}`,
})
await ensureFirstTeam(service.context)
await registerDomain(service.context, opened.database)
await service.app?.listen({ host: config.host, port: config.port })
process.once('SIGTERM', () => void service.close())

async function registerDomain({ makeDkimKey, senderIdentityOf, clock }: Context, { execute, records }: Database): Promise<void> {
  const { teamId, domainId } = await addSendingDomain(execute)
  const algorithms = process.argv.slice(2)
  for (const algorithm of DKIM_ALGORITHMS) {
    if (!algorithms.includes(algorithm)) continue
    const key = await makeDkimKey(algorithm, teamId)
    await records((inside) => createDkimKey(inside, teamId, { domainId, selector: algorithm, createdAt: clock.now(), ...key }))
    await execute('update dkim_keys set seen_at = now() where id = $1', [key.id])
  }
  const { signers } = await senderIdentityOf(teamId, SENDING_DOMAIN)
  if (signers.length === 0 || signers.length !== algorithms.length) throw new Error(`Mail would be signed with ${signers.length} keys`)
}
