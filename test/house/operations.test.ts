import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { describeApi } from '../../src/compose.ts'
import { createId } from '../../src/lib/ids.ts'
import { type Operation, TAGS } from '../../src/routes/operation.ts'
import { exactValidator } from '../../src/schemas/body-validator.ts'
import { type Answer, startTestService, type TestService } from '../support/service.ts'
import { operationOf, OPERATIONS, type OperationCase } from './operation-cases.ts'

let service: TestService
let operations: Operation[]
let deletedToken: string
/** Replies of successes as handlers made them, before anything was dropped or filled in by the serializer. */
const replies: { operation: Operation; payload: unknown }[] = []

beforeAll(async () => {
  service = await startTestService()
  const { context } = service.service
  operations = (await buildApp(context)).operations
  deletedToken = await service.createKey(service.teamId)
  const { rows } = await context.repositories.apiKeys.list(service.teamId, { limit: 1, after: null, before: null })
  await context.repositories.apiKeys.remove(service.teamId, rows[0]?.id ?? '')
})
