// A service with only its database, started by tests that kill it. Prints one line of JSON: the URL, or the problem.
import { startEmbeddedPostgres } from '../../../src/db/embedded/embedded-postgres.ts'
import { StartupProblem } from '../../../src/lib/startup-problem.ts'
import { silentLog } from './processes.ts'

const [dataDir = ''] = process.argv.slice(2)
const say = (line: { url: string } | { problem: string }) => process.stdout.write(`${JSON.stringify(line)}\n`)

try {
  const database = await startEmbeddedPostgres({ dataDir, log: silentLog })
  say({ url: database.url })
  process.once('SIGTERM', () => void database.stop())
} catch (error) {
  if (!(error instanceof StartupProblem)) throw error
  say({ problem: error.message })
}
