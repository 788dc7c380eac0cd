// A PostgreSQL of another major version, where Debian's package of one is installed.
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../clocks/until.ts'
import { freePort, queryAt } from '../processes/processes.ts'

const VERSIONS = '/usr/lib/postgresql'
/** The user that the package makes: PostgreSQL refuses to run as root. */
const USER = 'postgres'
const PASSWORD = 'debian-postgres'

export type DebianPostgres = { url: string; stop(): Promise<void> }

/** The major versions that are installed, without what has only client programs. */
export const debianVersions = (): string[] =>
  existsSync(VERSIONS) ? readdirSync(VERSIONS).filter((version) => existsSync(join(VERSIONS, version, 'bin', 'initdb'))) : []

/** A new server with a database that is empty. */
export async function startDebianPostgres(version: string): Promise<DebianPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'posthaste-test-debian-'))
  const [dataDir, passwordFile, port] = [join(folder, 'data'), join(folder, 'password'), await freePort()]
  mkdirSync(dataDir)
  writeFileSync(passwordFile, PASSWORD)
  for (const path of [folder, dataDir, passwordFile]) chownSync(path, ...ids())
  const program = (name: string) => join(VERSIONS, version, 'bin', name)
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
    async stop() {
      child.kill('SIGQUIT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const ids = (): [number, number] => [idOf('-u'), idOf('-g')]
const idOf = (which: string): number => Number(execFileSync('id', [which, USER], { encoding: 'utf8' }))
