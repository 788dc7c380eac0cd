// Posthaste with DELIVERY=direct, composed as in production except for the port of the recipients' servers, because port 25 needs privileges.
import { compose } from '../src/compose.ts'
import { readConfig } from '../src/config/config.ts'
import { openMigratedDatabase } from '../src/db/open-database.ts'
import { createLog } from '../src/io/log.ts'
import { ensureFirstTeam } from '../src/modules/accounts/teams/first-team.service.ts'

const config = readConfig()
const log = createLog(config)
const opened = await openMigratedDatabase(config, log)
const service = await compose(config, opened, log, {
  publicUrl: config.publicUrl ?? `http://localhost:${config.port}`,
  directPort: Number(process.argv[2]),
})
await ensureFirstTeam(service.context)
await service.app?.listen({ host: config.host, port: config.port })
process.once('SIGTERM', () => void service.close())
