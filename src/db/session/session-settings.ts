// What each connection to the database sets once it is made, because roles, databases and servers have settings of their owners. One statement after
// connecting sets everything: poolers refuse what is set while the connection is made. `set ... to default` and `reset` would return to the values of
// the owner, so no statement uses them.

/**
 * What our statements, and the libraries that run them, rely on. Left to the owner: what only costs or saves time and space (memory, costs of plans,
 * tablespaces), what is logged, and `default_transaction_read_only`, by which owners and hosting providers stop writes on purpose.
 */
const RELIED_ON: Record<string, string> = {
  // Checks are made by locks and unique indexes. A stricter isolation would end transactions that nothing retries.
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // Prisma names this schema in each statement, and ours name none: tables must not be made in one and looked for in another.
  search_path: 'public',
  // The drivers read times in this form only, and take every time for UTC, whatever offset the server writes.
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  client_encoding: 'UTF8',
  bytea_output: 'hex',
  // Less rounds numbers with a fraction.
  extra_float_digits: '1',
  // Patterns in statements contain backslashes, and arrays contain nulls.
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  // Names that are read from the catalog are compared with ours.
  quote_all_identifiers: 'off',
  // A violated unique index is an expected answer, and no reason to end the session.
  exit_on_error: 'off',
  // What was answered for is on the disk. Transactions that may be lost say so themselves. Another value than `off` stays (below).
  synchronous_commit: 'on',
  // A connection of the pool rests, and one that listens is only told something now and then.
  idle_session_timeout: '0',
  // Each statement has a limit; PostgreSQL 17 and newer would add one for all statements of a transaction.
  transaction_timeout: '0',
  lock_timeout: '0',
  // Transactions switch plans off and on for their own statements, starting from here.
  plan_cache_mode: 'auto',
  enable_seqscan: 'on',
  enable_indexscan: 'on',
  enable_indexonlyscan: 'on',
  enable_bitmapscan: 'on',
  enable_nestloop: 'on',
  enable_hashjoin: 'on',
  enable_mergejoin: 'on',
  enable_sort: 'on',
  enable_incremental_sort: 'on',
  enable_partition_pruning: 'on',
  // Our statements read few rows, but look expensive where a kind of plan is switched off, and PostgreSQL before 18 compiled them for seconds.
  jit: 'off',
}

export type SessionLimits = {
  /** For each statement; 0 for none. */
  statementMs: number
  /** For how long a transaction may rest between two statements; 0 for any time. */
  idleInTransactionMs: number
  /** For how long a statement waits for a lock; not longer than for the statement itself if absent. */
  lockMs?: number
}

/** One statement, whose only row says whether the session may write. Settings that the server does not know, because it is older, are left out. */
export function sessionSettings(
  { statementMs, idleInTransactionMs, lockMs = 0 }: SessionLimits,
  others: Record<string, string> = {},
): string {
  const settings = {
    ...RELIED_ON,
    statement_timeout: String(statementMs),
    idle_in_transaction_session_timeout: String(idleInTransactionMs),
    lock_timeout: String(lockMs),
    ...others,
  }
  const values = Object.entries(settings).map(([name, value]) => `('${name}', '${value}')`)
  return `select count(pg_catalog.set_config(name, value, false)), pg_catalog.current_setting('transaction_read_only')::boolean as "isReadOnly"
from (values ${values.join(', ')}) as settings(name, value) where pg_catalog.current_setting(name, true) is not null
  and not (name = 'synchronous_commit' and pg_catalog.current_setting(name) in ('local', 'remote_write', 'remote_apply'))`
}
