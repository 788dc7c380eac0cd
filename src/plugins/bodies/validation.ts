// Validates bodies strictly, queries and paths leniently, and reports the first problem in one sentence.
import { Type } from '@sinclair/typebox'
import type { ValidateFunction } from 'ajv'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { FastifyValidationResult } from 'fastify/types/schema.js'
import { Failure, invalid } from '../../lib/failure.ts'
import { headerOfNames } from '../../lib/header-codes.ts'
import { exactValidator, lenientValidator } from '../../lib/validation/body-validator.ts'
import { type FieldTree, fieldTree, isRecord, unknownFields } from '../../lib/validation/field-tree.ts'
import { unstorableField, validationSentence } from '../../lib/validation/validation-sentence.ts'

const IGNORED_NAMES_MAX = 10

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the body of an operation may have. */
    fields?: FieldTree
    /** What its query may have. */
    parameters?: FieldTree
  }
}

export function validation(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema, httpPart }) =>
    createValidator(schema as object, httpPart === 'body' ? exactValidator : lenientValidator),
  )
  app.setSchemaErrorFormatter((errors, part) => invalid(validationSentence(errors as Parameters<typeof validationSentence>[0], part)))

  app.addHook('preParsing', async ({ headers, routeOptions: { config } }) => {
    const encoding = headers['content-encoding']
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    if (hasBody && encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
      throw new Failure(
        'unsupportedMediaType',
        'The request body must be sent as it is, not compressed: leave out the header `Content-Encoding`.',
      )
    if (hasBody && config.operation) refuseOtherCharset(headers['content-type'])
  })
  app.addHook('onRoute', (route) => {
    const declared = route.config?.operation
    if (!declared) return
    const parameters = fieldTree(declared.query ?? Type.Object({}))
    route.config = { ...route.config, parameters, ...(declared.body && { fields: fieldTree(declared.body) }) }
  })
  app.addHook('preValidation', async (request) => {
    const { fields, parameters } = request.routeOptions.config
    if (parameters) refuseRepeated(parameters, request.query)
    // A missing body and an empty object mean the same, so that the sentence names the first missing field.
    if (request.body === undefined && fields?.types.has('object')) request.body = {}
    refuseUnstorable(request)
  })
  app.addHook('preHandler', async (request, reply) => {
    const { fields, parameters } = request.routeOptions.config
    const ignored = parameters ? unknownFields(parameters, request.query, IGNORED_NAMES_MAX) : []
    if (fields) unknownFields(fields, request.body, IGNORED_NAMES_MAX, '', ignored)
    if (ignored.length > 0) reply.header('x-ignored-fields', headerOfNames(ignored))
  })
}

/** In characters, so that the answer stays short. */
const CHARSET_SHOWN_LENGTH_MAX = 40

/** Text in another charset would be read as what it is not. */
function refuseOtherCharset(contentType: string | undefined): void {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw new Failure(
      'unsupportedMediaType',
      `The request body must be encoded in UTF-8. Its \`Content-Type\` says ${charset.slice(0, CHARSET_SHOWN_LENGTH_MAX)}.`,
    )
}

/** The parser makes an array of a parameter that is there several times. */
function refuseRepeated({ properties }: FieldTree, query: unknown): void {
  if (!isRecord(query)) return
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value) && properties.has(name) && !properties.get(name)?.types.has('array'))
      throw invalid(`The \`${name}\` parameter is given ${value.length} times. Give it once.`)
  }
}

/** Compiled at its first use: compiling those of all operations would take a quarter of a start. */
function createValidator(schema: object, compile: (schema: object) => ValidateFunction): FastifyValidationResult {
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= compile(schema)
    return validate(value) ? true : { error: validate.errors ?? [] }
  }
}

/** NUL and lone surrogates: PostgreSQL refuses them, and they are not allowed in mail. */
function refuseUnstorable(request: FastifyRequest): void {
  const parts: [string, unknown][] = [
    ['parameter', request.params],
    ['parameter', request.query],
  ]
  if (request.hasEscapes) parts.unshift(['field', request.body])
  for (const [noun, value] of parts) {
    const found = isRecord(value) || Array.isArray(value) ? unstorableField(value) : null
    if (found !== null)
      throw invalid(`The \`${found}\` ${noun} holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.`)
  }
}
