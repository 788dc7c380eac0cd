// The user that PostgreSQL runs as. It refuses to run as root, and must still reach its folders if only root may enter them.
import { spawnSync } from 'node:child_process'
import { chownSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { type DataFolder, explainingFiles } from './data-folder.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'

export type Launcher = {
  /** Precedes the program and its arguments. */
  prefix: string[]
  /** The user to whom the data folder must be given first; undefined if it has the right owner. */
  owner: Owner | undefined
}

type Owner = { uid: number; gid: number }

/**
 * Finds a way to run PostgreSQL here, by trying: directly; as root, in a user namespace in which root is another user (the files stay root's); if
 * that is forbidden or cannot reach the folder, as an ordinary user who may enter every folder. Throws a StartupProblem if none works.
 */
export function findLauncher(folder: DataFolder, binaries: Pick<PostgresBinaries, 'postgres'>, clusterExists: boolean): Launcher {
  const owner = explainingFiles(folder.root, () => statSync(clusterExists ? folder.cluster : folder.root))
  const failures: string[] = []
  for (const candidate of candidates(clusterExists ? owner : undefined)) {
    for (const prefix of withDeathSignal(candidate.prefix)) {
      const failure = tryOut(prefix, folder, binaries)
      if (failure === undefined) return { prefix, owner: candidate.owner }
      failures.push(failure)
    }
  }
  throw new StartupProblem(
    process.getuid?.() === 0
      ? `PostgreSQL refuses to run as root, and this machine permits neither a user namespace nor dropping to another user (${failures[0]}): start as an ordinary user, or set DATABASE_URL.`
      : `The embedded PostgreSQL does not run here (${failures.at(-1)}): run npm ci again with install scripts on, or set DATABASE_URL.`,
  )
}

/** Gives a folder and everything in it to `owner`. */
export function giveTo(owner: Owner, folder: string): void {
  explainingFiles(folder, () => {
    for (const path of [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))]) {
      chownSync(path, owner.uid, owner.gid)
    }
  })
}

/** The environment of PostgreSQL's programs. It contains none of ours, which holds secrets. Windows cannot start a program without its own. */
export const launchEnvironment =
  process.platform === 'win32' ? {} : { env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' } }

function candidates(clusterOwner: Owner | undefined): Launcher[] {
  const uid = process.getuid?.()
  const direct: Launcher = { prefix: [], owner: undefined }
  if (process.platform !== 'linux' || uid === undefined) return [direct]
  const accounts = readAccounts()
  // initdb needs the name of its user, and in some containers the user of the process has none.
  const somebody = accounts.find(({ name }) => name === 'nobody') ??
    accounts.find((account) => account.uid !== 0) ?? { uid: 65534, gid: 65534 }
  const namespace: Launcher = {
    prefix: ['unshare', '--user', `--map-user=${somebody.uid}`, `--map-group=${somebody.gid}`],
    owner: undefined,
  }
  if (uid !== 0) return accounts.some((account) => account.uid === uid) ? [direct] : [namespace, direct]
  if (clusterOwner && clusterOwner.uid !== 0) return [{ ...asUser(clusterOwner), owner: undefined }]
  return [namespace, asUser(somebody)]
}

// This one capability lets the user pass folders that only root may enter.
const asUser = ({ uid, gid }: Owner): Launcher => ({
  prefix: ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--inh-caps=+dac_override', '--ambient-caps=+dac_override'],
  owner: { uid, gid },
})

// On Linux the kernel can tell PostgreSQL to shut down when this process dies, for whatever reason.
const withDeathSignal = (prefix: string[]): string[][] =>
  process.platform === 'linux' ? [[...prefix, 'setpriv', '--pdeathsig', 'SIGINT'], prefix] : [prefix]

/** Runs `postgres --version` from within the folder. Returns why it failed, or undefined if it worked. */
function tryOut(prefix: string[], folder: DataFolder, { postgres }: Pick<PostgresBinaries, 'postgres'>): string | undefined {
  const command =
    process.platform === 'win32'
      ? [postgres, '--version']
      : [...prefix, 'sh', '-c', 'cd "$1" && exec "$2" --version', 'sh', folder.root, postgres]
  const [file = postgres, ...rest] = command
  const result = spawnSync(file, rest, { ...launchEnvironment, encoding: 'utf8', timeout: TRY_TIMEOUT_MS, windowsHide: true })
  if (result.status === 0) return undefined
  return result.error?.message ?? (result.stderr.trim().split('\n').at(-1) || `exit status ${result.status ?? result.signal}`)
}

// Printing a version takes milliseconds. The rest is for a machine that swaps.
const TRY_TIMEOUT_MS = 10_000

function readAccounts(): (Owner & { name: string })[] {
  try {
    return readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
      .filter(({ name, uid }) => name !== '' && Number.isInteger(uid))
  } catch {
    // Without the file there are no names, and the fallback number works as well as any.
    return []
  }
}
