// Validates bodies strictly, queries and paths leniently, and reports the first problem in one sentence.
import { isUtf8 } from 'node:buffer'
import { Type } from '@sinclair/typebox'
import type { ValidateFunction } from 'ajv'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { FastifyValidationResult } from 'fastify/types/schema.js'
import { Failure, invalid } from '../../lib/failure.ts'
import { headerOfNames } from '../../lib/header-codes.ts'
import { jsonPlace } from '../../lib/json-place.ts'
import { shapeProblem } from '../../schemas/bodies/body-shape.ts'
import { exactValidator, lenientValidator } from '../../schemas/bodies/body-validator.ts'
import { type FieldTree, fieldTree, isRecord, unknownFields } from '../../schemas/bodies/field-tree.ts'
import { unstorableField, validationSentence } from '../../schemas/bodies/validation-sentence.ts'

const IGNORED_NAMES_MAX = 10

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the body of an operation may have. */
    fields?: FieldTree
    /** What its query may have. */
    parameters?: FieldTree
  }
  interface FastifyRequest {
    /** The body text contained an escape. Only then can a string hold characters that cannot be stored. */
    hasEscapes: boolean
  }
}

export function validation(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema, httpPart }) => validatorOf(schema as object, httpPart === 'body' ? exactValidator : lenientValidator))
  app.setSchemaErrorFormatter((errors, part) => invalid(validationSentence(errors as Parameters<typeof validationSentence>[0], part)))

  app.decorateRequest('hasEscapes', false)
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    // RFC 8259, section 8.1. Decoding other bytes would put replacement characters into mail.
    if (!isUtf8(body)) return done(new Failure('unreadableBody', 'The request body is not valid JSON: it is not encoded in UTF-8.'))
    const problem = shapeProblem(body)
    if (problem !== null) return done(invalid(problem))
    const text = body.toString()
    request.hasEscapes = text.includes('\\u')
    // The official clients announce JSON on every POST and DELETE, even if they send nothing.
    if (text.trim() === '') return done(null, undefined)
    parse(request, text, (error, value) => {
      if (error && (request.hasEscapes || text.includes('proto')) && isJson(text)) return done(invalid(POISONED))
      if (error)
        return done(new Failure('unreadableBody', `The request body is not valid JSON${jsonPlace(withoutMark(text))}.`, { cause: error }))
      done(null, value)
    })
  })

  app.addHook('preParsing', async ({ headers }) => {
    const encoding = headers['content-encoding']
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    if (hasBody && encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
      throw new Failure(
        'unsupportedMediaType',
        'The request body must be sent as it is, not compressed: leave out the header `Content-Encoding`.',
      )
  })
  app.addHook('onRoute', (route) => {
    const declared = route.config?.operation
    if (!declared) return
    const parameters = fieldTree(declared.query ?? Type.Object({}))
    route.config = { ...route.config, parameters, ...(declared.body && { fields: fieldTree(declared.body) }) }
  })
  app.addHook('preValidation', async (request) => {
    const { fields } = request.routeOptions.config
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

/** Compiled at its first use: compiling those of all operations would take a quarter of a start. */
function validatorOf(schema: object, compile: (schema: object) => ValidateFunction): FastifyValidationResult {
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= compile(schema)
    return validate(value) ? true : { error: validate.errors ?? [] }
  }
}

/** Copied carelessly, such a field would change every object of a program. */
const POISONED = 'The request body has a field called `__proto__`, or one called `prototype` within `constructor`: these names are refused.'

/** The parser skips a byte order mark at the beginning (U+FEFF). */
const withoutMark = (text: string): string => text.replace(/^\ufeff/, '')

/** The parser reports both in the same way: text that is no JSON, and the names above. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
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
    if (found !== null) throw invalid(`The \`${found}\` ${noun} holds a NUL or half of a surrogate pair; neither can be stored.`)
  }
}
