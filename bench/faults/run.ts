// Causes one fault after another, and counts what became of the emails.
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Argument, Command } from 'commander'
import { automationClock, automationDatabaseKilled, automationWorkerKilled, automationWorkerStopped } from './automations.ts'
import { broadcastDatabaseKilled, broadcastDiskLow, broadcastKilled, broadcastServiceKilled } from './broadcasts.ts'
import { clockBack, clockForward } from './clock.ts'
import { backendsTerminated, connectionsTaken, postgresKilled } from './database.ts'
import { databaseDiskFull } from './database-disk.ts'
import { diskFull, diskLow } from './disk.ts'
import { mailServers } from './mail-servers.ts'
import { poison } from './poison.ts'
import { apiKilled, apisKilled, serviceKilled, workerKilled, workersKilled } from './processes-killed.ts'
import { receivingDatabaseKilled, receivingDiskLow, receivingProcessKilled } from './receiving.ts'
import { cellsOf, documentOf, machinesOf, tableOf } from './report.ts'
import { rollingRestart } from './restarts.ts'
import { type SharedPostgres, startSharedPostgres } from './shared-postgres.ts'
import { memory512, memory1024 } from './small-memory.ts'
import { smtpRollingRestart } from './smtp-restarts.ts'
import { closeStages } from './stage.ts'
import { submissionDatabaseKilled, submissionDiskLow, submissionProcessKilled } from './submission.ts'
import type { Fault, Row } from './trial.ts'
import { webhookClock, webhookDatabaseKilled, webhookEndpointDown, webhookWorkerKilled, webhookWorkerStopped } from './webhooks.ts'
import { workerStopped } from './worker-stopped.ts'

const FAULTS: Fault[] = [
  apiKilled,
  apisKilled,
  workerKilled,
  workersKilled,
  serviceKilled,
  workerStopped,
  postgresKilled,
  backendsTerminated,
  connectionsTaken,
  diskLow,
  diskFull,
  databaseDiskFull,
  mailServers,
  clockForward,
  clockBack,
  poison,
  rollingRestart,
  smtpRollingRestart,
  memory512,
  memory1024,
  broadcastKilled,
  broadcastServiceKilled,
  broadcastDatabaseKilled,
  broadcastDiskLow,
  webhookEndpointDown,
  webhookDatabaseKilled,
  webhookClock,
  webhookWorkerKilled,
  webhookWorkerStopped,
  receivingDatabaseKilled,
  receivingProcessKilled,
  receivingDiskLow,
  submissionDatabaseKilled,
  submissionProcessKilled,
  submissionDiskLow,
  automationDatabaseKilled,
  automationWorkerKilled,
  automationWorkerStopped,
  automationClock,
]
const EMAILS = { quick: 400, whole: 2_000 }
const DOCUMENT = resolve(import.meta.dirname, '../../docs/faults.md')

const program = new Command('npm run faults --')
  .description('Makes everything break that can, one thing after the other, and counts what became of the emails (docs/faults.md).')
  .addArgument(new Argument('[faults...]', 'what to break; everything unless named').choices(FAULTS.map(({ name }) => name)))
  .option('--quick', 'fewer emails', false)
  .option('--list', 'name the faults, and end', false)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
const options = program.opts<{ quick: boolean; list: boolean }>()
const chosen = FAULTS.filter(({ name }) => program.args.length === 0 || program.args.includes(name))
if (options.list) say(FAULTS.map(({ name }) => name).join('\n'))
else await runAll()

async function runAll(): Promise<void> {
  const startedAtMs = performance.now()
  const shared = await startSharedPostgres()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      await closeStages()
      await shared.stop()
      process.exit(1)
    })
  }
  const rows: Row[] = []
  try {
    for (const fault of chosen) rows.push(...(await runOne(fault, shared)))
  } finally {
    await shared.stop()
  }
  const minutes = Math.ceil((performance.now() - startedAtMs) / 60_000)
  say(`\n${tableOf(rows)}`)
  if (chosen.length === FAULTS.length && !options.quick) {
    const machines = machinesOf(readFileSync(DOCUMENT, 'utf8'))
    writeFileSync(DOCUMENT, documentOf(rows, { date: new Date(), minutes }) + machines)
  }
  if (rows.some((row) => !row.notRun && row.problems.length > 0)) process.exitCode = 1
}

async function runOne(fault: Fault, shared: SharedPostgres): Promise<Row[]> {
  const emails = options.quick ? EMAILS.quick : EMAILS.whole
  const rows = await fault.run({ shared, emails, isQuick: options.quick }).catch((error: Error): Row[] => {
    process.exitCode = 1
    return [{ fault: fault.name, notRun: true, remark: `broken off: ${error.message}` }]
  })
  for (const row of rows) say(cellsOf(row).join(' | '))
  return rows
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
