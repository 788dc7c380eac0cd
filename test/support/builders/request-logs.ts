// Finds the log of one request. It is handed over after the answer was sent, and written a moment later.
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { until } from '../clocks/until.ts'
import type { CallOptions, TestService } from '../servers/service.ts'
import { TIMESTAMP, UUID } from './answers.ts'

export type LogEntry = { id: string; user_agent: string | null; endpoint: string }

/** A unique value, by which a request can be found. */
export const newAgent = (): string => `test/${randomUUID()}`

/** Makes a request and returns its log, whole. */
export async function logOf(
  service: TestService,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Record<string, unknown>> {
  const agent = newAgent()
  await service.call(method, path, { ...options, headers: { ...options.headers, 'user-agent': agent } })
  const { body } = await service.call('GET', `/logs/${await logIdOf(service, agent)}`)
  return body as Record<string, unknown>
}

/** The id of the log of the request with this User-Agent, once it is written. */
export function logIdOf(service: TestService, agent: string): Promise<string> {
  return until(async () => {
    const found = (await listLogs(service)).find((log) => log.user_agent === agent)
    expect(found).toBeDefined()
    return found?.id ?? ''
  })
}

/** The newest 100. */
export async function listLogs(service: TestService): Promise<LogEntry[]> {
  await service.service.context.repositories.requestLogs.flush()
  return ((await service.call('GET', '/logs?limit=100')).body as { data: LogEntry[] }).data
}

/** What `logOf` returns for a POST /emails; `changes` are other fields. */
export const logRecord = (changes: Record<string, unknown>): Record<string, unknown> => ({
  object: 'log',
  id: UUID,
  created_at: TIMESTAMP,
  endpoint: '/emails',
  method: 'POST',
  response_status: 200,
  user_agent: expect.stringMatching(/^test\//),
  api_key: { id: UUID, name: expect.any(String) },
  person: null,
  request_body: null,
  response_body: null,
  request_body_truncated: false,
  response_body_truncated: false,
  ...changes,
})
