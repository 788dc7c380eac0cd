// Many machines on one: a cluster of PostgreSQL that loses its primary, and a worker that loses the database.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Argument, Command } from 'commander'
import { cellsOf, tableOf, withMachines } from '../faults/report.ts'
import { closeStages } from '../faults/stage.ts'
import type { Row } from '../faults/trial.ts'
import { startCluster } from './cluster.ts'
import { networkCut } from './network-cut.ts'
import { primaryKilled, primarySilent } from './primary-lost.ts'

const WHOLE = { kills: 5, emails: 2_000 }
const QUICK = { kills: 1, emails: 400 }
/** Whatever hangs, it ends. */
const MINUTES_MAX = 30
const DOCUMENT = resolve(import.meta.dirname, '../../docs/faults.md')

const FAULTS = { 'primary-killed': primaryKilled, 'primary-silent': primarySilent, 'network-cut': networkCut }

const command = new Command('npm run cluster --')
  .description('Kills the primary of a PostgreSQL with a standby, and cuts a worker off (docs/faults.md). Needs Debian packages.')
  .addArgument(new Argument('[faults...]', 'what to break; everything unless named').choices(Object.keys(FAULTS)))
  .option('--quick', 'one kill, and fewer emails', false)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
const { quick } = command.opts<{ quick: boolean }>()
const chosen = Object.entries(FAULTS).filter(([name]) => command.args.length === 0 || command.args.includes(name))

const size = quick ? QUICK : WHOLE
const cluster = await startCluster()
const limit = setTimeout(() => void end('it took too long'), MINUTES_MAX * 60_000)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(signal))
const rows: Row[] = []
try {
  for (const [, fault] of chosen) {
    const row = await fault(cluster, size)
    say(cellsOf(row).join(' | '))
    rows.push(row)
  }
} finally {
  clearTimeout(limit)
  await cluster.stop()
}
say(`\n${tableOf(rows)}`)
if (!quick && command.args.length === 0)
  writeFileSync(DOCUMENT, withMachines(readFileSync(DOCUMENT, 'utf8'), rows, { date: new Date(), versions: versionsOf() }))
if (rows.some((row) => row.notRun || row.problems.length > 0)) process.exitCode = 1

async function end(reason: string): Promise<never> {
  say(`Ended: ${reason}`)
  await closeStages()
  await cluster.stop()
  process.exit(1)
}

function versionsOf(): string {
  const packages = ['postgresql', 'patroni', 'etcd-server', 'pgbouncer']
  return execFileSync('dpkg-query', ['--show', ...packages], { encoding: 'utf8' })
    .trim()
    .replaceAll('\t', ' ')
    .replaceAll('\n', ', ')
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
