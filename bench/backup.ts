// What a backup and a restore take: of a service that accepts emails meanwhile.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fillBacklog } from './backlog.ts'
import { CONNECTIONS, email } from './email.ts'
import { watchMemory } from './memory-watch.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, type Place, startService } from './place.ts'
import { run, until, untilEnded } from './processes.ts'
import { startOwnSink } from './sink.ts'
import { sendSteadily } from './steady-load.ts'
import { megabytes, perSecond, type Row } from './table.ts'

const FULL = { delivered: 190_000, queued: 10_000, seconds: 20 }
const QUICK = { delivered: 900, queued: 100, seconds: 2 }
const BESIDE_PER_SECOND = 200
const LIMIT_MS = 600_000

/** The emails that are sent beside it stay in the queue, because by then no worker runs. */
export async function measureBackup(place: Place): Promise<Row[]> {
  const { delivered, queued, seconds } = place.isQuick ? QUICK : FULL
  const databaseUrl = await createDatabase(place, 'bench_backup')
  const restoredUrl = await createDatabase(place, 'bench_restored')
  const environment = environmentOf(place, databaseUrl)
  await deliver(environment, databaseUrl, delivered)
  const service = await startService({ ...environment, ROLES: 'api' })
  await (await fillBacklog({ databaseUrl, count: queued, emailAt: email })).release()
  const folder = join(place.dataDir, 'backup')

  const sending = sendSteadily({ url: service.url, perSecond: BESIDE_PER_SECOND, seconds, name: 'beside', isMarked: false })
  await until(
    async () => (await countRows(databaseUrl, 'deliveries')) > queued,
    () => 'No email was accepted beside the backup',
    LIMIT_MS,
  )
  const before = await countRows(databaseUrl, 'emails')
  const backup = await command(['backup', folder], environment)
  const after = await countRows(databaseUrl, 'emails')
  const beside = await sending
  await service.stop()

  const restore = await command(['restore', folder], {
    ...environment,
    DATABASE_URL: restoredUrl,
    DATA_DIR: join(place.dataDir, 'restored'),
  })
  const restored = { emails: await countRows(restoredUrl, 'emails'), deliveries: await countRows(restoredUrl, 'deliveries') }
  for (const name of ['bench_backup', 'bench_restored']) await dropDatabase(place, name)
  if (restored.emails < before || restored.emails > after || restored.emails - restored.deliveries !== delivered)
    throw new Error(`Restored were ${JSON.stringify(restored)} of ${before} to ${after} emails`)

  const what = `${(delivered + queued).toLocaleString('en')} emails, ${queued.toLocaleString('en')} of them queued`
  return [
    { what: `backup: ${what}, ${BESIDE_PER_SECOND} more a second`, result: `${backup.seconds.toFixed(1)} s` },
    { what: 'backup: on disk', result: megabytes(bytesIn(folder)) },
    { what: 'backup: memory of the command', result: megabytes(backup.bytes) },
    { what: 'backup: emails accepted beside it', result: perSecond(beside.answered / ((beside.endMs - beside.startMs) / 1_000)) },
    { what: `backup: restored ${restored.emails.toLocaleString('en')} emails`, result: `${restore.seconds.toFixed(1)} s` },
    { what: 'backup: memory of the restore', result: megabytes(restore.bytes) },
  ]
}

/** So that what is copied has its recipients and attempts, as a service that has been running for a while has. */
async function deliver(environment: Record<string, string>, databaseUrl: string, count: number): Promise<void> {
  const sink = await startOwnSink()
  const service = await startService({
    ...environment,
    SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    SMTP_RELAY_CONNECTIONS: String(CONNECTIONS),
  })
  await (await fillBacklog({ databaseUrl, count, emailAt: email })).release()
  await until(
    async () => (await countRows(databaseUrl, 'deliveries')) === 0,
    () => 'The emails were not delivered',
    LIMIT_MS,
  )
  await service.stop()
  await sink.close()
}

async function command(args: string[], environment: Record<string, string>): Promise<{ seconds: number; bytes: number }> {
  const beganMs = performance.now()
  const child = run('posthaste.js', args, { environment })
  const memory = watchMemory(child.pid ?? 0)
  await untilEnded(child)
  memory.stop()
  return { seconds: (performance.now() - beganMs) / 1_000, bytes: memory.peak() }
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
