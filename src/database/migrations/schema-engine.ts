// The engine behind `prisma migrate`, as WebAssembly over our own driver: nothing is downloaded, and no other process is started.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum, type SqlQuery, type SqlResultSet } from '@prisma/driver-adapter-utils'
import type { MigrationList, SchemaContainer, SchemaEngine } from '@prisma/schema-engine-wasm'
import pg from 'pg'
import type { Migration } from './migration-history.ts'

/** The models and migrations that the service was shipped with. */
export const schemaFolder = fileURLToPath(new URL('../../../prisma', import.meta.url))

/** Applies the pending migrations, each in one transaction, and returns their names. Throws an Error with the engine's report if one fails. */
export function applyMigrations(databaseUrl: string, folder: string, migrations: readonly Migration[]): Promise<string[]> {
  return withEngine(databaseUrl, folder, async (engine) => {
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: toMigrationList(folder, migrations),
      filters: NO_FILTERS,
    })
    return appliedMigrationNames
  })
}

/** Records that nothing of a migration that was begun has stayed, so that it is applied again. */
export function markRolledBack(databaseUrl: string, folder: string, migrationName: string): Promise<void> {
  return withEngine(databaseUrl, folder, async (engine) => {
    await engine.markMigrationRolledBack({ migrationName })
  })
}

/**
 * The SQL that would change the database to match the models; '' if they agree. Partitions and what Prisma cannot express are not compared.
 *
 * @internal for the drift test.
 */
export function schemaDrift(databaseUrl: string, folder: string = schemaFolder): Promise<string> {
  return withEngine(databaseUrl, folder, async (engine) => {
    const files = readSchema(folder)
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: folder },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: true,
      filters: NO_FILTERS,
    })
    return exitCode === 0 ? '' : (stdout ?? '')
  })
}

const NO_FILTERS = { externalTables: [], externalEnums: [] }

async function withEngine<T>(databaseUrl: string, folder: string, act: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  const panics: string[] = []
  // The engine reports to this global why it failed. Without it the reason is lost in a TypeError.
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: (message: string) => panics.push(message) } })
  const { SchemaEngine } = await loadEngine()
  // A separate pool, ended here, because the engine releases its advisory lock only when its connections end.
  const pool = new pg.Pool({ connectionString: databaseUrl, max: ENGINE_CONNECTIONS_MAX })
  pool.on('error', () => {})
  const adapters = bindMigrationAwareSqlAdapterFactory(new CatalogPg(pool))
  const datamodels = readSchema(folder).map(({ path, content }): [string, string] => [path, content])
  try {
    const engine = await SchemaEngine.new({ datamodels }, () => {}, adapters)
    try {
      return await act(engine)
    } finally {
      engine.free()
    }
  } catch (error) {
    throw panics.length > 0 ? new Error(`Prisma's schema engine gave up: ${panics.join(' ')}`, { cause: error }) : error
  } finally {
    await pool.end()
  }
}

// It runs one statement after another. A second connection is for a transaction beside them.
const ENGINE_CONNECTIONS_MAX = 2

type Bindings = typeof import('@prisma/schema-engine-wasm/schema_engine_bg')
type EngineExports = { __wbindgen_start(): void }
// TypeScript knows WebAssembly only as part of a browser.
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: Record<string, object>) => { exports: EngineExports }
}

let loading: Promise<Bindings> | undefined

function loadEngine(): Promise<Bindings> {
  loading ??= (async () => {
    const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg')
    const folder = dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm'))
    const module = new WebAssembly.Module(readFileSync(join(folder, 'schema_engine_bg.wasm')))
    const instance = new WebAssembly.Instance(module, { './schema_engine_bg.js': withoutWaiting(bindings) })
    bindings.__wbg_set_wasm(instance.exports)
    instance.exports.__wbindgen_start()
    return bindings
  })()
  return loading
}

// The engine leaves the timer of its lock running, which would keep a command alive for ten seconds after its work is done.
const withoutWaiting = (bindings: object): object =>
  Object.fromEntries(
    Object.entries(bindings).map(([name, bound]) =>
      name.startsWith('__wbg_setTimeout_') ? [name, (act: () => void, ms: number) => setTimeout(act, ms).unref()] : [name, bound],
    ),
  )

// Prisma's adapter, with two corrections that the engine needs.
class CatalogPg extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect()
    // These methods are declared private or protected, and there is no other place to reach them.
    const inside = adapter as unknown as AdapterInside
    keepScriptsWhole(inside)
    knowCharacters(inside)
    return adapter
  }
}

type AdapterInside = {
  executeScript(script: string): Promise<void>
  onError(error: unknown): never
  performIO(query: SqlQuery): Promise<{ fields: { dataTypeID: number }[] }>
  queryRaw(query: SqlQuery): Promise<SqlResultSet>
  underlyingDriver(): pg.Pool
}

// The adapter cuts a script at every semicolon, even inside functions and strings, and runs the pieces one by one. Sent whole, it is one
// transaction (PostgreSQL, "Multiple Statements in a Simple Query"), so that nothing of a failed migration stays.
function keepScriptsWhole(adapter: AdapterInside): void {
  adapter.executeScript = async (script) => {
    try {
      await adapter.underlyingDriver().query(script)
    } catch (error) {
      adapter.onError(error)
    }
  }
}

const CHAR_OID = 18
const TEXT_OID = 25

// The adapter does not know PostgreSQL's type "char", which the engine reads from the catalog and expects as a character.
function knowCharacters(adapter: AdapterInside): void {
  const performIO = adapter.performIO.bind(adapter)
  const queryRaw = adapter.queryRaw.bind(adapter)
  const charactersOf = new WeakMap<SqlQuery, number[]>()
  adapter.performIO = async (query) => {
    const result = await performIO(query)
    const characters = [...result.fields.keys()].filter((index) => result.fields[index]?.dataTypeID === CHAR_OID)
    for (const field of result.fields) if (field.dataTypeID === CHAR_OID) field.dataTypeID = TEXT_OID
    charactersOf.set(query, characters)
    return result
  }
  adapter.queryRaw = async (query) => {
    const result = await queryRaw(query)
    for (const index of charactersOf.get(query) ?? []) result.columnTypes[index] = ColumnTypeEnum.Character
    return result
  }
}

function readSchema(folder: string): SchemaContainer[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.prisma'))
    .sort()
    .map((name) => ({ path: join(folder, name), content: readFileSync(join(folder, name), 'utf8') }))
}

function toMigrationList(folder: string, migrations: readonly Migration[]): MigrationList {
  return {
    baseDir: join(folder, 'migrations'),
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  }
}
