// Measures the service on this machine, each part compared with the simplest program that does as much of it as possible without Posthaste. What
// the lines mean: docs/benchmarks.md.
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Argument, Command } from 'commander'
import { startEmbeddedPostgres } from '../src/db/embedded/embedded-postgres.ts'
import { prepareRoleOfRun } from '../test/support/servers/postgres.ts'
import { measureAccepting } from './accept.ts'
import { measureAudience } from './audience.ts'
import { measureAuditLog } from './audit-log.ts'
import { measureAutomations } from './automations.ts'
import { measureBackup } from './backup.ts'
import { measureBatches } from './batch.ts'
import { measureBroadcast } from './broadcast.ts'
import { measureBroadcastDelivery } from './broadcast-delivery.ts'
import { measureCosts } from './costs.ts'
import { measureDelivering } from './deliver.ts'
import { measureDestinations } from './destinations.ts'
import { measureExports } from './exports.ts'
import { measureFairness } from './fairness.ts'
import { measureImports } from './imports.ts'
import { measureInbound } from './inbound.ts'
import { measureLimits } from './limits.ts'
import { measureLists } from './lists.ts'
import { GENERATOR } from './load.ts'
import { measureMemory } from './memory.ts'
import { measureMetrics } from './metrics.ts'
import { measureOAuth } from './oauth.ts'
import type { Place } from './place.ts'
import { stopAll } from './processes.ts'
import { measureReceiving } from './receiving.ts'
import { measureRecords } from './records.ts'
import { measureScale } from './scale.ts'
import { measureSearches } from './searches.ts'
import { measureSenders } from './senders.ts'
import { SINK } from './sink.ts'
import { measureSoak } from './soak.ts'
import { measureSocket } from './socket.ts'
import { measureStart } from './start.ts'
import { measureSubmission } from './submission.ts'
import { type Row, table } from './table.ts'
import { measureTracking } from './tracking.ts'
import { measureTurns } from './turns.ts'
import { measureUpgrade } from './upgrade.ts'
import { measureVerifying } from './verify.ts'
import { measureViewers } from './viewers.ts'
import { measureWebhooks } from './webhooks.ts'

const PARTS: Record<string, (place: Place) => Promise<Row[]>> = {
  accept: measureAccepting,
  senders: measureSenders,
  audience: measureAudience,
  'audit-log': measureAuditLog,
  automations: measureAutomations,
  batch: measureBatches,
  broadcast: measureBroadcast,
  mailing: measureBroadcastDelivery,
  costs: measureCosts,
  deliver: measureDelivering,
  exports: measureExports,
  fairness: measureFairness,
  destinations: measureDestinations,
  limits: measureLimits,
  lists: measureLists,
  receiving: measureReceiving,
  records: measureRecords,
  scale: measureScale,
  searches: measureSearches,
  socket: measureSocket,
  imports: measureImports,
  inbound: measureInbound,
  submission: measureSubmission,
  metrics: measureMetrics,
  verify: measureVerifying,
  oauth: measureOAuth,
  tracking: measureTracking,
  turns: measureTurns,
  viewers: measureViewers,
  webhooks: measureWebhooks,
  memory: measureMemory,
  start: measureStart,
  backup: measureBackup,
  upgrade: measureUpgrade,
  soak: measureSoak,
}
/** Only when they are asked for: they take many minutes. */
const LONG = new Set(['soak', 'searches', 'audit-log'])
const SOAK_MINUTES = 30

type Options = { quick: boolean; minutes?: string; entries?: string; profile?: string; beside?: string }

const program = new Command('npm run bench --')
  .description('Measures the service on this machine. What the lines mean: docs/benchmarks.md.')
  .addArgument(new Argument('[parts...]', `what to measure; all but ${[...LONG].join(', ')} unless named`).choices(Object.keys(PARTS)))
  .option('--quick', 'small sizes and short times: shows that everything works, and measures nothing', false)
  .option(
    '--minutes <minutes>',
    `how long the soak takes (${SOAK_MINUTES} unless named), and the single sends of fairness (seconds unless named)`,
  )
  .option('--entries <count>', 'how many entries the audit log has (10,000,000 unless named)')
  .option('--profile <folder>', 'where each service leaves a CPU profile when it stops')
  .option('--beside <folder>', 'another checkout of Posthaste, whose records are measured in turns with ours')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
const options = program.opts<Options>()
const chosen = program.args.length > 0 ? program.args : Object.keys(PARTS).filter((name) => !LONG.has(name))

const quiet = () => {}
const dataDir = mkdtempSync(join(tmpdir(), 'posthaste-bench-'))
const database = await startEmbeddedPostgres({
  dataDir: join(dataDir, 'server'),
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
})
await prepareRoleOfRun(database.url, join(dataDir, 'server'))

async function cleanUp(): Promise<void> {
  await stopAll()
  await database.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void cleanUp().finally(() => process.exit(1)))

try {
  const place = {
    serverUrl: database.url,
    dataDir,
    isQuick: options.quick,
    soakMinutes: Number(options.minutes ?? SOAK_MINUTES),
    fairnessMinutes: options.minutes === undefined ? undefined : Number(options.minutes),
    auditEntries: options.entries === undefined ? undefined : Number(options.entries),
    profileFolder: options.profile,
    besideFolder: options.beside,
  }
  process.stdout.write(
    `${cpus().length} cores, Node ${process.versions.node}, load by ${GENERATOR}, mail to ${SINK}${place.isQuick ? ', quick: the figures mean nothing' : ''}\n\n`,
  )
  // Each part when it ends, so that what was measured is not lost with a later part.
  for (const name of chosen) {
    process.stderr.write(`${name} ...\n`)
    process.stdout.write(`${table((await PARTS[name]?.(place)) ?? [])}\n`)
  }
} finally {
  await cleanUp()
}
