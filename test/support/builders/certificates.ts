import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Certificate = { key: string; cert: string }

export type CertificateAuthority = {
  cert: string
  /** A certificate for these host names, signed by this authority. */
  issue(...hosts: string[]): Certificate
  close(): void
}

/** A certificate authority that no client trusts yet, made by the openssl of the machine. */
export function createCertificateAuthority(): CertificateAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'))
  const openssl = (...options: string[]) => execFileSync('openssl', options, { cwd: folder, stdio: 'pipe' })
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Authority of a test')
  let count = 0

  return {
    cert: read('ca.pem'),
    issue(...hosts) {
      const name = `host-${++count}`
      writeFileSync(join(folder, `${name}.ext`), `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}\n`)
      openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', '/CN=mail')
      const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', `${name}.ext`]
      openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...signing)
      return { key: read(`${name}.key`), cert: read(`${name}.pem`) }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
