// A whole service on its own database: the same compose as in production, with a real socket.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compose, type Service } from '../../../src/compose.ts'
import { type Config, readConfig } from '../../../src/config.ts'
import { socketStream } from '../../../src/database/embedded/local-socket.ts'
import { partitionedTables } from '../../../src/database/partitions/daily-partitions.ts'
import { createMissingDays } from '../../../src/database/partitions/missing-day.ts'
import type { InboundLimits } from '../../../src/inbound/limits.ts'
import { type Clock, systemClock } from '../../../src/lib/clock.ts'
import { createApiToken, digestOf } from '../../../src/lib/tokens.ts'
import { createLog } from '../../../src/process-log.ts'
import { type Database, openDatabase } from '../../../src/repositories/database.ts'
import { takeRsaKeyPair } from '../builders/rsa-key-pairs.ts'
import { watchAnswers } from './declared-answers.ts'
import { createTestDatabase } from './postgres.ts'

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
  /** What clients that hand in mail may do. */
  submissionLimits?: Partial<InboundLimits>
  /** Another process of that service: on its database and its files, with memory of its own. It is closed before that one. */
  beside?: Pick<TestService, 'config'>
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
  })
  const opened = { database, databaseUrl, close: () => database.close() }
  const service = await compose(config, opened, createLog(config), {
    publicUrl: config.publicUrl ?? 'http://localhost:3000',
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
  const { repositories } = service.context
  const url = (await service.app?.listen({ host: '127.0.0.1', port: 0 })) ?? ''

  async function createKey(teamId: string, permission: 'full_access' | 'sending_access' = 'full_access'): Promise<string> {
    const token = createApiToken()
    await repositories.apiKeys.create(teamId, { name: permission, permission, digest: digestOf(token) })
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
