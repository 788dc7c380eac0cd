// Loaded before a service that a test starts as a process: writes down its answers that the document does not have, at once, because the process may be
// killed.
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isMainThread } from 'node:worker_threads'
import { type DeclaredRequest, onAnswer, undeclaredAnswer } from '../servers/declared-answers.ts'

type Paths = Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>

const file = process.env.UNDECLARED_ANSWERS_FILE
if (isMainThread && file !== undefined) watch(file)

function watch(file: string): void {
  const undeclaredOf = undeclaredAnswer(documentedRequests())
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    onAnswer(response, (answer) => {
      const sentence = undeclaredOf(request, answer)
      if (sentence !== null) appendFileSync(file, `${sentence}\n`)
    })
  })
}

function documentedRequests(): DeclaredRequest[] {
  const document = readFileSync(new URL('../../../openapi/openapi.json', import.meta.url), 'utf8')
  const { paths } = JSON.parse(document) as { paths: Paths }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id, responses }]) => ({
      ...{ id, method: method.toUpperCase(), path },
      statuses: Object.keys(responses).map(Number),
    })),
  )
}
