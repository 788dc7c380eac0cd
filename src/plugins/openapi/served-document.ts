// Serves the document of the API as JSON and YAML: with the address of the installation.
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { stringify } from 'yaml'
import { isRecord } from '../../schemas/bodies/field-tree.ts'
import { fixedAnswers } from './fixed-answers.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The document as this installation serves it. */
    servedDocument(): object
  }
}

/** Anyone may request it, so each form is written only once. */
export async function serveDocument(app: FastifyInstance, { publicUrl }: { publicUrl: string }): Promise<void> {
  let document: object | undefined
  app.decorate('servedDocument', () => (document ??= { ...app.swagger(), servers: [{ url: publicUrl }] }))
  await app.register(async (scope) => {
    fixedAnswers(scope)
    let json: string | undefined
    let yaml: Promise<string> | undefined
    scope.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) => {
      json ??= JSON.stringify(app.servedDocument())
      return reply.type('application/json; charset=utf-8').send(json)
    })
    scope.get('/openapi.yaml', { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) => {
      yaml ??= yamlOf(app.servedDocument())
      return reply.type('application/yaml; charset=utf-8').send(await yaml)
    })
  })
}

/** Compressed as a whole, it would keep all other requests waiting for a quarter of a second. */
async function yamlOf(document: object): Promise<string> {
  const lines: string[] = []
  for (const [part, level] of partsOf(document)) {
    lines.push(part.replace(/^(?=.)/gm, '  '.repeat(level)))
    await setImmediate()
  }
  return lines.join('')
}

/** Sections that hold many records are divided into these. */
function* partsOf(document: object, level = 0): Generator<[string, number]> {
  for (const [name, value] of Object.entries(document)) {
    if (level < LEVELS_DIVIDED && isRecord(value) && Object.keys(value).length > 0) {
      yield [stringify({ [name]: {} }).replace(' {}', ''), level]
      yield* partsOf(value, level + 1)
    } else yield [stringify({ [name]: value }, { aliasDuplicateObjects: false, lineWidth: 0 }), level]
  }
}

/** `components`, `schemas`, and then each schema. */
const LEVELS_DIVIDED = 2
