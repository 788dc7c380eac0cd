// The strict validator of bodies: never coercing, never removing, with every named schema at hand.
import type { TSchema } from '@sinclair/typebox'
import { type Ajv, Ajv as AjvClass, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { isId } from '../../lib/ids.ts'
import { isVisible } from '../../lib/visible-text.ts'
import { namedSchemas } from '../common.ts'
import { validationSentence } from './validation-sentence.ts'

export function createAjv(options: { coerceTypes: boolean | 'array'; useDefaults?: boolean }): Ajv {
  const ajv = new AjvClass({ strict: false, allowUnionTypes: true, removeAdditional: false, allErrors: false, verbose: true, ...options })
  formats.default(ajv)
  // The library's also takes `urn:uuid:...`, which the database does not.
  ajv.addFormat('uuid', isId)
  // Whether it may be empty is said by `minLength`.
  ajv.addKeyword({ keyword: 'x-visible', type: 'string', validate: (_mark: true, text: string) => text === '' || isVisible(text) })
  for (const schema of namedSchemas()) ajv.addSchema(schema)
  return ajv
}

let exact: Ajv | undefined

/** Compiled when first asked for: by then every schema has been loaded. */
export function exactValidator(schema: object): ValidateFunction {
  exact ??= createAjv({ coerceTypes: false })
  return exact.compile(schema)
}

/** What is wrong with a value, as a sentence; null when it is valid. For parts of a body that are judged one by one. */
export function createBodyCheck(schema: TSchema): (value: unknown) => string | null {
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= exactValidator(schema.$id ? { $ref: schema.$id } : schema)
    return validate(value) ? null : validationSentence(validate.errors ?? [], 'body')
  }
}
