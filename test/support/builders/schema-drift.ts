// Compares a database with the models by the engine of `prisma migrate`, as WebAssembly over a driver: nothing is downloaded, and no other process is started.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum, type SqlQuery, type SqlResultSet } from '@prisma/driver-adapter-utils'
import type { SchemaContainer, SchemaEngine } from '@prisma/schema-engine-wasm'
import pg from 'pg'
import { schemaFolder } from '../../../src/database/migrations/migrate.ts'

/**
 * The SQL that would change the database to match the models; '' if they agree. Partitions and what Prisma cannot express are not compared.
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
  // Its own, to be ended here: the engine leaves its advisory lock to the end of its connections.
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

// It works through one statement after the other; a second connection is for a transaction beside them.
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
    const instance = new WebAssembly.Instance(module, { './schema_engine_bg.js': bindings })
    bindings.__wbg_set_wasm(instance.exports)
    instance.exports.__wbindgen_start()
    return bindings
  })()
  return loading
}

// Prisma's adapter with one thing mended that the engine needs.
class CatalogPg extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect()
    // These methods are declared private or protected, and there is no other place to reach them.
    knowCharacters(adapter as unknown as AdapterInside)
    return adapter
  }
}

type AdapterInside = {
  performIO(query: SqlQuery): Promise<{ fields: { dataTypeID: number }[] }>
  queryRaw(query: SqlQuery): Promise<SqlResultSet>
}

const CHAR_OID = 18
const TEXT_OID = 25

// The adapter does not know PostgreSQL's type "char", which the engine reads from the catalog and wants as a character.
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
