// The two doors to PostgreSQL over one pool: Prisma for records, and plain SQL for what is written and claimed in bulk.
import type { Duplex } from 'node:stream'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { type Prisma, PrismaClient } from '../generated/prisma/client.ts'
import { auditedTables, isOver, mayWrite, type Pending, pendingAct, recordingAct } from './acts.ts'
import { isDiskFull, isOutOfConnections, READ_ONLY, ReadOnlyServer } from './database-errors.ts'
import { sessionSettings } from './session/session-settings.ts'

/** Longer than any of our statements should take. Migrations and detaching partitions use their own connections. */
const STATEMENT_TIMEOUT_MS = 30_000
/** Guards against a server that does not even enforce its own time limits. */
const ANSWER_TIMEOUT_MS = 35_000
const CONNECT_TIMEOUT_MS = 5_000
/** The default of DATABASE_CONNECTIONS. */
const CONNECTIONS_MAX = 20
/** How much longer a transaction of records waits for a connection than the pool lets it, so that the pool's error is the one that is seen. */
const RECORDS_WAIT_MORE_MS = 1_000
/** For a whole transaction of records: two statements that each wait as long as one may. Its locks are never held for longer. */
const RECORDS_MS_MAX = 2 * ANSWER_TIMEOUT_MS

/** A statement that is run so often that each connection parses and plans it only once. */
export type Statement = { name: string; text: string }

export const statement = (name: string, text: string): Statement => ({ name, text })

/**
 * Runs one statement and returns its rows. Works the same on the pool, in our transactions and in Prisma's. `isLast`: nothing follows it in its
 * transaction. Ours then send the commit with it, and wait for the database once less.
 */
export type Execute = <Row extends pg.QueryResultRow = pg.QueryResultRow>(
  sql: string | Statement,
  values?: unknown[],
  options?: { isLast?: boolean },
) => Promise<Row[]>

export type TransactionOptions = {
  /**
   * How its statements are planned, because a table may look small: a connection keeps a plan, and a partition that was empty when it was made has a
   * hundred thousand rows a minute later. `by index`: with indexes. `row by row`: each row by a probe of an index, in the order of that index, and planned
   * anew each time, which takes about as long as the probes for ten rows. `kept`: a connection plans a named statement once, until its tables are analyzed.
   * Only if a test shows that a plan made for nearly empty tables reads no more rows: for these statements, planning takes longer than the work.
   */
  plans?: 'by index' | 'by index, kept' | 'row by row' | 'row by row, kept'
  /**
   * Its commit does not wait for the disk: should PostgreSQL be killed within a second, all of it is undone. A later commit that does wait never lasts
   * without it. For what can be done again, and what no one outside is told.
   */
  mayBeLost?: boolean
  /** All of its statements see the tables as they were at the first of them, and none writes: an act is not recorded by it. */
  readsOneMoment?: boolean
}

/** Prisma's tables and plain SQL on the connection of one transaction: each reads what the other writes. */
export type RecordTransaction = { tables: Prisma.TransactionClient; execute: Execute }

// An incremental sort looks cheap where PostgreSQL does not know that a team or a webhook has nearly all rows. It reads them all for the first one. So
// does a bitmap of them that is sorted, and bitmaps never mark the entries of rows that are gone.
const BEGIN_BY_INDEX = 'begin; set local enable_seqscan = off; set local enable_incremental_sort = off; set local enable_bitmapscan = off'
const BEGIN_ROW_BY_ROW = `${BEGIN_BY_INDEX}; set local enable_hashjoin = off; set local enable_mergejoin = off`
/** How a transaction plans the statements that follow in it. */
export const PLAN_ANEW = 'set local plan_cache_mode = force_custom_plan'
export const PLAN_ONCE = 'set local plan_cache_mode = force_generic_plan'
/** Each kind of plan may be chosen again. */
export const PLANS_AS_USUAL =
  'set local enable_seqscan = on; set local enable_bitmapscan = on; set local enable_hashjoin = on; set local enable_mergejoin = on; set local enable_nestloop = on'
/** PostgreSQL chooses for each statement. */
export const PLAN_AS_USUAL = 'set local plan_cache_mode = auto'
/** The commit waits for the disk, in a transaction that was begun as one that may be lost. */
export const COMMIT_AS_USUAL = 'set local synchronous_commit = on'
const BEGIN_READING = 'begin isolation level repeatable read, read only'
const COMMIT_SOON = '; set local synchronous_commit = off'
const BEGINS = {
  'by index': BEGIN_BY_INDEX,
  'by index, kept': `${BEGIN_BY_INDEX}; ${PLAN_ONCE}`,
  'row by row': `${BEGIN_ROW_BY_ROW}; ${PLAN_ANEW}`,
  'row by row, kept': `${BEGIN_ROW_BY_ROW}; ${PLAN_ONCE}`,
}

export type Database = {
  tables: PrismaClient
  execute: Execute
  /**
   * A transaction for records; rolled back if `work` throws. Never open one across network I/O. `work` is run again if a partition was missing, so
   * it must change nothing outside the database.
   */
  records<Result>(work: (record: RecordTransaction) => Promise<Result>): Promise<Result>
  /** A transaction in plain SQL alone, for statements that are hot, prepared or set-based. It costs half as much. */
  transaction<Result>(work: (execute: Execute) => Promise<Result>, options?: TransactionOptions): Promise<Result>
  /** One statement that is planned row by row and `mayBeLost`, in a transaction of its own. It waits for the database once. */
  probe: Execute
  connect(): Promise<pg.PoolClient>
  pool: ConnectionPool
  /** `isFull`: a statement failed because of that, and no later look has found room. */
  disk: { isFull: boolean }
  /** How many times as long as usual statements and a connection may be waited for. */
  patience: number
  close(): Promise<void>
}

export type DatabaseOptions = {
  databaseUrl: string
  /** Makes what connections go through; over TCP if absent. */
  stream?: (() => Duplex) | undefined
  onError: (error: Error) => void
  connectionsMax?: number
  /** How long to wait for a connection. */
  connectMsMax?: number
  /** How many times as long as usual statements and a connection may be waited for: 1, except in tests, because many share a machine. */
  patience?: number
  /** Refuse connections to a server that is read-only, such as a standby: what cannot be written now is refused before it is begun. */
  mustWrite?: boolean
  /** Called after a failure, once it was rolled back. Returns whether the cause is removed, so that the same can be retried. */
  makeMissingDay?: (pool: pg.Pool, error: unknown) => Promise<boolean>
}

const settingsOf = (statementMs: number): string => sessionSettings({ statementMs, idleInTransactionMs: statementMs })

/** What is asked in one turn is written together: each write is a system call, and wakes the server. */
function sendSoon(client: pg.PoolClient, query: string | pg.QueryConfig): Promise<pg.QueryResult> {
  const { stream } = client.connection
  stream.cork()
  process.nextTick(() => stream.uncork())
  return client.query(query)
}

/** A retry can meet another missing day if its rows belong to several. */
const TRIES_MAX = 5

export function openDatabase(options: DatabaseOptions): Database {
  const { mustWrite = false, patience = 1 } = options
  const { connectMsMax = CONNECT_TIMEOUT_MS * patience } = options
  const settings = settingsOf(STATEMENT_TIMEOUT_MS * patience)
  const pool = new ConnectionPool({
    connectionString: options.databaseUrl,
    ...(options.stream && { stream: options.stream }),
    max: options.connectionsMax ?? CONNECTIONS_MAX,
    connectionTimeoutMillis: connectMsMax,
    query_timeout: ANSWER_TIMEOUT_MS * patience,
    application_name: 'posthaste',
    // Statements that do not need each other's answers are sent together. What runs beside requests waits its turn for each answer, and that adds up.
    pipeline: true,
    onConnect: async (client) => {
      const { rows } = await client.query<{ isReadOnly: boolean }>(settings)
      if (mustWrite && rows[0]?.isReadOnly) throw new ReadOnlyServer()
    },
  })
  let isClosing = false
  const onError = (error: Error) => {
    if (!isClosing) options.onError(error)
  }
  // Without a listener, a connection that the server ends while it is idle would end the process.
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', onError))
  pool.on('connect', watchReadOnly)
  const disk = { isFull: false }
  pool.on('connect', (client) => watchDisk(client, disk))
  pool.on('release', (_error, client) => closeUnfinished(client))
  // Minimal errors: the others quote the values of a statement, and read the stack each time.
  const tables = new PrismaClient({ adapter: new PrismaPg(pool), errorFormat: 'minimal' })
  const queryOf = (sql: string | Statement, values: unknown[]) => (typeof sql === 'string' ? { text: sql, values } : { ...sql, values })
  const executeOnPool: Execute = async (sql, values = []) => (await pool.query(queryOf(sql, values))).rows
  const executeOn =
    (client: pg.PoolClient): Execute =>
    async (sql, values = []) =>
      (await sendSoon(client, queryOf(sql, values))).rows

  async function inTransaction<Result>(work: (execute: Execute) => Promise<Result>, begin: string): Promise<Result> {
    const client = await pool.connect()
    let broken: Error | undefined
    let ended: Promise<unknown> | undefined
    try {
      const begun = sendSoon(client, begin)
      begun.catch(() => {})
      const executeInside = executeOn(client)
      // Sent together, but no answer counts before the transaction has begun.
      const execute: Execute = async <Row extends pg.QueryResultRow>(
        sql: string | Statement,
        values?: unknown[],
        { isLast = false }: { isLast?: boolean } = {},
      ) => {
        if (ended) throw new Error('A statement was run after the last one of its transaction')
        const answer = executeInside<Row>(sql, values)
        answer.catch(() => {})
        if (isLast) {
          // After an error it undoes.
          ended = sendSoon(client, 'commit')
          ended.catch(() => {})
        }
        await begun
        return answer
      }
      const result = await work(execute)
      await begun
      await (ended ?? client.query('commit'))
      return result
    } catch (error) {
      await (ended ?? client.query('rollback')).catch((failure: Error) => {
        broken = failure
      })
      throw error
    } finally {
      client.release(broken)
    }
  }

  async function inTransactionAlone<Row extends pg.QueryResultRow>(sql: string | Statement, values: unknown[] = []): Promise<Row[]> {
    const client = await pool.connect()
    const begun = sendSoon(client, `${BEGINS['row by row']}${COMMIT_SOON}`)
    begun.catch(() => {})
    const answer = executeOn(client)<Row>(sql, values)
    // After an error it undoes.
    const ended = sendSoon(client, 'commit')
    try {
      return await answer
    } finally {
      const broken = await ended.then(
        () => undefined,
        (error: Error) => error,
      )
      client.release(broken)
    }
  }

  async function withMissingDays<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (let triesLeft = TRIES_MAX; ; triesLeft -= 1) {
      try {
        return await attempt()
      } catch (error) {
        if (triesLeft <= 1 || !(await options.makeMissingDay?.(pool, error))) throw error
      }
    }
  }

  const records: Database['records'] = (work) =>
    withMissingDays(() =>
      asAct((recorded) =>
        tables.$transaction(
          (inside) => {
            const execute = executeInside(inside)
            return recorded(execute, () => work({ tables: inside, execute }))
          },
          { maxWait: connectMsMax + RECORDS_WAIT_MORE_MS, timeout: RECORDS_MS_MAX },
        ),
      ),
    )

  const transaction: Database['transaction'] = (work, { plans, mayBeLost = false, readsOneMoment = false } = {}) => {
    const usual = `${plans ? BEGINS[plans] : 'begin'}${mayBeLost ? COMMIT_SOON : ''}`
    const begin = readsOneMoment ? usual.replace('begin', BEGIN_READING) : usual
    if (readsOneMoment || !pendingAct()) return withMissingDays(() => inTransaction(work, begin))
    // The row of the act follows the last statement.
    const working = (execute: Execute) => work((sql, values) => execute(sql, values))
    return withMissingDays(() => asAct((recorded) => inTransaction((execute) => recorded(execute, () => working(execute)), begin)))
  }

  return {
    tables: auditedTables(tables, (work) => records(({ tables: inside }) => work(inside))),
    execute: (sql, values) => {
      if (pendingAct() && mayWrite(typeof sql === 'string' ? sql : sql.text)) return transaction((inside) => inside(sql, values))
      return withMissingDays(() => executeOnPool(sql, values))
    },
    pool,
    disk,
    patience,
    connect: () => pool.connect(),
    records,
    probe: (sql, values) => withMissingDays(() => inTransactionAlone(sql, values)),
    transaction,
    async close() {
      isClosing = true
      await tables.$disconnect()
      await pool.end()
    },
  }
}

type Recorded = <Result>(execute: Execute, work: () => Promise<Result>) => Promise<Result>

/** A transaction that records the act which is pending. Another one that is begun meanwhile does not, and after a rollback the next one does. */
async function asAct<Result>(commit: (recorded: Recorded) => Promise<Result>): Promise<Result> {
  const slot = pendingAct()
  if (!slot) return commit((_execute, work) => work())
  slot.state = 'busy'
  let isRecorded = false
  try {
    const result = await commit(async (execute, work) => {
      const [worked, wasRecorded] = await recordingAct(slot, execute, work)
      isRecorded = wasRecorded
      return worked
    })
    again(slot, isRecorded && isOver(slot) ? 'done' : 'open')
    return result
  } catch (error) {
    again(slot, 'open')
    throw error
  }
}

/** The act may have ended meanwhile. */
function again(slot: Pending, state: Pending['state']): void {
  if (slot.state === 'busy') slot.state = state
}

const executeInside =
  (inside: Prisma.TransactionClient): Execute =>
  (sql, values = []) =>
    inside.$queryRawUnsafe(typeof sql === 'string' ? sql : sql.text, ...values)

/**
 * Prisma returns a connection to the pool even if its ROLLBACK was not answered. The next statement on it would be part of what was to be undone. A
 * server that has become read-only may be one that was the primary, and the next connection leads to the new one.
 */
function closeUnfinished(client: pg.PoolClient): void {
  if ((client.getTransactionStatus() !== 'I' || readOnly.has(client)) && client instanceof pg.Client) void client.end()
}

/** Wherever the error goes, and whatever a library makes of it. */
function watchDisk(client: pg.PoolClient, disk: Database['disk']): void {
  client.connection.on('errorMessage', (error: unknown) => {
    if (isDiskFull(error)) disk.isFull = true
  })
}

const readOnly = new WeakSet<pg.PoolClient>()

/** Prisma catches the errors of its statements, so they are seen where they arrive. */
function watchReadOnly(client: pg.PoolClient): void {
  client.connection.on('errorMessage', ({ code }: { code?: string }) => {
    if (code === READ_ONLY) readOnly.add(client)
  })
}

type Callback = (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void

/** How often a larger pool is tried while there are requests that wait. */
const GROW_AFTER_MS = 250

class ConnectionPool extends pg.Pool {
  readonly connectionsMax: number
  readonly #waitMsMax: number
  #growing: NodeJS.Timeout | undefined

  constructor(config: pg.PoolConfig & { max: number; connectionTimeoutMillis: number }) {
    super(config)
    this.connectionsMax = config.max
    this.#waitMsMax = config.connectionTimeoutMillis
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Callback): void
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    if (callback) {
      this.#connect(callback, performance.now() + this.#waitMsMax)
      return undefined
    }
    return new Promise((resolve, reject) => {
      this.connect((error, client) => (client ? resolve(client) : reject(error)))
    })
  }

  #connect(callback: Callback, deadline: number, refusal?: Error): void {
    super.connect((error, client, done) => {
      if (error && this.#makesDo(error) && performance.now() < deadline) {
        this.#connect(callback, deadline, error)
        return
      }
      // What ends a wait may say only that it took too long.
      if (error && refusal) error.cause ??= refusal
      callback(error, client, done)
    })
  }

  /** Whether requests can wait for a connection that is there. For a while the pool is then as large as it is. */
  #makesDo(error: Error): boolean {
    if (!isOutOfConnections(error) || this.totalCount === 0) return false
    this.options.max = this.totalCount
    this.#growing ??= setTimeout(() => this.#grow(), GROW_AFTER_MS).unref()
    return true
  }

  #grow(): void {
    this.#growing = undefined
    this.options.max = this.connectionsMax
    if (this.waitingCount === 0 || this.ending) return
    // Once it is released, who waits gets it.
    super.connect((error, _client, done) => {
      if (error) this.#makesDo(error)
      else done()
    })
  }
}
