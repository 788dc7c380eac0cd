// What PostgreSQL reads for statements of any kind, those of Prisma too.
import { type Database, openDatabase } from '../../../src/repositories/database.ts'

const SETTINGS = {
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
    Object.entries(SETTINGS)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  )
  const database = openDatabase({ databaseUrl: url.href, onError: () => {}, connectionsMax: 1 })
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
      for (const node of plans.flatMap(nodesOf)) {
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

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
