import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../support/servers/postgres.ts'
import { databaseLine, run, temporaryFolder } from './run-command.ts'
import { useCommands } from './use-commands.ts'

const { commandWith } = useCommands()

describe('a wrong configuration', () => {
  it.each([
    ['a number out of range', { PORT: '70000' }, 'PORT must be a whole number from 0 to 65535; it is "70000".'],
    [
      'what is not a number',
      { REQUEST_BYTES_MAX: 'lots' },
      'REQUEST_BYTES_MAX must be a whole number from 1048576 to 536870912; it is "lots".',
    ],
    ['an unknown choice', { LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be trace, debug, info, warn, error, fatal or silent; it is "loud".'],
    [
      'an unknown role',
      { ROLES: 'api,web' },
      'ROLES must be api, worker and inbound, or some of them, separated by commas; it is "api,web".',
    ],
    [
      'direct delivery from a machine without a name',
      { DELIVERY: 'direct' },
      'DELIVERY=direct needs MAIL_HOSTNAME: the public name of this machine, which its address must resolve to.',
    ],
    [
      'an object store on the way to which others could read',
      { STORAGE_URL: 's3://files?endpoint=http://s3.example.com' },
      'STORAGE_URL must have an endpoint that begins with https://, unless it is this machine, a private address, or a name of a private network; it is "s3://files?endpoint=http://s3.example.com".',
    ],
    [
      'relay without a relay',
      { DELIVERY: 'relay' },
      'DELIVERY=relay needs SMTP_RELAY_URL, for example smtp://user:password@mail.example.com:587.',
    ],
    [
      'a public URL with a path',
      { PUBLIC_URL: 'https://user:hunter2@example.com/mail' },
      'PUBLIC_URL must be a URL without a path: the API stands at the root of its origin; it is "https://***@example.com/mail".',
    ],
  ])('%s ends every command with status 1 and one line', async (_what, environment, line) => {
    const ended = await commandWith(environment, 'teams', 'list')
    expect(ended).toEqual({ status: 1, out: '', errors: `${line}\n` })
  })

  it.each([
    ['DATABASE_URL', 'mysql://root:hunter2@db.example.com/mail'],
    ['SMTP_RELAY_URL', 'mailto:hunter2'],
    ['SECRET_KEY', 'hunter2'],
    ['BOOTSTRAP_API_KEY', 're_hunter2'],
  ])('says nothing of the value of %s', async (name, value) => {
    const { status, out, errors } = await commandWith({ [name]: value }, 'teams', 'list')

    expect({ status, out }).toEqual({ status: 1, out: '' })
    expect(errors).toMatch(new RegExp(`^${name} must .+\\n$`))
    expect(errors).not.toContain('hunter2')
  })

  it.each([['migrate'], ['migrate --plan']])(
    'says of a database that does not answer `%s` where it is, without user and password',
    async (line) => {
      const closed = createServer()
      const port = await new Promise((resolve) =>
        closed.listen(0, '127.0.0.1', () => {
          const address = closed.address()
          closed.close(() => resolve(typeof address === 'object' ? address?.port : null))
        }),
      )
      const environment = { DATABASE_URL: `postgres://anna:hunter2@127.0.0.1:${port}/mail` }

      const { status, out, errors } = await commandWith(environment, ...line.split(' '))

      expect({ status, out }).toEqual({ status: 1, out: '' })
      expect(errors).toMatch(
        new RegExp(
          `^Database: postgres://127\\.0\\.0\\.1:${port}/mail\\nThe database postgres(ql)?://127\\.0\\.0\\.1:${port}/mail cannot be used: .+\\n$`,
        ),
      )
      expect(errors).not.toMatch(/anna|hunter2/)
    },
  )
})

describe('the file .env', () => {
  let folder: ReturnType<typeof temporaryFolder>
  beforeEach(() => {
    folder = temporaryFolder()
  })
  afterEach(() => folder.remove())

  it('is read from the current folder, and gives way to what is set outside it', async () => {
    writeFileSync(join(folder.path, '.env'), '# A comment\nPORT=70000\nLOG_LEVEL=loud\n')

    const ended = await run(['teams', 'list'], { folder: folder.path, environment: { PORT: '3000' } })

    expect(ended).toMatchObject({ status: 1, errors: expect.stringMatching(/^LOG_LEVEL must be .+; it is "loud"\.\n$/) })
  })

  it('that cannot be read ends the command with one line', async () => {
    // A folder in its place, because root may read every file.
    mkdirSync(join(folder.path, '.env'))

    const ended = await run(['teams', 'list'], { folder: folder.path })

    expect(ended).toEqual({
      status: 1,
      out: '',
      errors: expect.stringMatching(/^The file \.env in this folder cannot be read \(.+\): make it readable, or move it away\.\n$/),
    })
  })
})

describe('migrate', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await createEmptyDatabase()
  })
  afterEach(() => database.drop())

  it('makes the tables of an empty database, and does nothing the second time', async () => {
    const commandOf = (...args: string[]) => commandWith({ DATABASE_URL: database.url }, ...args)
    const planned = (out: string) => ({ status: 0, out, errors: databaseLine(database.url) })

    expect(await commandOf('migrate', '--plan')).toEqual(planned(expect.stringMatching(/^The database is new: .+\n$/)))
    const upToDate = { status: 0, out: 'The database is up to date.\n', errors: databaseLine(database.url) }
    expect(await commandOf('migrate')).toEqual(upToDate)
    expect(await commandOf('migrate', '--plan')).toEqual(planned('No migration is pending.\n'))

    const listed = await commandOf('teams', 'list')
    expect(listed).toEqual({
      status: 0,
      out: '',
      errors: `${databaseLine(database.url)}There is no team yet; \`teams create <name>\` makes one.\n`,
    })
    const created = await commandOf('keys', 'create')
    expect(created).toEqual({
      status: 1,
      out: '',
      errors: `${databaseLine(database.url)}There is no team yet; \`teams create <name>\` makes one.\n`,
    })
  })

  it('is what other commands ask for, which change no tables', async () => {
    const ended = await commandWith({ DATABASE_URL: database.url }, 'keys', 'create')

    expect(ended).toEqual({
      status: 1,
      out: '',
      errors: expect.stringMatching(
        /^Database: .+\nThe database postgresql:\S+ lacks the tables of this version \(0001_init, .+\): run `migrate`, or start the service, which does the same\.\n$/,
      ),
    })
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query(`select from pg_class where relnamespace = 'public'::regnamespace`)
    await client.end()
    expect(rows).toEqual([])
  })
})
