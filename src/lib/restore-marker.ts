/** The table that a database has while a backup is restored into it (database/migrations/unfinished-restore.ts). Workers look for it too. */
export const RESTORE_MARKER = 'unfinished_restore'

/** A condition in SQL. It costs a look into what the server has in memory of its catalog. */
export const IS_NOT_BEING_RESTORED = `to_regclass('${RESTORE_MARKER}') is null`
