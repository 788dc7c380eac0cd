// What the platform gives to all subjects.
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/config.ts'
import { lastBackupRepository } from '../db/backup/last-backup.repository.ts'
import type { Database } from '../db/database.ts'
import { databaseFactRepository, healthRepository } from '../db/health.repository.ts'
import { idempotencyKeyRepository } from '../db/idempotent-requests.ts'
import { scheduledJobRepository } from '../db/jobs/jobs.ts'
import { sweepClockRepository } from '../db/jobs/sweep-clock.repository.ts'
import { type HeldWork, serviceProcessRepository, workerLeaseRepository } from '../db/leases/worker-leases.repository.ts'
import { storageOwnerRepository } from '../db/storage-owner.repository.ts'
import { usedFormRepository } from '../db/used-forms.ts'
import type { BlobStore } from '../io/blobs/blob-store.ts'
import type { StoreMark } from '../io/blobs/store-mark.ts'
import type { DiskSpace } from '../io/files/disk-space.ts'
import type { RemoteFiles } from '../io/http/remote-files.ts'
import type { Metrics } from '../io/metrics.ts'
import type { Clock } from '../lib/clock.ts'
import type { SharedRoom } from '../lib/limits/shared-room.ts'
import type { Tracing } from '../lib/tracing.ts'
import type { TextWork } from '../mail/text-tasks.ts'

/** What stands below all subjects. */
export type PlatformContext = {
  config: Config
  /** For what is large, of requests and of received mail: one room, because either can take all the memory that there is. */
  largeContent: SharedRoom
  /** Base of every link that the service creates, without a slash at the end. */
  publicUrl: string
  clock: Clock
  log: FastifyBaseLogger
  metrics: Metrics
  /** Null unless traces are exported. */
  tracing: Tracing | null
  repositories: ReturnType<typeof platformRepositories>
  gateways: {
    blobs: BlobStore
    /** Says whose these are. */
    storeMark: StoreMark
    diskSpace: DiskSpace
    remoteFiles: RemoteFiles
    /** Works on long texts in threads. */
    texts: TextWork
  }
  /**
   * Called after a commit that created work: messages, `broadcasts`, whose emails are to be made, or what `automations` are told. Workers of this process
   * look at once, and those of others soon.
   */
  wakeWorkers: (work?: 'broadcasts' | 'automations' | 'installation mails') => void
  /** Whether a newer version has changed the tables so that this process cannot work with them, and ends. */
  newerTables: {
    /** What the last look found. */
    areThere(): boolean
    look(): Promise<boolean>
  }
  /** Whether the service will stop in a moment: it still takes requests, and asks for no more of them. */
  isDraining: () => boolean
}

export const platformRepositories = (database: Database, { held }: { held: readonly HeldWork[] }) => ({
  databaseFacts: databaseFactRepository(database),
  health: healthRepository(database),
  idempotencyKeys: idempotencyKeyRepository(database),
  scheduledJobs: scheduledJobRepository(database),
  storageOwner: storageOwnerRepository(database),
  lastBackup: lastBackupRepository(database),
  sweepClock: sweepClockRepository(database),
  usedForms: usedFormRepository(database),
  serviceProcesses: serviceProcessRepository(database),
  workerLeases: workerLeaseRepository(database, { held }),
})
