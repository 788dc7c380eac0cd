// Makes everything break that can, one thing after the other, and counts what became of the emails.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { clockBack, clockForward } from './clock.ts'
import { backendsTerminated, connectionsTaken, postgresKilled } from './database.ts'
import { diskFull, diskLow } from './disk.ts'
import { mailServers } from './mail-servers.ts'
import { poison } from './poison.ts'
import { apiKilled, apisKilled, serviceKilled, workerKilled, workersKilled } from './processes-killed.ts'
import { cellsOf, documentOf, tableOf } from './report.ts'
import { type SharedPostgres, startSharedPostgres } from './shared-postgres.ts'
import { closeStages } from './stage.ts'
import type { Fault, Row } from './trial.ts'
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
  mailServers,
  clockForward,
  clockBack,
  poison,
]
const EMAILS = { quick: 400, whole: 2_000 }
const DOCUMENT = resolve(import.meta.dirname, '../../docs/faults.md')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, list: { type: 'boolean', default: false } },
})
const chosen = FAULTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const unknown = positionals.filter((name) => !FAULTS.some((fault) => fault.name === name))
if (values.list || unknown.length > 0) {
  say(`${unknown.length > 0 ? `Unknown: ${unknown.join(', ')}. ` : ''}Faults: ${FAULTS.map(({ name }) => name).join(', ')}`)
  process.exitCode = unknown.length > 0 ? 1 : 0
} else await runAll()

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
  if (chosen.length === FAULTS.length && !values.quick) {
    mkdirSync(dirname(DOCUMENT), { recursive: true })
    writeFileSync(DOCUMENT, documentOf(rows, { date: new Date(), minutes }))
  }
  if (rows.some((row) => !row.notRun && row.problems.length > 0)) process.exitCode = 1
}

async function runOne(fault: Fault, shared: SharedPostgres): Promise<Row[]> {
  const emails = values.quick ? EMAILS.quick : EMAILS.whole
  const rows = await fault.run({ shared, emails, isQuick: values.quick }).catch((error: Error): Row[] => {
    process.exitCode = 1
    return [{ fault: fault.name, notRun: true, remark: `broken off: ${error.message}` }]
  })
  for (const row of rows) say(cellsOf(row).join(' | '))
  return rows
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
