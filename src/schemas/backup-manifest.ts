// What a backup says about itself. It is read from a folder that anyone may have changed, so every name in it is of a closed form: files are found by
// names, and none of these leads out of the folder.
import { type Static, Type } from '@sinclair/typebox'

/** Raised when a reader of the form before would misread a backup. */
export const BACKUP_FORMAT = 1

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Count = Type.Integer({ minimum: 0 })
/** The name of a table, a column or a migration. */
const Name = Type.String({ pattern: '^[a-z_][a-z0-9_]*$', maxLength: 63 })
const Moment = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' })

const File = { bytes: Count, sha256: Sha256 }

/** A file of the folder `database`: the rows of a table, in the text format of COPY. */
export const BackupTable = Type.Object({
  /** `queue`: a table of the job queue, which has a schema of its own. */
  of: Type.Unsafe<'service' | 'queue'>({ type: 'string', enum: ['service', 'queue'] }),
  name: Name,
  columns: Type.Array(Name, { minItems: 1 }),
  rows: Count,
  ...File,
})

export const BackupManifest = Type.Object({
  format: Type.Integer({ minimum: 1 }),
  /** Versions of the program and of the server that made it. */
  posthaste: Type.String({ maxLength: 50 }),
  postgres: Type.String({ maxLength: 50 }),
  /** What was committed before is in it. */
  made_at: Moment,
  migrations: Type.Array(Type.Object({ name: Type.String({ pattern: '^[0-9]{4}_[a-z0-9_]+$', maxLength: 100 }), sha256: Sha256 })),
  /** How many changes of its tables the job queue has had. */
  queue_migration: Count,
  tables: Type.Array(BackupTable),
  /** The last number that each has given. */
  sequences: Type.Array(
    Type.Object({ of: BackupTable.properties.of, table: Name, column: Name, value: Type.String({ pattern: '^[0-9]{1,19}$' }) }),
  ),
  /** The days (UTC) for which a table has a partition. */
  partitions: Type.Array(Type.Object({ table: Name, days: Type.Array(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })) })),
  /** `blobs.sha256` names every stored file with its digest. `missing`: rows name them, but there was no such file. */
  blobs: Type.Object({ count: Count, missing: Count, stored_bytes: Count, ...File }),
  /** Null if SECRET_KEY was set outside of DATA_DIR. */
  secret_key: Type.Union([Type.Object(File), Type.Null()]),
})

export type BackupTable = Static<typeof BackupTable>
export type BackupManifest = Static<typeof BackupManifest>
/** What was written to a file. */
export type BackupFile = { bytes: number; sha256: string }
