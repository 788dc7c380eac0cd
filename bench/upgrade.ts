// How long a start takes that brings the tables of an older version to this one.
import pg from 'pg'
import { createId } from '../src/lib/ids.ts'
import { fillBeforeNarrowKeys, migrateUntilBefore } from '../test/support/servers/other-databases.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, type Place, startService } from './place.ts'
import { postgresCpuMs } from './processor-time.ts'
import { atMost, type Row } from './table.ts'

/** The first migration that rewrites what emails have written. */
const BEFORE = '0030_narrow_keys'
const FULL = { teams: 10, emails: 100_000, queued: 1_000 }
const QUICK = { teams: 1, emails: 1_000, queued: 10 }
const SECONDS_MAX = 60
const LIMIT_MS = 180_000

export async function measureUpgrade(place: Place): Promise<Row[]> {
  const { teams, emails, queued } = place.isQuick ? QUICK : FULL
  const databaseUrl = await createDatabase(place, 'bench_upgrade')
  const pool = new pg.Pool({ connectionString: databaseUrl })
  await migrateUntilBefore(BEFORE, { databaseUrl, pool })
  for (let team = 0; team < teams; team += 1) await fillBeforeNarrowKeys(pool, { teamId: createId(), emails, queued })
  await pool.query('vacuum analyze')
  await pool.end()

  const beganMs = performance.now()
  const usedMs = postgresCpuMs(place.dataDir)
  const service = await startService({ ...environmentOf(place, databaseUrl), ROLES: 'api' }, 'posthaste.js', ['start'], LIMIT_MS)
  const seconds = (performance.now() - beganMs) / 1_000
  const cpuSeconds = (postgresCpuMs(place.dataDir) - usedMs) / 1_000
  const kept = { emails: await countRows(databaseUrl, 'emails'), deliveries: await countRows(databaseUrl, 'deliveries') }
  await service.stop()
  await dropDatabase(place, 'bench_upgrade')
  if (kept.emails !== teams * emails || kept.deliveries !== teams * queued)
    throw new Error(`After the upgrade there are ${JSON.stringify(kept)}`)
  return [
    {
      what: `upgrade: ${(teams * emails).toLocaleString('en')} emails, ${(teams * queued).toLocaleString('en')} of them queued`,
      result: `${seconds.toFixed(1)} s`,
      wanted: atMost(seconds, SECONDS_MAX, `under ${SECONDS_MAX} s`),
    },
    { what: 'upgrade: processor time of PostgreSQL meanwhile', result: `${cpuSeconds.toFixed(1)} s` },
  ]
}
