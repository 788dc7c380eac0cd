// How PostgreSQL executes statements: the plan of each that ran, and what in it reads more than a batch may.

import { expect } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { until } from '../clocks/until.ts'
import type { TestService } from './service.ts'
import { openTestDatabase } from './test-databases.ts'

/** Each plan that runs is reported to the client, with what it has read. */
const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': 0,
  'auto_explain.log_level': 'notice',
  'auto_explain.log_format': 'json',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
}
/** From the root of an index to a leaf, and the row; with room for the dead versions of rows that the batch itself has written. */
const PAGES_PER_LOOKUP_MAX = 10
/** Few are suspended or deleted; every statement that sends leaves them out. */
const STOPPED_TEAMS = ['teams_pkey', 'teams_stopped_idx']
/** Operators make their few rows by hand, so no index is of use. */
const SMALL_TABLES = new Set(['queue_pauses'])

export type PlanLimits = {
  /** The statements, in the order in which they run, and the indexes by which each may find its rows. */
  indexes: Record<string, string[]>
  rowsReadMax: number
  /** The statements that are planned each time for their values, so that no plan stays from when a table was empty. */
  plannedAnew?: 'all' | readonly string[]
}

export type Seen = { statements: string[]; problems: string[] }

/** Statistics of these tables are then updated only when a test requests it. */
export const keepStatistics = ({ execute }: Pick<Database, 'execute'>, tables: RegExp): Promise<unknown> =>
  execute(`do $$ declare t regclass; begin
    for t in select oid from pg_class where relkind = 'r' and relname ~ '${tables.source}'
    loop execute format('alter table %s set (autovacuum_enabled = false)', t); end loop; end $$`)

/** One connection, which keeps its plans. */
export function openExplaining(superuserUrl: string, limits: PlanLimits) {
  const plans: Plan[] = []
  const url = new URL(superuserUrl)
  const options = Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value}`)
  url.searchParams.set('options', options.join(' '))
  const database = openTestDatabase(url.href, { connectionsMax: 1 })
  database.pool.on('connect', (client) => {
    // After what each connection sets: plans are made once for all values unless the transaction says otherwise.
    void client.query('set plan_cache_mode = force_generic_plan')
    client.on('notice', ({ message = '' }) => void plans.push(JSON.parse(message.slice(message.indexOf('{')))))
  })
  return {
    database,
    /** What the named statements did that `work` ran on this connection. */
    async see(work: () => Promise<void>, { execute }: Pick<Database, 'execute'> = database): Promise<Seen> {
      plans.length = 0
      await work()
      return judge(execute, plans, limits)
    },
  }
}

async function judge(execute: Database['execute'], plans: Plan[], { indexes, rowsReadMax, plannedAnew = [] }: PlanLimits): Promise<Seen> {
  const prepared = await execute<{ name: string; statement: string; isPlannedAnew: boolean; isPlannedOnce: boolean }>(
    'select name, statement, custom_plans > 0 as "isPlannedAnew", generic_plans > 0 and cardinality(parameter_types) > 0 as "isPlannedOnce" from pg_prepared_statements',
  )
  const mustBeAnew = (name: string) => plannedAnew === 'all' || plannedAnew.includes(name)
  const isPlannedOtherwise = ({ name, isPlannedAnew, isPlannedOnce }: (typeof prepared)[number]) =>
    mustBeAnew(name) ? isPlannedOnce : isPlannedAnew
  const ran = plans.flatMap((plan) =>
    prepared.filter(({ statement }) => statement === plan['Query Text']).map(({ name }) => ({ name, nodes: nodesOf(plan.Plan) })),
  )
  return {
    statements: ran.map(({ name }) => name),
    problems: [
      ...prepared
        .filter(isPlannedOtherwise)
        .map(({ name }) => `${name}: planned ${mustBeAnew(name) ? 'once for all values' : 'for its values'}`),
      ...ran.flatMap(({ name, nodes }) =>
        [...strangeIndexes(indexes[name], nodes), ...nodes.flatMap((node) => problemsOf(node, { nodes, rowsReadMax }))].map(
          (problem) => `${name}: ${problem}`,
        ),
      ),
    ],
  }
}

/** Partitions count under their parents' names. Plan nodes that never ran do not count. */
function strangeIndexes(allowed: string[] = [], nodes: PlanNode[]): string[] {
  const used = nodes.flatMap((node) => (node['Actual Loops'] > 0 ? (node['Index Name'] ?? []) : []))
  const names = new Set(used.map((index) => index.replace(/_p\d{8}/, '')))
  return [...names].filter((index) => ![...allowed, ...STOPPED_TEAMS].includes(index)).map((index) => `by ${index}`)
}

function problemsOf(node: PlanNode, { nodes, rowsReadMax }: { nodes: PlanNode[]; rowsReadMax: number }): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Actual Loops': loops } = node
  if (type.endsWith('Sort')) {
    const sorted = rowsOf(node.Plans?.[0])
    return sorted > rowsReadMax ? [`${type} of ${sorted} rows`] : []
  }
  if (table === undefined || !type.endsWith('Scan')) return []
  const rows = rowsOf(node)
  // What was read first, to know the values that are looked up, is counted where it is read.
  const before = nodes.filter(({ 'Subplan Name': plan }) => plan !== undefined && node['Index Cond']?.includes(`(${plan})`))
  const pages = pagesOf(node) - before.reduce((sum, plan) => sum + pagesOf(plan), 0)
  return [
    ...(type === 'Seq Scan' && !SMALL_TABLES.has(table) && !isEmptyDay(table, node) ? [`${type} of ${table}`] : []),
    ...(rows > rowsReadMax ? [`${rows} rows read of ${table}`] : []),
    ...(pages > PAGES_PER_LOOKUP_MAX * (loops + rows) ? [`${pages} pages read of ${table} for ${rows} rows`] : []),
  ]
}

/** Reading all of a partition that has nothing costs as much as looking into its index, so either may be planned. */
const isEmptyDay = (table: string, node: PlanNode): boolean => /_p\d{8}$/.test(table) && pagesOf(node) === 0

const pagesOf = (node: PlanNode): number => node['Shared Hit Blocks'] + node['Shared Read Blocks']

/** Rows of all loops, including rows that were read in vain. */
const rowsOf = (node?: PlanNode): number =>
  node === undefined
    ? 0
    : node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0))

type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Subplan Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: PlanNode[]
}
type Plan = { 'Query Text': string; Plan: PlanNode }

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

// What PostgreSQL reads for statements of any kind, those of Prisma too.

const READING_SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': 0,
  'auto_explain.log_level': 'notice',
  'auto_explain.log_format': 'json',
  'auto_explain.log_analyze': 'on',
}

/** The rows that were read of each table, those in vain included; and the tables of which all rows were read. */
export type RowsRead = { rows: Record<string, number>; whole: string[] }

/** One connection, whose statements are watched. */
export function openReading(superuserUrl: string): { database: Database; see(work: () => Promise<unknown>): Promise<RowsRead> } {
  const plans: Node[] = []
  const url = new URL(superuserUrl)
  url.searchParams.set(
    'options',
    Object.entries(READING_SETTINGS)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  )
  const database = openTestDatabase(url.href, { connectionsMax: 1 })
  database.pool.on('connect', (client) =>
    client.on('notice', ({ message = '' }) => {
      if (message.includes('{')) plans.push((JSON.parse(message.slice(message.indexOf('{'))) as { Plan: Node }).Plan)
    }),
  )
  return {
    database,
    async see(work) {
      plans.length = 0
      await work()
      const read: RowsRead = { rows: {}, whole: [] }
      for (const node of plans.flatMap(planNodes)) {
        const { 'Relation Name': table, 'Actual Loops': loops, 'Actual Rows': kept, 'Rows Removed by Filter': removed = 0 } = node
        if (table === undefined) continue
        read.rows[table] = (read.rows[table] ?? 0) + Math.ceil(loops * (kept + removed))
        if (node['Node Type'].endsWith('Seq Scan')) read.whole.push(table)
      }
      return read
    },
  }
}

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}

const planNodes = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(planNodes)]

// Whether a transaction waits for another, in the database of one test.

type Service = Pick<TestService, 'database'>

/** A condition on pg_locks, which has the locks of all databases of the server: their tables have the same ids, because all are copies of one. */
export const OF_THIS_DATABASE = 'database = (select oid from pg_database where datname = current_database())'

/**
 * A condition on pg_stat_activity. A commit that tells others waits for those of all databases, by a lock that PostgreSQL names `object`; no test waits
 * for that.
 */
export const WAITS_FOR_LOCK = `wait_event_type = 'Lock' and wait_event <> 'object'`

export async function expectLockWait({ database }: Service): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and ${WAITS_FOR_LOCK}`
  expect(await database.execute(waiting)).not.toEqual([])
}

/** Until a transaction of this database waits for another. */
export const untilLockWait = (service: Service): Promise<void> => until(() => expectLockWait(service))
