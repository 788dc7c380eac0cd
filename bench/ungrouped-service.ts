// Posthaste without group commit: the same application of the same parts, but every request runs the accepting statement for itself.
import { compose } from '../src/compose.ts'
import { readConfig } from '../src/config/config.ts'
import { openMigratedDatabase } from '../src/db/open-database.ts'
import { createLog } from '../src/io/log.ts'
import { ensureFirstTeam } from '../src/modules/accounts/teams/first-team.service.ts'
import { acceptTogether } from '../src/modules/emails/accept-emails.repository.ts'

const config = readConfig()
const log = createLog(config)
const opened = await openMigratedDatabase(config, log)
const service = await compose(config, opened, log, { publicUrl: `http://localhost:${config.port}` })
service.context.repositories.emails.accept = async (request) => {
  const [result] = await acceptTogether(opened.database, [request])
  if (result?.kind === 'accepted' || result?.kind === 'repeated' || result?.kind === 'conflict') return result
  // Every request has a key of its own: none of them has to wait for another's answer.
  throw new Error(`A request alone ended as ${result?.kind}`)
}
await ensureFirstTeam(service.context)
await service.app?.listen({ host: config.host, port: config.port })
process.once('SIGTERM', () => void service.close())
