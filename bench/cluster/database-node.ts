// One of the two database nodes: a Patroni and the PostgreSQL that it looks after.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { freePort } from '../../test/support/processes/processes.ts'
import { type Program, startProgram, writeFileFor } from './program.ts'

/** The shortest that Patroni takes: a primary that does not renew its key for so long is replaced. */
const TTL_S = 20
const LOOP_S = 5
const MAX_CONNECTIONS = 300
const SUPERUSER = { username: 'postgres', password: 'cluster-superuser' }
const REPLICATION = { username: 'replicator', password: 'cluster-replicator' }
/** Debian keeps the programs of each major version apart. */
const VERSIONS = '/usr/lib/postgresql'

export type DatabaseNode = {
  name: string
  port: number
  /** A URL of the superuser, past the pooler. */
  url: string
  start(): void
  /** Kills Patroni and all of its PostgreSQL. Their connections end. */
  kill(): Promise<void>
  /** Stops all of them for good. Their connections stay, and no one answers. */
  freeze(): void
  stop(): Promise<void>
  /** Who is what, as Patroni's own interface tells it. */
  members(): Promise<Member[]>
  log: string
}

export type Member = { name: string; role: string; state: string }

type NodeOptions = {
  name: string
  folder: string
  etcdPort: number
  /** Run with the action, the new role and the name of the cluster. */
  onChange: (port: number) => string
}

export async function createNode({ name, folder, etcdPort, onChange }: NodeOptions): Promise<DatabaseNode> {
  const [port, apiPort] = [await freePort(), await freePort()]
  const dataDir = join(folder, `postgres-${name}`)
  const configuration = join(folder, `patroni-${name}.yml`)
  const log = join(folder, `patroni-${name}.log`)
  const callback = onChange(port)
  writeFileFor(configuration, stringify(configurationOf({ name, dataDir, port, apiPort, etcdPort, callback, folder })))
  let patroni: Program | undefined

  function signalPostgres(signal: NodeJS.Signals): void {
    const postmaster = Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0])
    for (const pid of [postmaster, ...childrenOf(postmaster)]) process.kill(pid, signal)
  }

  return {
    name,
    port,
    log,
    url: `postgresql://${SUPERUSER.username}:${SUPERUSER.password}@127.0.0.1:${port}/postgres`,
    start() {
      patroni = startProgram(['/usr/bin/patroni', configuration], log)
    },
    async kill() {
      // Patroni first, so that it starts nothing again.
      const killed = patroni?.signal('SIGKILL')
      signalPostgres('SIGKILL')
      await killed
    },
    freeze() {
      void patroni?.signal('SIGSTOP')
      signalPostgres('SIGSTOP')
    },
    stop: async () => patroni?.stop(),
    async members() {
      const response = await fetch(`http://127.0.0.1:${apiPort}/cluster`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
      return ((await response.json()) as { members: Member[] }).members
    },
  }
}

const ANSWER_MS_MAX = 2_000

export const newestVersion = (): string => String(Math.max(...readdirSync(VERSIONS).map(Number)))

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

type Parts = { name: string; dataDir: string; port: number; apiPort: number; etcdPort: number; callback: string; folder: string }

/** Commits wait until the standby has them on its disk. A standby that is away is taken out, and put back when it has caught up. */
const configurationOf = ({ name, dataDir, port, apiPort, etcdPort, callback, folder }: Parts) => ({
  scope: 'posthaste',
  name,
  restapi: { listen: `127.0.0.1:${apiPort}`, connect_address: `127.0.0.1:${apiPort}` },
  etcd3: { host: `127.0.0.1:${etcdPort}` },
  bootstrap: {
    dcs: {
      ttl: TTL_S,
      loop_wait: LOOP_S,
      retry_timeout: LOOP_S,
      synchronous_mode: true,
      postgresql: { use_pg_rewind: true, use_slots: true, parameters: { max_connections: MAX_CONNECTIONS } },
    },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
  },
  postgresql: {
    listen: `127.0.0.1:${port}`,
    connect_address: `127.0.0.1:${port}`,
    data_dir: dataDir,
    bin_dir: join(VERSIONS, newestVersion(), 'bin'),
    pgpass: join(folder, `pgpass-${name}`),
    authentication: { superuser: SUPERUSER, replication: REPLICATION, rewind: SUPERUSER },
    pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication replicator 127.0.0.1/32 scram-sha-256'],
    parameters: { unix_socket_directories: '', password_encryption: 'scram-sha-256' },
    callbacks: { on_start: callback, on_restart: callback, on_role_change: callback },
  },
})
