import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Certificate = { key: string; cert: string }

export type CertificateAuthority = {
  cert: string
  /** A certificate for these host names, signed by this authority. */
  issue(...hosts: string[]): Certificate
  /** Issues a certificate that is valid between these times, as openssl writes them: `20010101000000Z`. */
  issueBetween(validity: { from: string; until: string }, ...hosts: string[]): Certificate
  close(): void
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** A certificate authority that no client trusts yet, made by the openssl of the machine. */
export function createCertificateAuthority(): CertificateAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'))
  const openssl = (...options: string[]) => execFileSync('openssl', options, { cwd: folder, stdio: 'pipe' })
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  openssl('req', '-x509', ...NEW_KEY, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Authority of a test')
  let count = 0

  function request(hosts: string[]): string {
    const name = `host-${++count}`
    writeFileSync(join(folder, `${name}.ext`), `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}\n`)
    openssl('req', ...NEW_KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', '/CN=mail')
    return name
  }
  const readIssued = (name: string): Certificate => ({ key: read(`${name}.key`), cert: read(`${name}.pem`) })

  return {
    cert: read('ca.pem'),
    issue(...hosts) {
      const name = request(hosts)
      const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', `${name}.ext`]
      openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...signing)
      return readIssued(name)
    },
    issueBetween({ from, until }, ...hosts) {
      const name = request(hosts)
      writeFileSync(join(folder, 'index.txt'), '')
      writeFileSync(join(folder, 'ca.cnf'), REGISTER)
      const signing = ['-cert', 'ca.pem', '-keyfile', 'ca.key', '-startdate', from, '-enddate', until, '-extfile', `${name}.ext`]
      openssl('ca', '-batch', '-config', 'ca.cnf', ...signing, '-in', `${name}.csr`, '-out', `${name}.pem`, '-notext')
      return readIssued(name)
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** What openssl needs to set both ends of a validity. */
const REGISTER = `[ca]
default_ca = own
[own]
database = index.txt
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
[any]
commonName = supplied
`

/** For one host, and vouched for by itself. */
export function createSelfSigned(host: string): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'))
  const made = ['-keyout', 'own.key', '-out', 'own.pem', '-days', '2', '-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
  execFileSync('openssl', ['req', '-x509', ...NEW_KEY, ...made], { cwd: folder, stdio: 'pipe' })
  const certificate = { key: readFileSync(join(folder, 'own.key'), 'utf8'), cert: readFileSync(join(folder, 'own.pem'), 'utf8') }
  rmSync(folder, { recursive: true, force: true })
  return certificate
}
