// The pool of connections. While the server refuses more connections, requests wait for those that there are.
import pg from 'pg'
import { isOutOfConnections } from '../lib/database-errors.ts'

type Callback = (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void

/** How often a larger pool is tried while there are requests that wait. */
const GROW_AFTER_MS = 250

export class ConnectionPool extends pg.Pool {
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

  #connect(callback: Callback, deadline: number): void {
    super.connect((error, client, done) => {
      if (error && this.#makesDo(error) && performance.now() < deadline) this.#connect(callback, deadline)
      else callback(error, client, done)
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
