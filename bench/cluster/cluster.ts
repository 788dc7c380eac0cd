// Two database nodes, etcd and a pooler on this machine, reached over loopback only.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../test/support/clocks/until.ts'
import { queryAt } from '../../test/support/processes/processes.ts'
import type { SharedPostgres } from '../faults/shared-postgres.ts'
import { createNode, type DatabaseNode } from './database-node.ts'
import { startEtcd } from './etcd.ts'
import { createPooler, ROLE } from './pooler.ts'
import { checkPrograms, endOf, giveAway } from './program.ts'

export type Cluster = SharedPostgres & {
  primary(): Promise<DatabaseNode>
  /** Resolves when there is a primary, and a standby for which its commits wait. */
  untilWhole(): Promise<void>
}

/** A new standby copies everything first, and one that was the primary is rewound. */
const WHOLE_MS_MAX = 180_000

export async function startCluster(): Promise<Cluster> {
  checkPrograms(['etcd', '/usr/bin/patroni', 'pgbouncer'])
  const folder = mkdtempSync(join(tmpdir(), 'posthaste-cluster-'))
  giveAway(folder)
  const etcd = await startEtcd(folder)
  const pooler = await createPooler(folder)
  const nodes = await Promise.all(
    ['one', 'two'].map((name) => createNode({ name, folder, etcdPort: etcd.port, onChange: pooler.onChange })),
  )
  let databases = 0

  async function primary(): Promise<DatabaseNode> {
    const leader = (await membersOf(nodes)).find(({ role, state }) => role === 'leader' && state === 'running')
    const node = nodes.find(({ name }) => name === leader?.name)
    if (!node) throw new Error('There is no primary')
    return node
  }

  const cluster: Cluster = {
    primary,
    untilWhole: () =>
      until(
        async () => {
          const members = await membersOf(nodes)
          const roles = members.map(({ role }) => role).toSorted()
          if (roles.join() !== 'leader,sync_standby') throw new Error(`The nodes are ${JSON.stringify(members)}`)
        },
        { timeout: WHOLE_MS_MAX, interval: 250 },
      ),
    async createDatabase() {
      databases += 1
      const name = `cluster_${databases}`
      await queryAt({ connectionString: (await primary()).url }, `create database ${name} owner ${ROLE.name}`)
      return `postgresql://${ROLE.name}:${ROLE.password}@127.0.0.1:${pooler.port}/${name}`
    },
    async stop() {
      await pooler.stop()
      await Promise.all(nodes.map((node) => node.stop()))
      await etcd.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }

  try {
    for (const node of nodes) node.start()
    await cluster.untilWhole()
    await queryAt({ connectionString: (await primary()).url }, `create role ${ROLE.name} login password '${ROLE.password}'`)
    pooler.start()
    return cluster
  } catch (error) {
    const reasons = nodes.map(({ log }) => endOf(log)).join('\n')
    await cluster.stop()
    throw new Error(`The cluster has not started:\n${reasons}`, { cause: error })
  }
}

/** Asks both nodes and takes the first answer. */
const membersOf = (nodes: DatabaseNode[]) => Promise.any(nodes.map((node) => node.members()))
