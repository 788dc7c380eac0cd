import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../support/clocks/until.ts'
import { copyPreparedDatabase } from '../support/processes/prepared-database.ts'
import { queryEmbedded } from '../support/processes/processes.ts'
import { createTestDatabase } from '../support/servers/postgres.ts'
import { startSmtpSink } from '../support/servers/smtp-sink.ts'
import { end, launch, run, temporaryFolder } from './run-command.ts'

let folder: ReturnType<typeof temporaryFolder>
let other: Server
let takenPort: string

beforeEach(async () => {
  folder = temporaryFolder()
  other = createServer()
  takenPort = await new Promise((resolve) =>
    other.listen(0, '127.0.0.1', () => {
      const address = other.address()
      resolve(typeof address === 'object' ? String(address?.port) : '')
    }),
  )
})
afterEach(() => {
  other.close()
  folder.remove()
})

it('a start on a port that is taken says so, leaves nothing running, and does not lose the first key', { timeout: 120_000 }, async () => {
  await copyPreparedDatabase(join(folder.path, 'data'))
  const failed = await run(['start'], { folder: folder.path, environment: { PORT: takenPort, LOG_LEVEL: 'error' } })

  expect(failed).toEqual({
    status: 1,
    out: expect.stringMatching(/^ +API key +in \S+first-api-key \(full access; delete the file when you have it\)\n$/),
    errors: `Port ${takenPort} of 127.0.0.1 is taken: stop what uses it, or set PORT.\n`,
  })
  expect(existsSync(join(folder.path, 'data/postgres/postmaster.pid'))).toBe(false)

  const token = readFileSync(join(folder.path, 'data/first-api-key'), 'utf8').trim()
  const child = launch(['start'], { folder: folder.path, environment: { PORT: '0', LOG_LEVEL: 'error' } })
  let out = ''
  child.stdout.on('data', (text) => {
    out += text
  })
  try {
    await until(() => expect(out).toContain('Posthaste is running.'), { timeout: 60_000 })
    const url = /API +(http\S+)/.exec(out)?.[1]
    const answer = await fetch(`${url}/api-keys`, { headers: { authorization: `Bearer ${token}` } })
    expect(answer.status).toBe(200)
    const sessions = `select distinct client_addr as address from pg_stat_activity where application_name = 'posthaste'`
    if (process.platform === 'linux') expect(await queryEmbedded(join(folder.path, 'data'), sessions)).toEqual([{ address: null }])
  } finally {
    await end(child)
  }
})

it('a start whose SMTP server finds its port taken names the variable, and the API runs', { timeout: 120_000 }, async () => {
  await copyPreparedDatabase(join(folder.path, 'data'))
  const environment = { PORT: '0', INBOUND_PORT: takenPort, SUBMISSION_PORT: takenPort, LOG_LEVEL: 'error' }
  const child = launch(['start'], { folder: folder.path, environment })
  let [out, errors] = ['', '']
  child.stdout.on('data', (text) => {
    out += text
  })
  child.stderr.on('data', (text) => {
    errors += text
  })
  try {
    await until(() => expect(out).toContain('Posthaste is running.'), { timeout: 60_000 })
    expect((await fetch(`${/API +(http\S+)/.exec(out)?.[1]}/health/ready`)).status).toBe(200)
    const line = (name: string) =>
      `Port ${takenPort} of 127.0.0.1 is taken: stop what uses it, or set ${name}. Until the next start, no mail arrives there; everything else runs.\n`
    expect(errors).toBe(line('INBOUND_PORT') + line('SUBMISSION_PORT'))
    expect(out).not.toMatch(/Inbound|Submission/)
  } finally {
    await end(child)
  }
})

it('a start of the SMTP server alone ends if its port is taken', { timeout: 120_000 }, async () => {
  await copyPreparedDatabase(join(folder.path, 'data'))
  const environment = { ROLES: 'inbound', INBOUND_PORT: takenPort, LOG_LEVEL: 'error' }
  expect(await run(['start'], { folder: folder.path, environment })).toMatchObject({
    status: 1,
    errors: `Port ${takenPort} of 127.0.0.1 is taken: stop what uses it, or set INBOUND_PORT.\n`,
  })
})

it.each([
  ['an address of another machine', '192.0.2.1', 'EADDRNOTAVAIL'],
  ['a name that leads nowhere', 'nohost.invalid', '(ENOTFOUND|EAI_AGAIN)'],
])('a start on %s says so in one line before it begins anything', { timeout: 60_000 }, async (_what, host, code) => {
  const failed = await run(['start'], { folder: folder.path, environment: { HOST: host, PORT: '0' } })

  expect(failed).toEqual({
    status: 1,
    out: '',
    errors: expect.stringMatching(
      new RegExp(
        `^HOST must be an address of this machine, for example 127\\.0\\.0\\.1, or 0\\.0\\.0\\.0 for all of them; it is "${host}" \\(${code}\\)\\.\n$`,
      ),
    ),
  })
  expect(existsSync(join(folder.path, 'data'))).toBe(false)
})

it('a start names what in .env and outside resembles a variable, also when the rest is wrong, and nothing of its value', async () => {
  writeFileSync(join(folder.path, '.env'), 'SMPT_RELAY_URL=smtp://anna:hunter2@mail.example.com\nGREETING=hello\n')
  const failed = await run(['start'], { folder: folder.path, environment: { DELIVERY: 'relay', DATADIR: '/srv/hunter2' } })
  expect(failed).toEqual({
    status: 1,
    out: '',
    errors:
      'DATADIR: did you mean DATA_DIR?\n' +
      'SMPT_RELAY_URL: did you mean SMTP_RELAY_URL?\n' +
      'DELIVERY=relay needs SMTP_RELAY_URL, for example smtp://user:password@mail.example.com:587.\n',
  })
})

it('a command names them too, and what stands in .env beside the variable that was meant', async () => {
  writeFileSync(join(folder.path, '.env'), 'LOGLEVEL=debug\nLOG_LEVEL=silent\nDATADIR=/srv/hunter2\n')
  const { status, errors } = await run(['teams', 'list'], { folder: folder.path, environment: { DNSSERVERS: '::1', DNS_SERVERS: '' } })
  expect([status, errors.split('\n').slice(0, 2)]).toEqual([
    1,
    ['DATADIR: did you mean DATA_DIR?', 'LOGLEVEL is ignored; LOG_LEVEL is set too.'],
  ])
})

it('a start of an installation that has no key says how to make one', { timeout: 120_000 }, async () => {
  const database = await createTestDatabase()
  const environment = { DATABASE_URL: database.url, PORT: '0', LOG_LEVEL: 'error' }
  const first = launch(['start'], { folder: folder.path, environment })
  await until(() => expect(existsSync(join(folder.path, 'data/first-api-key'))).toBe(true), { timeout: 60_000 })
  await end(first)
  const [key]: { id: string }[] = JSON.parse((await run(['keys', 'list', '--json'], { folder: folder.path, environment })).out)
  expect((await run(['keys', 'revoke', key?.id ?? ''], { folder: folder.path, environment })).status).toBe(0)
  const child = launch(['start'], { folder: folder.path, environment })
  let out = ''
  child.stdout.on('data', (text) => {
    out += text
  })
  try {
    await until(() => expect(out).toMatch(/\n\n$/), { timeout: 60_000 })
    expect(out).toContain('  API key    none yet; make one: npm run posthaste -- keys create\n')
  } finally {
    await end(child)
    await database.drop()
  }
})

it('a start in a folder that others may enter says so, and leaves in it nothing that they may read', { timeout: 120_000 }, async () => {
  const dataDir = join(folder.path, 'data')
  mkdirSync(dataDir)
  chmodSync(dataDir, 0o755)
  const child = launch(['start'], { folder: folder.path, environment: { PORT: '0', LOG_LEVEL: 'warn' } })
  let out = ''
  child.stdout.on('data', (text) => {
    out += text
  })
  try {
    await until(() => expect(out).toMatch(/\n\n$/), { timeout: 60_000 })
    const [warning] = out.split('\n')
    expect(JSON.parse(warning ?? '')).toMatchObject({
      folder: dataDir,
      mode: '0755',
      msg: 'other users of this machine may enter DATA_DIR: close it with chmod 700',
    })
    const open = readdirSync(dataDir).filter((name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0)
    expect(open).toEqual([])
  } finally {
    await end(child)
  }
})

describe('a start with a relay', () => {
  const environment = {
    PORT: '0',
    LOG_LEVEL: 'error',
    BOOTSTRAP_API_KEY: 're_0123456789abcdef0123456789',
    MAIL_HOSTNAME: 'mail.example.com',
    TRACKING_HOST: 'links.example.com',
  }

  /** The output of the start. The service has answered over HTTP by then. */
  async function introductionWith(relayUrl: string): Promise<string> {
    const database = await createTestDatabase()
    const child = launch(['start'], {
      folder: folder.path,
      environment: { ...environment, DATABASE_URL: database.url, SMTP_RELAY_URL: relayUrl },
    })
    let out = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        out += text
      })
    }
    try {
      await until(() => expect(out).toMatch(/\n\n$/), { timeout: 60_000 })
      const ready = `${/API +(http\S+)/.exec(out)?.[1]}/health/ready`
      await until(async () => expect((await fetch(ready)).status).toBe(200))
      return out.slice(out.indexOf('  Delivery'))
    } finally {
      await end(child)
      await database.drop()
    }
  }

  it('says where it is and that it answers', { timeout: 120_000 }, async () => {
    const sink = await startSmtpSink({ credentials: { user: 'anna', password: 'hunter2' } })
    try {
      expect(await introductionWith(`smtp://anna:hunter2@127.0.0.1:${sink.port}`)).toBe(
        `  Delivery   relay: mail goes to 127.0.0.1:${sink.port}, over TLS where it is offered (this machine; the password may go without TLS)\n  Relay      answers, in the clear\n\n`,
      )
    } finally {
      await sink.close()
    }
  })

  it('continues when it does not answer, and says nothing of the login', { timeout: 120_000 }, async () => {
    // On Linux this name still leads to this machine, but does not look like it. Nothing listens on that port; one that was free a moment ago may be
    // taken by the database of the service.
    expect(await introductionWith('smtp://anna:hunter2@0.0.0.0:1')).toBe(
      `  Delivery   relay: mail goes to 0.0.0.0:1, over TLS only\n  Relay      does not answer: No connection to 0.0.0.0 port 1: ECONNREFUSED. Mail waits and is retried.\n\n`,
    )
  })

  it('continues when it has no TLS for the password, and says so', { timeout: 120_000 }, async () => {
    const sink = await startSmtpSink({ credentials: { user: 'anna', password: 'hunter2' } })
    try {
      expect(await introductionWith(`smtp://anna:hunter2@0.0.0.0:${sink.port}`)).toBe(
        `  Delivery   relay: mail goes to 0.0.0.0:${sink.port}, over TLS only\n  Relay      answers, but takes no mail: SMTP_RELAY_URL needs TLS for its password, and 0.0.0.0 gives none: Error: command not recognized. Mail waits and is retried.\n\n`,
      )
    } finally {
      await sink.close()
    }
  })
})
