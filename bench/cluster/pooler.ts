// pgbouncer in session mode, which leads to the primary: Patroni tells it who that is.
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../test/support/processes/processes.ts'
import { type Program, startProgram, writeFileFor } from './program.ts'

export const ROLE = { name: 'posthaste', password: 'cluster-posthaste' }
/** Nine processes with at most 20 connections each, and some for what they listen on. */
const SESSIONS_MAX = 250
const CLIENTS_MAX = 500

export type Pooler = {
  port: number
  /** The command of a node whose PostgreSQL listens at `port`. */
  onChange(port: number): string
  start(): void
  stop(): Promise<void>
}

export async function createPooler(folder: string): Promise<Pooler> {
  const port = await freePort()
  const files = {
    configuration: join(folder, 'pgbouncer.ini'),
    databases: join(folder, 'databases.ini'),
    pid: join(folder, 'pgbouncer.pid'),
    users: join(folder, 'users.txt'),
  }
  writeFileFor(files.users, `"${ROLE.name}" "${ROLE.password}"\n`)
  writeFileFor(files.databases, '[databases]\n')
  writeFileFor(files.configuration, configurationOf(port, files))
  let program: Program | undefined

  return {
    port,
    onChange(nodePort) {
      const script = join(folder, `lead-to-${nodePort}`)
      writeFileFor(script, scriptOf(nodePort, files))
      chmodSync(script, 0o700)
      return script
    },
    start() {
      program = startProgram(['pgbouncer', files.configuration], join(folder, 'pgbouncer.log'))
    },
    stop: async () => program?.stop(),
  }
}

type Files = { databases: string; pid: string; users: string }

/** `server_login_retry`: by default pgbouncer refuses everyone for 15 s after it has found no server. */
const configurationOf = (port: number, { databases, pid, users }: Files): string =>
  `%include ${databases}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
pidfile = ${pid}
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = session
max_client_conn = ${CLIENTS_MAX}
default_pool_size = ${SESSIONS_MAX}
server_login_retry = 1
server_connect_timeout = 2
log_connections = 0
log_disconnections = 0
`

/** Patroni gives the action, the role and the name of the cluster. */
const scriptOf = (nodePort: number, { databases, pid }: Files): string =>
  `#!/bin/sh
case "$2" in master | primary) ;; *) exit 0 ;; esac
printf '[databases]\\n* = host=127.0.0.1 port=${nodePort}\\n' > ${databases}.new
mv ${databases}.new ${databases}
if [ -f ${pid} ]; then kill -HUP "$(cat ${pid})"; fi
`
