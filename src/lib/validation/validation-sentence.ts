// Turns the errors of the validator into one sentence about the first real problem, which names the field as the client wrote it.
import type { ErrorObject } from 'ajv'
import { quotedValue } from '../problem.ts'
import { DEPTH_MAX, fieldName, jsonType } from './field-tree.ts'

type Part = 'body' | 'querystring' | 'params' | 'headers' | string

/** @param errors of one validation without `allErrors`. There are several only if a union tried its branches. */
export function validationSentence(errors: ErrorObject[], part: Part): string {
  const branches = errors.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'oneOf')
  const deepest = Math.max(...branches.map(({ instancePath }) => depthOf(instancePath)))
  const candidates = branches.filter(({ instancePath }) => depthOf(instancePath) === deepest)
  // The client meant the branch whose problem is not the type.
  const meant = candidates.find(({ keyword }) => keyword !== 'type') ?? candidates[0] ?? errors[0]
  if (!meant) return 'The request is not valid.'
  const types = meant.keyword === 'type' ? candidates.filter(({ keyword }) => keyword === 'type').flatMap(({ params }) => params.type) : []
  const literals = candidates.filter(({ keyword, instancePath }) => keyword === 'const' && instancePath === meant.instancePath)
  return sentence(meant, part, { types, literals: literals.map(({ params }) => params.allowedValue) })
}

const depthOf = (path: string): number => path.split('/').length

function sentence(error: ErrorObject, part: Part, { types, literals }: { types: string[]; literals: unknown[] }): string {
  const name = nameOf(error.instancePath)
  const noun = part === 'body' ? 'field' : part === 'headers' ? 'header' : 'parameter'
  const subject = name === '' ? 'The request body' : `The \`${name}\` ${noun}`
  const { params, parentSchema } = error
  switch (error.keyword) {
    case 'required':
      return `Missing \`${fieldName(name, params.missingProperty)}\` ${noun}.`
    case 'type':
      if (error.data === null && parentSchema?.['x-kept'] !== undefined) {
        const advice = typeof parentSchema['x-kept'] === 'string' ? `${parentSchema['x-kept']} ` : ''
        return `${subject} must be ${describeValues(error, types)}. ${advice}Leave it out to keep what is there.`
      }
      // Null means "not given": if null is refused, the field must be given.
      if (part === 'body' && error.data === null && isDeclaredField(error)) return `Missing \`${name}\` ${noun}.`
      return `${subject} must be ${describeValues(error, types)}.${Array.isArray(parentSchema?.enum) ? found(error, part) : ''}`
    case 'enum':
      return `${subject} must be ${oneOf(params.allowedValues)}.${found(error, part)}`
    case 'const':
      return `${subject} must be ${literals.length > 1 ? oneOf(literals) : `\`${params.allowedValue}\``}.${found(error, part)}`
    case 'minLength':
      return params.limit === 1 ? `${subject} must not be empty.` : `${subject} must have at least ${params.limit} characters.`
    case 'maxLength':
      return `${subject} must have at most ${params.limit} characters.`
    case 'minItems':
      return params.limit === 1 ? `${subject} must not be empty.` : `${subject} must have at least ${params.limit} entries.`
    case 'maxItems':
      return `${subject} must have at most ${params.limit} entries.`
    case 'maxProperties':
      return `${subject} must have at most ${params.limit} entries.`
    case 'minimum':
    case 'maximum':
      return `${subject} must be ${describeRange(parentSchema)}.${found(error, part)}`
    case 'format':
      return `${subject} must be ${FORMATS.get(params.format) ?? `a valid ${params.format}`}.${found(error, part)}`
    case 'pattern':
    case 'x-refused':
      return `${subject} ${parentSchema?.['x-rule'] ?? 'has characters that are not allowed here'}.`
    case 'x-visible':
      return `${subject} must have at least one visible character.`
    case 'x-one-of': {
      const fields = params.names.map((one: string) => `\`${fieldName(name, one)}\``).join(' or ')
      return params.given === 0 ? `Missing ${fields} field.` : `Give either ${fields}, not both.`
    }
    case 'x-distinct':
      return `The \`${fieldName(fieldName(name, params.place), params.key)}\` field names ${params.what} more than once.`
    default:
      return `${subject} is not valid.`
  }
}

/** The value that is wrong, unless it is a secret. That of a parameter of the path stands in the request line. */
const found = ({ data, parentSchema }: ErrorObject, part: Part): string =>
  part === 'params' || parentSchema?.['x-secret'] !== undefined ? '' : quotedValue(data)

/** Not an entry of an array, nor a value under a key that the client chose. */
const isDeclaredField = ({ schemaPath }: ErrorObject): boolean => /\/properties\/[^/]+(\/(anyOf|oneOf)\/\d+)?\/type$/.test(schemaPath)

const FORMATS = new Map([
  ['uuid', 'a UUID'],
  ['uri', 'a URL'],
])

const TYPES = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'an array'],
  ['object', 'an object'],
])

/** The values of an enum say more than their type. */
const describeValues = ({ parentSchema }: ErrorObject, types: string[]): string =>
  Array.isArray(parentSchema?.enum) ? oneOf(parentSchema.enum) : describeTypes(types)

const oneOf = (values: unknown[]): string => `one of: ${values.map((value) => `\`${value}\``).join(', ')}`

/** null is never suggested. It means "not given", and leaving the field out is clearer. */
function describeTypes(types: string[]): string {
  const words = [...new Set(types)].flatMap((type) => TYPES.get(type) ?? [])
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : (words[0] ?? 'left out')
}

function describeRange(schema: ErrorObject['parentSchema']): string {
  const { minimum, maximum } = schema ?? {}
  if (minimum !== undefined && maximum !== undefined) return `a number from ${minimum} to ${maximum}`
  return minimum !== undefined ? `at least ${minimum}` : `at most ${maximum}`
}

/** `/attachments/0/content` becomes `attachments[0].content`. The length is bounded, because keys that the client chooses may be long. */
function nameOf(instancePath: string): string {
  const name = instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((parent, key) => fieldName(parent, /^\d+$/.test(key) ? Number(key) : key), '')
  return name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX).toWellFormed()}...` : name
}
const NAME_LENGTH_MAX = 200

/** The field with the first character that PostgreSQL or mail cannot hold; null if there is none. */
export function unstorableField(value: unknown, prefix = '', depth = 0): string | null {
  if (depth > DEPTH_MAX) return prefix
  if (typeof value === 'string') return isStorable(value) ? null : prefix
  if (jsonType(value) === 'array' || jsonType(value) === 'object') {
    const entries = Array.isArray(value) ? value.entries() : Object.entries(value as object)
    for (const [key, entry] of entries) {
      const isBadKey = typeof key === 'string' && !isStorable(key)
      // An array of bytes may have millions of entries, so no name is made for an entry that cannot be wrong.
      if (!isBadKey && (typeof entry === 'number' || typeof entry === 'boolean' || entry === null)) continue
      const name = fieldName(prefix, key)
      const found = isBadKey ? name.toWellFormed().replaceAll('\0', '') : unstorableField(entry, name, depth + 1)
      if (found !== null) return found
    }
  }
  return null
}

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
