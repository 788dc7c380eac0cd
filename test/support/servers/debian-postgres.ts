// A PostgreSQL of another major version, where Debian's package of one is installed.
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../clocks/until.ts'
import { postgresVersions } from '../processes/missing-programs.ts'
import { freePort, queryAt } from '../processes/processes.ts'

/** The user that the package makes: PostgreSQL refuses to run as root. */
const USER = 'postgres'
const PASSWORD = 'debian-postgres'

export type DebianPostgres = {
  url: string
  /** Shuts it down, and makes it the embedded database of DATA_DIR, as if the Posthaste of then had brought this version. */
  embedIn(dataDir: string): Promise<void>
  stop(): Promise<void>
}

/** The folder of its programs. */
export const debianPrograms = (version: string): string => join(postgresVersions(), version, 'bin')

/** A new server with a database that is empty. */
export async function startDebianPostgres(version: string): Promise<DebianPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'posthaste-test-debian-'))
  const [dataDir, passwordFile, port] = [join(folder, 'data'), join(folder, 'password'), await freePort()]
  mkdirSync(dataDir)
  writeFileSync(passwordFile, PASSWORD)
  for (const path of [folder, dataDir, passwordFile]) chownSync(path, ...ids())
  const program = (name: string) => join(debianPrograms(version), name)
  const asUser = ['--reuid', USER, '--regid', USER, '--init-groups', '--pdeathsig', 'SIGINT']
  const initialize = ['-D', dataDir, '-U', USER, '--pwfile', passwordFile, '-A', 'scram-sha-256', '-E', 'UTF8', '--locale', 'C.UTF-8', '-N']
  execFileSync('setpriv', [...asUser, program('initdb'), ...initialize], { cwd: folder, stdio: 'ignore' })
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off']
  const child = spawn('setpriv', [...asUser, program('postgres'), '-D', dataDir, ...settings.flatMap((one) => ['-c', one])], {
    stdio: 'ignore',
  })
  const ended = new Promise((done) => child.once('close', done))
  const url = `postgresql://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`
  await until(() => queryAt({ connectionString: url }, 'select 1'))
  return {
    url,
    async embedIn(place) {
      child.kill('SIGINT')
      await ended
      execFileSync('cp', ['-a', dataDir, join(place, 'postgres')])
      writeFileSync(join(place, 'postgres-password'), PASSWORD, { mode: 0o600 })
    },
    async stop() {
      child.kill('SIGQUIT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const ids = (): [number, number] => [idOf('-u'), idOf('-g')]
const idOf = (which: string): number => Number(execFileSync('id', [which, USER], { encoding: 'utf8' }))
