// A service on loopback with a realistic team in it, its workers, and the mail servers of everyone that it writes to.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../../src/db/embedded/embedded-postgres.ts'
import { partitionedTables } from '../../../src/db/partitions/daily-partitions.ts'
import { maintainPartitions } from '../../../src/db/partitions/partitions.ts'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { createSignInLink } from '../../../src/modules/accounts/sessions/sessions.service.ts'
import { startWorker } from '../../../src/server/worker.ts'
import { signInPerson } from '../clients/people.ts'
import { memoryFolder } from '../processes/machine.ts'
import { silentLog } from '../processes/processes.ts'
import { startDnsServer } from '../servers/dns-server.ts'
import { createTables } from '../servers/postgres.ts'
import { startTestService, type TestService } from '../servers/service.ts'
import { type SinkMessage, startSmtpSink } from '../servers/smtp-sink.ts'
import { zoneOfEveryone } from './domains.ts'
import { fillRealisticTeam, moveToBeginning } from './realistic-team.ts'
import { OWNER, STAFF, type Team } from './team.ts'
import { SHOP } from './words.ts'

export type RealisticService = {
  service: TestService
  team: Team
  /** Signs in the owner, who is an operator too: the cookie of a browser. */
  signInOwner(): Promise<string>
  /** Signs in the owner once, by hand. */
  signInLink(): Promise<string>
  /** The address of the owner, and the mail to everyone so far. */
  owner: string
  messages: readonly SinkMessage[]
  close(): Promise<void>
}

/** What it may take to fill the team where many tests run at once; alone it takes less than half a minute. */
export const FILLING_MS = 240_000

/** Longer than the team is old. */
const RETENTION_DAYS = 400

/** `publicUrl`: where people sign in by hand, it is an address of this machine. */
export async function startRealisticService(
  say: (step: string) => void,
  { publicUrl }: { publicUrl?: string } = {},
): Promise<RealisticService> {
  const dataDir = await mkdtemp(join(memoryFolder() ?? tmpdir(), 'posthaste-test-pictures-'))
  const postgres = await startEmbeddedPostgres({ dataDir, log: silentLog, durable: false })
  await createTables(postgres.url)
  const dns = await startDnsServer({ ...zoneOfEveryone(), [MAIL_HOSTNAME]: { A: ['127.0.0.1'] } })
  const sink = await startSmtpSink({ onRecipient: (to) => (to.endsWith('@slow-post.example') ? BUSY : undefined) })
  const owner = STAFF.find(({ name }) => name === OWNER)?.email ?? ''
  const now = new Date()
  moveToBeginning(now)
  const service = await startTestService({
    beside: { config: { databaseUrl: postgres.url, dataDir } as TestService['config'] },
    directPort: sink.port,
    ...(publicUrl !== undefined && { publicUrl }),
    environment: {
      ...{
        ROLES: 'api',
        DELIVERY: 'direct',
        SENDER_POLICY: 'verified',
        MAIL_HOSTNAME,
        SENDING_IPS: '203.0.113.25',
        ACCOUNT_FROM: `Posthaste <posthaste@${SHOP.domain}>`,
      },
      ...{ PUBLIC_URL, DNS_SERVERS: dns.address, LOG_RETENTION_DAYS: String(RETENTION_DAYS), OPERATORS: owner },
    },
  })
  const team = await fillRealisticTeam(service, dns, now, say)
  const { context } = service.service
  const worker = startWorker(context, {
    pool: service.database.pool,
    maintainPartitions: () =>
      maintainPartitions(service.database.pool, { tables: partitionedTables, now: new Date(), retentionDays: RETENTION_DAYS }).then(
        () => {},
      ),
  })
  return {
    service,
    team,
    owner,
    messages: sink.messages,
    signInOwner: async () => (await signInPerson(service, OWNER, { email: owner, browser: 'Firefox/140 Linux' })).cookie,
    signInLink: () =>
      createSignInLink(
        { ...context, publicUrl: service.url },
        { personId: team.ids[OWNER] ?? null, teamId: service.teamId, forMs: DAY_MS },
      ),
    async close() {
      await worker.stop()
      await service.close()
      await postgres.stop()
      await sink.close()
      await dns.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Recipients would reach it there. */
const PUBLIC_URL = 'http://post.larkspur.example'

/** It gets the mail of the shop. */
const MAIL_HOSTNAME = 'mail.larkspur.example'

const BUSY = { code: 451, text: '4.3.2 Please try again later: the system is under maintenance' }
