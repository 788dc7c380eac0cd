// A query of one row through the local socket of the embedded PostgreSQL, and over TCP on the same machine, in turns.
import pg from 'pg'
import { socketStream } from '../src/db/embedded/embedded-role.ts'
import type { Place } from './place.ts'
import { postgresCpuMs, processCpuMs } from './processor-time.ts'
import { mean, microseconds, type Row } from './table.ts'

const SIZES = { quick: { queries: 1_000, turns: 2 }, full: { queries: 20_000, turns: 8 } }
const CONNECTIONS = 10

type Cost = { wallUs: number; nodeUs: number; postgresUs: number }

export async function measureSocket({ serverUrl, dataDir, isQuick }: Place): Promise<Row[]> {
  const { queries, turns } = isQuick ? SIZES.quick : SIZES.full
  const stream = socketStream(serverUrl)
  if (!stream) return [{ what: 'socket: this machine has none for its database', result: '' }]
  const sides = [{ connectionString: serverUrl, stream }, { connectionString: serverUrl }].map((config) => ({
    clients: Array.from({ length: CONNECTIONS }, () => new pg.Client(config)),
    costs: [] as Cost[],
  }))
  for (const { clients } of sides) await Promise.all(clients.map((client) => client.connect()))
  for (let turn = 0; turn <= turns; turn += 1)
    for (const { clients, costs } of turn % 2 === 0 ? sides : sides.toReversed()) {
      const cost = await costOf(clients, queries, dataDir)
      // In the first turn statements are planned, and code is compiled.
      if (turn > 0) costs.push(cost)
    }
  const [socket, tcp] = sides.map(({ costs }) => costs)
  for (const { clients } of sides) await Promise.all(clients.map((client) => client.end()))
  if (!socket || !tcp) throw new Error('There are two ways')
  const row = (what: string, of: (cost: Cost) => number): Row => {
    const [ours, theirs] = [mean(socket.map(of)), mean(tcp.map(of))]
    return { what: `socket: ${what}`, result: `${microseconds(ours)} and ${microseconds(theirs)}`, ratio: ours / theirs }
  }
  return [
    row('processor time of the service for one query, through the socket and over TCP', ({ nodeUs }) => nodeUs),
    row('processor time of PostgreSQL for the same', ({ postgresUs }) => postgresUs),
    row(`time for one query, ${CONNECTIONS} at a time`, ({ wallUs }) => wallUs),
  ]
}

async function costOf(clients: pg.Client[], queries: number, dataDir: string): Promise<Cost> {
  const cpuMs = () => ({ node: processCpuMs(process.pid), postgres: postgresCpuMs(dataDir), wall: performance.now() })
  const before = cpuMs()
  await Promise.all(
    clients.map(async (client) => {
      for (let count = 0; count < queries / CONNECTIONS; count += 1) await client.query({ ...ONE_ROW, values: [count, 'hello'] })
    }),
  )
  const after = cpuMs()
  const each = (of: keyof typeof after) => ((after[of] - before[of]) * 1_000) / queries
  return { wallUs: each('wall'), nodeUs: each('node'), postgresUs: each('postgres') }
}

const ONE_ROW = { name: 'one-row', text: 'select $1::int as number, $2::text as word' }
