// A certificate and its key in two files, which a program such as certbot replaces while the service runs.
import { readFile, stat } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { startPollLoop } from '../../lib/poll-loop.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'

/** In PEM form; `cert` may be a chain. */
export type Certificate = { cert: string; key: string }

export type CertificateFiles = {
  /** What was read last and fits together. */
  current(): Certificate
  /** Calls back when the files hold another certificate. */
  follow(onChange: (certificate: Certificate) => void): void
  stop(): Promise<void>
}

type Options = {
  certFile: string
  keyFile: string
  /** The variables that name the files. */
  variables: { cert: string; key: string }
  /** The files changed, and do not fit together (yet). The certificate stays as it was. */
  onProblem: (error: unknown) => void
  checkEveryMs?: number
}

/** An operator who replaces them looks soon whether the service has noticed. */
const CHECK_EVERY_MS = 2_000

/** @throws StartupProblem if the files cannot be read, or do not fit together. */
export async function openCertificateFiles({
  certFile,
  keyFile,
  variables,
  onProblem,
  checkEveryMs = CHECK_EVERY_MS,
}: Options): Promise<CertificateFiles> {
  const listeners: ((certificate: Certificate) => void)[] = []
  let version = await readVersion([certFile, keyFile])
  let certificate = await readBoth().catch((error: unknown) => {
    throw new StartupProblem(
      `${variables.cert} and ${variables.key} must name a certificate and its key, in PEM form, that this user may read (${certificateErrorReason(error)}).`,
      { cause: error },
    )
  })

  async function readBoth(): Promise<Certificate> {
    const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')])
    // Throws unless the key is that of the certificate.
    createSecureContext({ cert, key })
    return { cert, key }
  }

  async function look(): Promise<void> {
    const found = await readVersion([certFile, keyFile])
    if (found === version) return
    // Once for each change: files that do not fit are said once, and read again when the second one has been replaced.
    version = found
    certificate = await readBoth()
    for (const listener of listeners) listener(certificate)
  }

  const { stop } = startPollLoop(async ({ signal, pause }) => {
    await pause(checkEveryMs)
    if (!signal.aborted) await look().catch(onProblem)
  })
  return {
    current: () => certificate,
    follow: (onChange) => void listeners.push(onChange),
    stop,
  }
}

/** Changes when a file is written or replaced, also through a link. Null for a file that is missing at the moment. */
async function readVersion(files: string[]): Promise<string> {
  const states = await Promise.all(files.map((file) => stat(file, { bigint: true }).catch(() => null)))
  return states.map((state) => state && `${state.ino} ${state.mtimeNs} ${state.size}`).join(', ')
}

function certificateErrorReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && 'path' in error ? `${error.code} ${error.path}` : error.message
}
