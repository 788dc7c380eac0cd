// What a migration takes away from the statements of programs that do not know it. A statement names tables, columns, functions and the columns of unique
// indexes, and relies on their types: as long as all of them stay, it stays valid, and as long as nothing is demanded of it that was not, it is accepted.

import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum, type SqlQuery, type SqlResultSet } from '@prisma/driver-adapter-utils'
import type { SchemaContainer, SchemaEngine } from '@prisma/schema-engine-wasm'
import pg from 'pg'
import { schemaFolder } from '../../../src/db/migrations/migrate.ts'

type Column = { table: string; name: string; type: string; isOptional: boolean }
type Rule = { table: string; definition: string; columns: string[]; blocks: string | null }
/** A check that a text is one of these words, or null. */
export type WordCheck = { table: string; column: string; definition: string; words: string[] }
type KeptSchema = { columns: Column[]; rules: Rule[]; arbiters: string[]; functions: string[]; labels: string[]; words: WordCheck[] }

/** Partitions are as their tables are. */
const TABLES = `select oid, relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
  and relname <> '_prisma_migrations'`

/** Without it, an INSERT that does not name the column fails. */
const COLUMNS = `select relname as table, attname as name, format_type(atttypid, atttypmod) as type,
  (not attnotnull or atthasdef or attidentity <> '') as "isOptional"
  from (${TABLES}) t join pg_attribute on attrelid = t.oid where attnum > 0 and not attisdropped`

/** Checks, exclusions, references and unique indexes refuse rows. \`blocks\`: the table whose rows cannot be deleted while others refer to them. */
const RULES = `select relname as table, regexp_replace(pg_get_constraintdef(c.oid), ' NOT VALID$', '') as definition,
    array(select attname::text from pg_attribute where attrelid = t.oid and attnum = any(conkey)) as columns,
    case when contype = 'f' and confdeltype in ('a', 'r') then confrelid::regclass::text end as blocks
    from (${TABLES}) t join pg_constraint c on conrelid = t.oid where contype in ('c', 'x', 'f')
  union all select relname, regexp_replace(pg_get_indexdef(indexrelid), '^.* USING ', 'unique '),
    array(select attname::text from pg_attribute where attrelid = t.oid and attnum = any(indkey)), null
    from (${TABLES}) t join pg_index on indrelid = t.oid where indisunique`

/** What ON CONFLICT may name. */
const ARBITERS = `select relname || ' ' || regexp_replace(pg_get_indexdef(indexrelid), '^.* USING ', '') as text
  from (${TABLES}) t join pg_index on indrelid = t.oid where indisunique`

const FUNCTIONS = `select oid::regprocedure || ' ' || pg_get_function_result(oid) as text from pg_proc where pronamespace = 'public'::regnamespace`

const LABELS = `select enumtypid::regtype || ' ' || enumlabel as text from pg_enum`

/** `CHECK ((state = ANY ('{a,b}'::text[])))`, or an array of texts in its place. */
const WORD_CHECK = /^CHECK \(\(\w+ = ANY \((.*)\)\)\)$/

export async function wordChecks(session: pg.ClientBase): Promise<WordCheck[]> {
  const rules = (await session.query<Rule>(RULES)).rows
  const found = rules.flatMap(({ table, definition, columns: [column = ''] }) => {
    const array = WORD_CHECK.exec(definition)?.[1]
    return array === undefined ? [] : [{ table, column, definition, array }]
  })
  const { rows } = await session.query<{ words: string[][] }>(
    `select jsonb_build_array(${found.map(({ array }) => `to_jsonb(${array})`).join(', ')}) as words`,
  )
  return found.map(({ array: _, ...check }, index) => ({ ...check, words: rows[0]?.words[index] ?? [] }))
}

export async function keptSchema(session: pg.ClientBase): Promise<KeptSchema> {
  const texts = async (sql: string) => (await session.query<{ text: string }>(sql)).rows.map(({ text }) => text)
  return {
    columns: (await session.query<Column>(COLUMNS)).rows,
    rules: (await session.query<Rule>(RULES)).rows,
    arbiters: await texts(ARBITERS),
    functions: await texts(FUNCTIONS),
    labels: await texts(LABELS),
    words: await wordChecks(session),
  }
}

/** What statements that were made for `before` may fail on after the migration; empty if none can. */
export function takenAway(before: KeptSchema, after: KeptSchema): string[] {
  const tables = new Set(before.columns.map(({ table }) => table))
  const isKnown = ({ table, name }: Pick<Column, 'table' | 'name'>) =>
    before.columns.some((column) => column.table === table && column.name === name)
  const gone = (what: string, was: string[], is: string[]) =>
    was.filter((text) => !is.includes(text)).map((text) => `${what} gone: ${text}`)

  const columns = before.columns.flatMap(({ table, name, type, isOptional }) => {
    const now = after.columns.find((column) => column.table === table && column.name === name)
    if (now === undefined) return [`column gone: ${table}.${name}`]
    if (now.type !== type) return [`type changed: ${table}.${name}`]
    return isOptional && !now.isOptional ? [`value demanded: ${table}.${name}`] : []
  })
  const demanded = after.columns
    .filter((column) => tables.has(column.table) && !isKnown(column) && !column.isOptional)
    .map(({ table, name }) => `value demanded: ${table}.${name}`)
  const had = new Set(before.rules.map(({ table, definition }) => `${table} ${definition}`))
  const refused = after.rules
    .filter(({ table, definition }) => !had.has(`${table} ${definition}`))
    // A rule of new columns alone finds them empty, or with their default.
    .filter(({ table, columns: of, blocks }) => (blocks !== null && tables.has(blocks)) || of.some((name) => isKnown({ table, name })))
    .flatMap(({ table, definition }) => {
      const check = after.words.find((one) => one.table === table && one.definition === definition)
      if (check === undefined) return [`rows refused: ${table} ${definition}`]
      const former = before.words.find((one) => one.table === table && one.column === check.column)
      if (former === undefined) return [`first words: ${table}.${check.column}`]
      const gone = former.words.filter((word) => !check.words.includes(word))
      return gone.map((word) => `word refused: ${table}.${check.column} ${word}`)
    })
  return [
    ...columns,
    ...demanded,
    ...refused,
    ...gone('unique index', before.arbiters, after.arbiters),
    ...gone('function', before.functions, after.functions),
    ...gone('label', before.labels, after.labels),
  ]
}

// Compares a database with the models by the engine of `prisma migrate`, as WebAssembly over a driver: nothing is downloaded, and no other process is started.

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

// The columns that may hold only the words of a list, as the models name them: `/// One of LIST.` above a field, where the sources export LIST.

/** `list`: the name of a constant of the sources; null if the model says the words itself, because only SQL writes them. */
export type ListedColumn = { table: string; column: string; list: string | null; words: readonly string[] }

const sources = join(schemaFolder, '../src')

let found: Promise<ListedColumn[]> | undefined

export function listedColumns(): Promise<ListedColumn[]> {
  found ??= Promise.all(namedInModels().map(withWords))
  return found
}

type Named = { table: string; column: string; text: string }

function namedInModels(): Named[] {
  const folder = join(schemaFolder, 'models')
  return readdirSync(folder).flatMap((file) => {
    const models = readFileSync(join(folder, file), 'utf8').split(/^model /m)
    return models.flatMap((model) => {
      const table = /@@map\("(\w+)"\)/.exec(model)?.[1] ?? ''
      return [...model.matchAll(/^ {2}\/\/\/ One of (.*)\.\n {2}(\w+)(.*)$/gm)].map(([, text = '', field = '', rest = '']) => ({
        table,
        column: /@map\("(\w+)"\)/.exec(rest)?.[1] ?? field,
        text,
      }))
    })
  })
}

async function withWords({ table, column, text }: Named): Promise<ListedColumn> {
  const words = [...text.matchAll(/`(.+?)`/g)].map(([, word = '']) => word)
  return words.length > 0 ? { table, column, list: null, words } : { table, column, list: text, words: await wordsOf(text) }
}

async function wordsOf(list: string): Promise<readonly string[]> {
  const declaration = new RegExp(`^export const ${list}\\b`, 'm')
  const files = sourceFiles().filter((file) => declaration.test(readFileSync(file, 'utf8')))
  const [file] = files
  if (file === undefined || files.length > 1) throw new Error(`${files.length} files of src export ${list}, which a model names`)
  const values: Record<string, unknown> = await import(pathToFileURL(file).href)
  return Object.values(Object(values[list])).map(String)
}

/** The files of src that people write. */
export const sourceFiles = (): string[] =>
  readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('generated'))
    .map((name) => join(sources, name))
