import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { consoleAddress, describeDelivery, relayLine } from '../../src/cli/start/introduction.ts'
import { until } from '../support/clocks/until.ts'
import { copyPreparedDatabase } from '../support/processes/places.ts'
import { queryAt, queryEmbedded } from '../support/processes/processes.ts'
import { createTestDatabase } from '../support/servers/postgres.ts'
import { startTestService } from '../support/servers/service.ts'
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

describe('a start on a port that is taken', () => {
  it('says so, leaves nothing running, and does not lose the first key; the next one runs, without the SMTP servers whose port is taken, and names their variables', async () => {
    await copyPreparedDatabase(join(folder.path, 'data'))
    const failed = await run(['start'], { folder: folder.path, environment: { PORT: takenPort, LOG_LEVEL: 'error' } })

    expect(failed).toEqual({
      status: 1,
      out: expect.stringMatching(/^ +API key +in \S+first-api-key \(full access; delete the file once you have copied it\)\n$/),
      errors: `Port ${takenPort} of 127.0.0.1 is taken: stop what uses it, or set PORT.\n`,
    })
    expect(existsSync(join(folder.path, 'data/postgres/postmaster.pid'))).toBe(false)

    const token = readFileSync(join(folder.path, 'data/first-api-key'), 'utf8').trim()
    const next = await started({ PORT: '0', INBOUND_PORT: takenPort, SUBMISSION_PORT: takenPort, LOG_LEVEL: 'error' })
    try {
      const url = /API +(http\S+)/.exec(next.out())?.[1]
      const answer = await fetch(`${url}/api-keys`, { headers: { authorization: `Bearer ${token}` } })
      expect(answer.status).toBe(200)
      expect((await fetch(`${url}/health/ready`)).status).toBe(200)
      const line = (name: string) =>
        `Port ${takenPort} of 127.0.0.1 is taken: stop what uses it, or set ${name}. Until the next start, no mail arrives there; everything else runs.\n`
      expect(next.errors()).toBe(line('INBOUND_PORT') + line('SUBMISSION_PORT'))
      expect(next.out()).not.toMatch(/Inbound|Submission/)
      const sessions = `select distinct client_addr as address from pg_stat_activity where application_name = 'posthaste'`
      if (process.platform === 'linux') expect(await queryEmbedded(join(folder.path, 'data'), sessions)).toEqual([{ address: null }])
    } finally {
      await next.end()
    }
  })

  it('ends if it is one of the SMTP server alone', async () => {
    const database = await createTestDatabase()
    const environment = { DATABASE_URL: database.url, ROLES: 'inbound', INBOUND_PORT: takenPort, LOG_LEVEL: 'error' }
    expect(await run(['start'], { folder: folder.path, environment })).toMatchObject({
      status: 1,
      errors: `Port ${takenPort} of 127.0.0.1 is taken: stop what uses it, or set INBOUND_PORT.\n`,
    })
    await database.drop()
  })
})

it.each([
  ['an address of another machine', '192.0.2.1', 'EADDRNOTAVAIL'],
  ['a name that leads nowhere', 'nohost.invalid', '(ENOTFOUND|EAI_AGAIN)'],
])('a start on %s says so in one line before it begins anything', async (_what, host, code) => {
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

it('a start of an installation that has no key says how to make one', async () => {
  const database = await createTestDatabase()
  await queryAt({ connectionString: database.url }, `insert into teams (id, name, created_at) values (uuidv7(), 'Without a key', now())`)
  const child = await started({ DATABASE_URL: database.url, PORT: '0', LOG_LEVEL: 'error' })
  try {
    expect(child.out()).toContain('  API key    none yet; make one: npm run posthaste -- keys create\n')
  } finally {
    await child.end()
    await database.drop()
  }
})

it('each start on a terminal has the link of the first owner, until there is one', async () => {
  const { service, config, close } = await startTestService()
  Object.defineProperty(process.stdout, 'isTTY', { value: true, configurable: true })
  try {
    const address = () => consoleAddress(service.context, config, null)
    expect(await address()).toMatch(/\/console\/sign-in\/[\w-]+ {3}\(makes you the first owner, once, within 24 hours\)$/)
    const { teams, persons } = service.context.repositories
    await persons.becomeFirstOwner((await teams.firstAcrossTeams())?.id ?? '', { email: 'ada@people.example', name: 'Ada' })
    expect(await address()).toMatch(/\/console {3}\(npm run -s posthaste -- console link prints a link that signs in\)$/)
  } finally {
    Reflect.deleteProperty(process.stdout, 'isTTY')
    await close()
  }
})

// All that it makes itself, so that it is a whole one.
describe('a first start, in a folder that others may enter and with a relay that does not answer', () => {
  it('says so, leaves nothing in the folder that they may read, continues, and says nothing of the login', async () => {
    const dataDir = join(folder.path, 'data')
    mkdirSync(dataDir)
    chmodSync(dataDir, 0o755)
    // On Linux this name still leads to this machine, but does not look like it. Nothing listens on that port; one that was free a moment ago may be
    // taken by the database of the service.
    const child = await started({ ...RELAYING, PORT: '0', LOG_LEVEL: 'warn', SMTP_RELAY_URL: 'smtp://anna:hunter2@0.0.0.0:1' })
    try {
      const [warning] = child.out().split('\n')
      expect(JSON.parse(warning ?? '')).toMatchObject({
        folder: dataDir,
        mode: '0755',
        msg: 'other users of this machine may enter DATA_DIR: close it with chmod 700',
      })
      const open = readdirSync(dataDir).filter((name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0)
      expect(open).toEqual([])
      expect(child.out().slice(child.out().indexOf('  Delivery'))).toBe(
        `  Delivery   relay: mail goes to 0.0.0.0:1, over TLS only\n  Relay      does not answer: No connection to 0.0.0.0 port 1: ECONNREFUSED. Mail waits and is retried.\n\n`,
      )
      const ready = `${/API +(http\S+)/.exec(child.out())?.[1]}/health/ready`
      await until(async () => expect((await fetch(ready)).status).toBe(200))
      expect(child.out() + child.errors()).not.toContain('hunter2')
    } finally {
      await child.end()
    }
  })
})

/** With these names, the start has nothing to say about the DNS. */
const RELAYING = {
  BOOTSTRAP_API_KEY: 're_0123456789abcdef0123456789',
  MAIL_HOSTNAME: 'mail.example.com',
  TRACKING_HOST: 'links.example.com',
}

/** A service that has said all that it says at its start. */
async function started(environment: Record<string, string>) {
  const child = launch(['start'], { folder: folder.path, environment })
  let [out, errors] = ['', '']
  child.stdout.on('data', (text) => {
    out += text
  })
  child.stderr.on('data', (text) => {
    errors += text
  })
  await until(() => expect(out).toMatch(/\n\n$/), { timeout: 60_000 })
  return { out: () => out, errors: () => errors, end: () => end(child) }
}

describe('a relay that answers', () => {
  /** What a start says of it. */
  async function linesOf(host: string): Promise<string> {
    const sink = await startSmtpSink({ credentials: { user: 'anna', password: 'hunter2' } })
    const url = `smtp://anna:hunter2@${host}:${sink.port}`
    const { service, config, close } = await startTestService({ environment: { ...RELAYING, ROLES: 'worker', SMTP_RELAY_URL: url } })
    try {
      return `${describeDelivery(config)}\n${await relayLine(service)}`.replaceAll(String(sink.port), '(its port)')
    } finally {
      await close()
      await sink.close()
    }
  }

  it('is told of by where it is and that it answers', async () => {
    expect(await linesOf('127.0.0.1')).toBe(
      'relay: mail goes to 127.0.0.1:(its port), over TLS where it is offered (this machine; the password may go without TLS)\n  Relay      answers, without TLS\n',
    )
  })

  it('is told of by what keeps it from taking mail if it has no TLS for the password', async () => {
    expect(await linesOf('0.0.0.0')).toBe(
      'relay: mail goes to 0.0.0.0:(its port), over TLS only\n  Relay      answers, but takes no mail: SMTP_RELAY_URL needs TLS for its password, and 0.0.0.0 gives none: Error: command not recognized. Mail waits and is retried.\n',
    )
  })
})
