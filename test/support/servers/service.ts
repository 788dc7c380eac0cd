// RSA key pairs for the domains of tests. Making one takes a tenth of a second of work, so all services of a test worker take the same few in turn.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll } from 'vitest'
import { compose, type Service } from '../../../src/compose.ts'
import { type Config, readConfig } from '../../../src/config/config.ts'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { socketStream } from '../../../src/db/embedded/embedded-role.ts'
import { partitionedTables } from '../../../src/db/partitions/daily-partitions.ts'
import { createMissingDays } from '../../../src/db/partitions/partitions.ts'
import { createLog } from '../../../src/io/log.ts'
import type { InboundLimits } from '../../../src/io/smtp/server/peers.ts'
import { type Clock, systemClock } from '../../../src/lib/clock.ts'
import { createRsaKeyPair, type KeyPair } from '../../../src/lib/crypto/keys.ts'
import { createApiToken, digestToken } from '../../../src/lib/ids.ts'
import { errorStatuses } from '../../../src/plugins/openapi/openapi-errors.ts'
import { onAnswer, undeclaredAnswer } from './declared-answers.ts'
import { createTestDatabase } from './postgres.ts'
import { PATIENCE } from './test-databases.ts'

/** More than any domain has at once. */
const PAIRS = 8

const pairs: Promise<KeyPair>[] = []
let taken = 0

export function takeRsaKeyPair(): Promise<KeyPair> {
  const index = taken++ % PAIRS
  pairs[index] ??= createRsaKeyPair()
  return pairs[index]
}

// A whole service on its own database: the same compose as in production, with a real socket.

export type Answer = { status: number; headers: Headers; body: unknown; text: string }

export type CallOptions = { token?: string | null; body?: unknown; headers?: Record<string, string> }

export type TestService = {
  url: string
  service: Service
  database: Database
  config: Config
  teamId: string
  /** A key with full access, and one that may only send. */
  token: string
  sendingToken: string
  /** Another team, with a key of full access. No other team may reach its records. */
  other: { teamId: string; token: string }
  /** One HTTP request; `body` is sent as JSON unless it is a string or a form, which are sent as they are. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  createKey(teamId: string, permission?: 'full_access' | 'sending_access'): Promise<string>
  close(): Promise<void>
}

export type TestServiceOptions = {
  /** Environment variables besides those that every test needs. */
  environment?: Record<string, string>
  clock?: Clock
  /** Where the recipients' servers listen when mail goes straight to them. */
  directPort?: number
  /** What is left on the disk of a folder. */
  freeBytesOf?: (folder: string) => Promise<number>
  /** What peers of the SMTP server may do. */
  inboundLimits?: Partial<InboundLimits>
  /** What clients that submit mail may do. */
  submissionLimits?: Partial<InboundLimits>
  /** Another process of that service: on its database and its files, with memory of its own. It is closed before that one. */
  beside?: Pick<TestService, 'config'>
  /** An address of this machine in place of PUBLIC_URL, for people who sign in by hand. */
  publicUrl?: string
  /** How many times as long as usual searches, filters and counts may take: 1 in a test of what becomes of those that take too long. */
  patience?: number
  /** Is given the app before its first request. */
  beforeListening?: (app: FastifyInstance) => void
}

/** Starts a service without workers unless `environment.ROLES` says otherwise, and without a rate limit unless it says so. */
export async function startTestService({
  environment = {},
  clock = systemClock,
  directPort,
  freeBytesOf,
  inboundLimits,
  submissionLimits,
  beside,
  publicUrl,
  patience = PATIENCE,
  beforeListening,
}: TestServiceOptions = {}): Promise<TestService> {
  const { databaseUrl, dataDir, drop } = beside
    ? { databaseUrl: beside.config.databaseUrl ?? '', dataDir: beside.config.dataDir, drop: async () => {} }
    : await createPlace()
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: '0',
    ROLES: 'api',
    LOG_LEVEL: 'silent',
    RATE_LIMIT_PER_SECOND: '0',
    RATE_LIMIT_BYTES_PER_SECOND: '0',
    ALLOW_PRIVATE_NETWORKS: 'true',
    ...environment,
  })
  const database = openDatabase({
    databaseUrl,
    stream: socketStream(databaseUrl),
    onError: () => {},
    makeMissingDay: createMissingDays(partitionedTables),
    patience,
  })
  const opened = { database, databaseUrl, close: () => database.close() }
  const service = await compose(config, opened, createLog(config), {
    publicUrl: publicUrl ?? config.publicUrl ?? 'http://localhost:3000',
    clock,
    ...(directPort !== undefined && { directPort }),
    ...(freeBytesOf && { freeBytesOf }),
    ...(inboundLimits && { inboundLimits }),
    ...(submissionLimits && { submissionLimits }),
    failsAtLongTexts: true,
    spareKeyPairs: 0,
    createKeyPair: takeRsaKeyPair,
  })
  const answers = service.app && watchAnswers(service.app)
  if (service.app) beforeListening?.(service.app)
  const { repositories } = service.context
  const url = (await service.app?.listen({ host: '127.0.0.1', port: 0 })) ?? ''

  async function createKey(teamId: string, permission: 'full_access' | 'sending_access' = 'full_access'): Promise<string> {
    const token = createApiToken()
    await repositories.apiKeys.create(teamId, { name: permission, permission, digest: digestToken(token) })
    return token
  }

  const team = await repositories.teams.create('Team of the test')
  const otherTeam = await repositories.teams.create('Other team')
  const token = await createKey(team.id)

  return {
    url,
    service,
    database,
    config,
    teamId: team.id,
    token,
    sendingToken: await createKey(team.id, 'sending_access'),
    other: { teamId: otherTeam.id, token: await createKey(otherTeam.id) },
    createKey,
    async call(method, path, { token: given = token, body, headers = {} } = {}) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(given !== null && { authorization: `Bearer ${given}` }),
          ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' || body instanceof FormData ? body : JSON.stringify(body) }),
      })
      if (!response.headers.has('x-request-id')) throw new Error(`${method} ${path} was answered without x-request-id`)
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: parsed(text), text }
    },
    async close() {
      await service.close()
      await drop()
      answers?.check()
    },
  }
}

/** A database and a folder for files. */
async function createPlace() {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'posthaste-test-service-'))
  async function drop(): Promise<void> {
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  }
  return { databaseUrl: database.url, dataDir, drop }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * What the tests of a file share: started before the first of them, closed after the last, and before what was shared before it. Call it where the
 * file or a `describe` begins. Its fields are there once the tests run.
 */
export function shared<Started extends { close(): unknown }>(start: () => Promise<Started>, timeoutMs?: number): Started {
  let started: Started | undefined
  beforeAll(async () => {
    started = await start()
  }, timeoutMs)
  afterAll(async () => void (await started?.close()))
  const get = (): Started => {
    if (!started) throw new Error('What the tests share is used before it is started')
    return started
  }
  return new Proxy({} as Started, {
    get: (_, name) => Reflect.get(get(), name),
    set: (_, name, value) => Reflect.set(get(), name, value),
    has: (_, name) => Reflect.has(get(), name),
    ownKeys: () => Reflect.ownKeys(get()),
    getOwnPropertyDescriptor: (_, name) => ({ value: Reflect.get(get(), name), enumerable: true, configurable: true }),
  })
}

export type DeclaredAnswers = {
  /** @throws Error about the answers so far that are not declared */
  check(): void
}

export function watchAnswers(app: FastifyInstance): DeclaredAnswers {
  // Every service of a worker has the same operations.
  undeclaredOf ??= undeclaredAnswer(
    app.operations.flatMap((operation) => {
      const statuses = [...operation.statuses, ...errorStatuses(operation)]
      return [operation.path, ...(operation.aliases ?? [])].map((path) => ({ id: operation.id, method: operation.method, path, statuses }))
    }),
  )
  const sentenceOf = undeclaredOf
  const undeclared = new Set<string>()
  app.server.on('request', (request, response) => {
    onAnswer(response, (answer) => {
      const sentence = sentenceOf(request, answer)
      if (sentence !== null) undeclared.add(sentence)
    })
  })
  return {
    check() {
      if (undeclared.size > 0) throw new Error([...undeclared].join('\n'))
    },
  }
}

let undeclaredOf: ReturnType<typeof undeclaredAnswer> | undefined
