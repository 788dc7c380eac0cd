// A database of its owner that takes connections over TLS alone: a start works, or ends with one sentence that says what to change.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run, temporaryFolder } from '../cli/run-command.ts'
import { type CertificateAuthority, createCertificateAuthority } from '../support/builders/certificates.ts'
import { until } from '../support/clocks/until.ts'
import { createPlace, queryAt } from '../support/processes/processes.ts'
import { useSharedCommands } from '../support/processes/shared-commands.ts'
import { startTlsPostgres, type TlsPostgres } from '../support/servers/other-databases.ts'

const HOUR_MS = 3_600_000

const folder = temporaryFolder()
const commands = useSharedCommands()
let authority: CertificateAuthority
let server: TlsPostgres
beforeAll(async () => {
  authority = createCertificateAuthority()
  const other = createCertificateAuthority()
  const client = authority.issue('client')
  server = await startTlsPostgres(authority.issue('localhost'))
  const files = {
    'ca.pem': authority.cert,
    'other-ca.pem': other.cert,
    'text.pem': 'The certificate of the authority\n',
    'client.pem': client.cert,
    'client-key.pem': client.key,
    'other-key.pem': other.issue('client').key,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text)
  other.close()
})
afterAll(async () => {
  await server?.stop()
  authority.close()
  folder.remove()
})

/** Between these hours from now. */
const valid = (fromHours: number, untilHours: number) =>
  authority.issueBetween({ from: opensslTime(fromHours), until: opensslTime(untilHours) }, 'localhost')
const opensslTime = (hours: number) => `${new Date(Date.now() + hours * HOUR_MS).toISOString().replace(/\D/g, '').slice(0, 14)}Z`

function address(parameters: string, host = 'localhost'): string {
  const search = parameters.replaceAll(/(?<==)[\w-]+\.pem/g, (name) => join(folder.path, name))
  return Object.assign(new URL(server.url), { hostname: host, search }).href
}
const migrateAt = (databaseUrl: string) => commands.run(['migrate'], { folder: folder.path, environment: { DATABASE_URL: databaseUrl } })

async function expectRefused(databaseUrl: string, sentence: string, { run: start }: typeof commands = commands): Promise<void> {
  const { host, pathname } = new URL(databaseUrl)
  const { status, errors } = await start(['start'], { folder: folder.path, environment: { DATABASE_URL: databaseUrl, PORT: '0' } })
  expect(errors).toBe(`The database postgresql://${host}${pathname} cannot be used: ${sentence}\n`)
  expect(status).toBe(1)
}

const TLS_ONLY = 'it takes connections over TLS only. Set sslmode in DATABASE_URL: ?sslmode=verify-full.'
const UNKNOWN_AUTHORITY =
  'its certificate is from an authority that this machine does not know. Name the file with the certificate of that authority in DATABASE_URL: ?sslmode=verify-full&sslrootcert=/path/to/ca.pem.'
const OTHER_HOST = 'its certificate is for another host name. Use that name in DATABASE_URL.'

describe('a database whose certificate is right', () => {
  beforeAll(() => server.show(authority.issue('localhost')))

  it.each([
    ['', TLS_ONLY],
    ['sslmode=disable', TLS_ONLY],
    ['sslmode=require', UNKNOWN_AUTHORITY],
    ['sslmode=verify-full', UNKNOWN_AUTHORITY],
    ['sslmode=verify-full&sslrootcert=other-ca.pem', UNKNOWN_AUTHORITY],
    [
      'sslmode=verify-full&sslrootcert=ca.pem&sslcert=client.pem&sslkey=other-key.pem',
      'the key in sslkey is not that of the certificate in sslcert. Correct these files in DATABASE_URL.',
    ],
  ])('%s: a sentence', (parameters, sentence) => expectRefused(address(parameters), sentence))

  it.each([
    ['sslrootcert=text.pem', 'text.pem', 'sslrootcert', 'a certificate in PEM form'],
    ['sslcert=text.pem', 'text.pem', 'sslcert', 'a certificate in PEM form'],
    ['sslkey=client.pem', 'client.pem', 'sslkey', 'a key in PEM form without a passphrase'],
  ])('%s: a sentence', async (parameter, name, variable, wanted) => {
    const { status, errors } = await migrateAt(address(`sslmode=verify-full&${parameter}`))
    const path = join(folder.path, name)
    expect(errors).toContain(
      `DATABASE_URL names ${path} as its ${variable}, and that file is not ${wanted}: replace it, or correct the path.\n`,
    )
    expect(errors).not.toContain('    at ')
    expect(status).toBe(1)
  })

  it('another name of the same server: a sentence', () =>
    expectRefused(address('sslmode=verify-full&sslrootcert=ca.pem', '127.0.0.1'), OTHER_HOST))

  it.each([
    'sslmode=require&sslrootcert=ca.pem',
    'sslmode=verify-ca&sslrootcert=ca.pem',
    'sslmode=verify-full&sslrootcert=ca.pem',
    'sslmode=no-verify',
    'sslmode=require&uselibpqcompat=true',
  ])('%s: migrated', async (parameters) => {
    expect(await migrateAt(address(parameters))).toMatchObject({ status: 0, out: 'The database is up to date.\n' })
  })
})

describe('a database whose certificate is wrong', () => {
  const VERIFIED = 'sslmode=verify-full&sslrootcert=ca.pem'

  it('expired', async () => {
    await server.show(valid(-48, -1))
    // In a process of its own, which must end by itself.
    await expectRefused(address(VERIFIED), 'its certificate has expired. Renew it there, or set the clock of this machine.', { run })
    expect(await migrateAt(address('sslmode=no-verify'))).toMatchObject({ status: 0 })
  })

  it('not valid yet', async () => {
    await server.show(valid(1, 48))
    await expectRefused(
      address(VERIFIED),
      'its certificate is not valid yet. Set the clock of this machine, or replace the certificate there.',
    )
  })

  it('for another host', async () => {
    await server.show(authority.issue('db.example.com'))
    await expectRefused(address(VERIFIED), OTHER_HOST)
  })
})

it('a service starts and delivers over TLS, answers 503 while the certificate has expired, and works again once it is renewed', async () => {
  await server.show(authority.issue('localhost'))
  const place = await createPlace({ DATABASE_URL: address('sslmode=verify-full&sslrootcert=ca.pem') })
  const inspector = { connectionString: address('sslmode=no-verify') }
  try {
    const { url } = await place.start()
    const headers = { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ from: 'a@example.com', to: 'delivered@resend.dev', subject: 'Hello', text: 'Hello' })
    const send = async () => (await fetch(`${url}/emails`, { method: 'POST', headers, body })).status
    const list = async () => (await fetch(`${url}/domains`, { headers })).status
    const count = async (of: string) => (await queryAt<{ count: number }>(inspector, `select count(*)::int as count from ${of}`))[0]?.count
    expect(await send()).toBe(200)
    await until(async () => expect(await count(`emails where last_event = 'delivered'`)).toBe(1))
    expect(await count('pg_stat_activity join pg_stat_ssl using (pid) where usename = current_user and client_port > 0 and not ssl')).toBe(
      0,
    )

    await server.show(valid(-48, -1))
    await queryAt(
      inspector,
      'select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user and pid <> pg_backend_pid()',
    )
    expect([await send(), await list()]).toEqual([503, 503])

    await server.show(authority.issue('localhost'))
    await until(async () => expect([await send(), await list()]).toEqual([200, 200]))
    await until(async () => expect(await count(`emails where last_event <> 'delivered'`)).toBe(0))
  } finally {
    await place.close()
  }
})

it('a database that takes only clients with a certificate', async () => {
  await server.show(authority.issue('localhost'), { clientsOf: authority.cert })
  await expectRefused(
    address('sslmode=verify-full&sslrootcert=ca.pem'),
    'it takes only clients with a certificate that it knows. Name the files of the certificate and its key in DATABASE_URL: &sslcert=/path/to/client.pem&sslkey=/path/to/client-key.pem.',
  )
  expect(await migrateAt(address('sslmode=verify-full&sslrootcert=ca.pem&sslcert=client.pem&sslkey=client-key.pem'))).toMatchObject({
    status: 0,
  })
})
