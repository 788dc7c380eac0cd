// Compares each answer of a service with what its operation declares, so that no test sees an answer that the document does not have.
import type { FastifyInstance } from 'fastify'
import { errorResponses } from '../../../src/plugins/openapi/openapi-errors.ts'
import { type Operation, successStatuses } from '../../../src/routes/operation.ts'

type DeclaredAnswers = {
  /** @throws Error about the answers so far that are not declared */
  check(): void
}

export function watchAnswers(app: FastifyInstance): DeclaredAnswers {
  const routes = app.operations.flatMap((operation) =>
    [operation.path, ...(operation.aliases ?? [])].map((path) => ({ operation, path, pattern: patternOf(path) })),
  )
  // The router takes a fixed word before a parameter.
  routes.sort((one, other) => (one.path.replaceAll(/:\w+/g, '~') < other.path.replaceAll(/:\w+/g, '~') ? -1 : 1))
  const undeclared: string[] = []
  app.server.on('request', (request, response) => {
    const { method = '', url = '' } = request
    const [path = ''] = url.split('?', 1)
    response.once('finish', () => {
      const operation = routes.find((route) => route.operation.method === method && route.pattern.test(path))?.operation
      if (operation && !isDeclared(operation, response.statusCode))
        undeclared.push(`${method} ${operation.path} was answered with ${response.statusCode}, which ${operation.id} does not declare`)
    })
  })
  return {
    check() {
      if (undeclared.length > 0) throw new Error([...new Set(undeclared)].join('\n'))
    },
  }
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`)

/** 400 and 415 can answer any request that is not valid HTTP, or whose body has an encoding that is not taken. */
const isDeclared = (operation: Operation, status: number): boolean =>
  status === 400 ||
  status === 415 ||
  successStatuses(operation).includes(status) ||
  errorResponses(operation).some((one) => one.status === status)
