/** What the start and /health say of a service that was restored. */
export const restoreHoldNotice = (backupAt: Date): string =>
  `held since the restore of a backup of ${backupAt.toISOString().slice(0, 16).replace('T', ' ')} UTC: nothing is sent until \`queue resume --all\``

/** The table that a database has while a backup is restored into it (db/migrations/lock-waits.ts). Workers look for it too. */
export const RESTORE_MARKER = 'unfinished_restore'

/** A condition in SQL. It costs a look into what the server has in memory of its catalog. */
export const IS_NOT_BEING_RESTORED = `to_regclass('${RESTORE_MARKER}') is null`

// Whether the database was restored and its queue not resumed since; in SQL, because the statements that claim work ask it. Until then nothing leaves:
// mail is claimed by none and parked by the pause itself, and webhooks, broadcasts and automations rest. It is asked of a table that is nearly always
// empty. A worker that outlived a dropped database may ask while another is restored under the same name.

export const IS_NOT_HELD = `(not exists (select from queue_pauses where backup_at is not null) and ${IS_NOT_BEING_RESTORED})`
