import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { isUnavailable } from '../../../src/db/database-errors.ts'
import { createPassword, openDataFolder } from '../../../src/db/embedded/data-folder.ts'
import { createCluster, startEmbeddedPostgres, startOnFreePort } from '../../../src/db/embedded/embedded-postgres.ts'
import { createSocketName, embeddedUrl, socketStream } from '../../../src/db/embedded/embedded-role.ts'
import { findLauncher, findPostgresBinaries } from '../../../src/db/embedded/postgres-launcher.ts'
import { copyPreparedDatabase } from '../../support/processes/places.ts'
import { silentLog as log } from '../../support/processes/processes.ts'

const isLinux = process.platform === 'linux'

let dataDir: string
let stops: (() => Promise<void>)[]
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'posthaste-test-socket-'))
  stops = []
})
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()))
  rmSync(dataDir, { recursive: true, force: true })
})

/** Null through a local socket. */
async function addressOf(config: pg.ClientConfig): Promise<string | null> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<{ address: string | null }>('select inet_client_addr() as address')
    return rows[0]?.address ?? null
  } finally {
    await client.end()
  }
}

const throughSocket = (url: string): pg.ClientConfig => {
  const stream = socketStream(url)
  return { connectionString: url, ...(stream && { stream }) }
}

async function start(options: { onDeath?: () => void } = {}): Promise<string> {
  await copyPreparedDatabase(dataDir)
  const { url, stop } = await startEmbeddedPostgres({ dataDir, log, durable: false, ...options })
  stops.push(stop)
  return url
}

/** A server with a socket of this name, if it can have one. */
async function startWithSocket(socketName: string | null): Promise<string> {
  const folder = openDataFolder(dataDir)
  const binaries = findPostgresBinaries()
  const launcher = findLauncher(folder, binaries, false)
  const password = createPassword(folder)
  createCluster({ folder, binaries, launcher, isDurable: false })
  const { server, options } = await startOnFreePort({
    binaries,
    launcher,
    cluster: folder.cluster,
    password,
    socketName,
    isDurable: false,
    log,
  })
  stops.push(() => server.stop())
  return embeddedUrl(options)
}

const socketsOf = (url: string): string[] =>
  readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .filter((line) => line.includes(`@${new URL(url).searchParams.get('local_socket')}/`))

describe.runIf(isLinux)('a local socket', () => {
  it('leads to the embedded database, and is no file', async () => {
    const url = await start()
    expect(await addressOf(throughSocket(url))).toBeNull()
    expect(socketsOf(url)).not.toEqual([])
    expect(readdirSync(join(dataDir, 'postgres')).filter((name) => name.startsWith('.s.'))).toEqual([])
  })

  it('is passed by those who do not know it', async () => {
    expect(await addressOf({ connectionString: await start() })).toBe('127.0.0.1')
  })

  it('asks for the password', async () => {
    const guessed = Object.assign(new URL(await start()), { password: 'guessed' })
    await expect(addressOf(throughSocket(guessed.href))).rejects.toMatchObject({ code: '28P01' })
  })

  it('has another name at each start', () => {
    expect(createSocketName()).toMatch(/^posthaste-[0-9a-f]{24}$/)
    expect(createSocketName()).not.toBe(createSocketName())
  })

  it('is what the database of a service goes through, also after its server was killed', async () => {
    const { promise: died, resolve } = Promise.withResolvers<void>()
    const url = await start({ onDeath: resolve })
    const database = openDatabase({ databaseUrl: url, stream: socketStream(url), onError: () => {} })
    stops.unshift(() => database.close())
    const address = () => database.execute('select inet_client_addr() as address')
    expect(await address()).toEqual([{ address: null }])
    expect(await database.tables.$queryRawUnsafe('select inet_client_addr()::text as address')).toEqual([{ address: null }])
    process.kill(Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10), 'SIGKILL')
    await died
    await expect.poll(() => address().catch(() => 'away')).toEqual([{ address: null }])
  })

  it('is left out where the server can have none', async () => {
    const url = await startWithSocket('too-long'.repeat(20))
    expect(new URL(url).search).toBe('')
  })

  it('is none of a server that was given no name', async () => {
    expect(new URL(await startWithSocket(null)).search).toBe('')
  })

  it.each<[string, (database: ReturnType<typeof openDatabase>) => Promise<unknown>]>([
    ['a statement', ({ execute }) => execute('select 1')],
    ['Prisma', ({ tables }) => tables.team.findFirst()],
    ['a transaction', ({ records }) => records(({ tables }) => tables.team.findFirst())],
  ])('without its server is unavailability to %s', async (_what, ask) => {
    const url = `postgresql://anyone@127.0.0.1:1/any?local_socket=${createSocketName()}`
    const database = openDatabase({ databaseUrl: url, stream: socketStream(url), onError: () => {} })
    stops.push(() => database.close())
    expect(await ask(database).then(() => 'answered', isUnavailable)).toBe(true)
  })
})

it.each(['', 'nowhere', 'postgresql://ada@127.0.0.1:5432/posthaste?application_name=x'])('is not what %j names', (url) => {
  expect(socketStream(url)).toBeUndefined()
})
