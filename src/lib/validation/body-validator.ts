// The strict validator of bodies, which never converts or removes a value, and the lenient one. Both know every named schema.
import type { Static, TSchema } from '@sinclair/typebox'
import { type Ajv, Ajv as AjvClass, type SchemaValidateFunction, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { invalid } from '../failure.ts'
import { isId } from '../ids.ts'
import { isVisible } from '../text.ts'
import { type Distinct, namedSchemas } from './common.schema.ts'
import { validationSentence } from './validation-sentence.ts'

function createAjv(options: { coerceTypes: boolean | 'array'; useDefaults?: boolean }): Ajv {
  const ajv = new AjvClass({ strict: false, allowUnionTypes: true, removeAdditional: false, allErrors: false, verbose: true, ...options })
  formats.default(ajv)
  // The library's format also accepts `urn:uuid:...`, which the database does not.
  ajv.addFormat('uuid', isId)
  // `minLength` decides whether the text may be empty.
  ajv.addKeyword({ keyword: 'x-visible', type: 'string', validate: (_mark: true, text: string) => text === '' || isVisible(text) })
  ajv.addKeyword({ keyword: 'x-refused', type: 'string', compile: (pattern: string) => doesNotMatch(new RegExp(pattern, 'u')) })
  ajv.addKeyword({ keyword: 'x-one-of', type: 'object', validate: oneGiven })
  ajv.addKeyword({ keyword: 'x-distinct', type: 'array', validate: distinct })
  return ajv
}

const doesNotMatch =
  (pattern: RegExp) =>
  (text: string): boolean =>
    !pattern.test(text)

/** Null means "not given". */
const oneGiven: SchemaValidateFunction = (names: string[], record: Record<string, unknown>) => {
  const given = names.filter((name) => record[name] != null).length
  if (given !== 1) oneGiven.errors = [{ keyword: 'x-one-of', params: { names, given } }]
  return given === 1
}

/** The ids of one record may be in upper and in lower case. */
const distinct: SchemaValidateFunction = ({ key, noun }: Distinct, entries: Record<string, unknown>[]) => {
  const seen = new Set<string>()
  for (const [place, entry] of entries.entries()) {
    const value = String(entry[key])
    const plain = isId(value) ? value.toLowerCase() : value
    if (seen.has(plain)) {
      distinct.errors = [{ keyword: 'x-distinct', params: { key, place, what: noun ?? `\`${value}\`` } }]
      return false
    }
    seen.add(plain)
  }
  return true
}

/** A file with schemas may be loaded after something was compiled. */
function withAllSchemas(ajv: Ajv): Ajv {
  const known = knownSchemas.get(ajv) ?? 0
  const all = namedSchemas()
  for (const schema of all.slice(known)) ajv.addSchema(schema)
  knownSchemas.set(ajv, all.length)
  return ajv
}
/** How many of them, in the order in which they were loaded. */
const knownSchemas = new WeakMap<Ajv, number>()

let exact: Ajv | undefined
let lenient: Ajv | undefined

export function exactValidator<T = unknown>(schema: object): ValidateFunction<T> {
  exact ??= createAjv({ coerceTypes: false })
  return withAllSchemas(exact).compile<T>(schema)
}

/** For queries and paths, whose values are texts that stand for numbers and arrays. */
export function lenientValidator(schema: object): ValidateFunction {
  lenient ??= createAjv({ coerceTypes: 'array', useDefaults: true })
  return withAllSchemas(lenient).compile(schema)
}

/** What is wrong with a value, as a sentence; null if it is valid. For parts of a body that are checked one by one. */
export function createBodyCheck(schema: TSchema): (value: unknown) => string | null {
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= exactValidator(schema.$id ? { $ref: schema.$id } : schema)
    return validate(value) ? null : validationSentence(validate.errors ?? [], 'body')
  }
}

/** Reads what stands for a body but did not arrive as one, such as a form. @throws Failure with the sentence that the body would get. */
export function createBodyReader<T extends TSchema>(schema: T): (value: unknown) => Static<T> {
  let validate: ValidateFunction<Static<T>> | undefined
  return (value) => {
    validate ??= exactValidator<Static<T>>(schema.$id ? { $ref: schema.$id } : schema)
    if (validate(value)) return value
    throw invalid(validationSentence(validate.errors ?? [], 'body'))
  }
}

// What the service stored itself, such as the payload of a job, is validated like a request when it is read: another version of the service may
// have written it.

export type StoredValue<T> = { value: T } | { problem: string }

export function createReader<T extends TSchema>(schema: T): (value: unknown) => StoredValue<Static<T>> {
  let validate: ValidateFunction<Static<T>> | undefined
  return (value) => {
    validate ??= exactValidator<Static<T>>(schema)
    if (validate(value)) return { value }
    const [{ instancePath = '', message = 'is not valid' } = {}] = validate.errors ?? []
    return { problem: `${instancePath} ${message}`.trim() }
  }
}
