// What a schema says about the fields of a value, computed once: which fields it knows, and which of them are secret.
import type { TSchema } from '@sinclair/typebox'
import { namedSchema } from './common.schema.ts'

export type FieldTree = {
  isSecret: boolean
  /** A URL whose query may be a signature. */
  hasSecretQuery: boolean
  /** JSON types that the schema allows here; any if empty. */
  types: Set<string>
  /** Known fields of an object. */
  properties: Map<string, FieldTree>
  /** Entries of an array. */
  items: FieldTree | null
  /** Values of an object whose keys the client chooses, such as headers. */
  values: FieldTree | null
  /** An object that may hold anything beside its known fields. */
  isOpen: boolean
}

/** The name of a field in `x-ignored-fields` or an error, as the client wrote it. */
export const fieldName = (parent: string, key: string | number): string =>
  typeof key === 'number' ? `${parent}[${key}]` : parent === '' ? key : `${parent}.${key}`

export function fieldTree(schema: TSchema): FieldTree {
  const tree: FieldTree = {
    isSecret: false,
    hasSecretQuery: false,
    types: new Set(),
    properties: new Map(),
    items: null,
    values: null,
    isOpen: false,
  }
  collect(schema, tree)
  return tree
}

function collect(schema: TSchema, into: FieldTree): void {
  const target: TSchema | undefined = typeof schema.$ref === 'string' ? namedSchema(schema.$ref) : schema
  if (!target) throw new Error(`No schema is called ${schema.$ref}`)
  if (target['x-secret'] === true || schema['x-secret'] === true) into.isSecret = true
  if (target.additionalProperties === true) into.isOpen = true
  if (target['x-secret-query'] === true) into.hasSecretQuery = true
  for (const branch of [...(target.anyOf ?? []), ...(target.oneOf ?? []), ...(target.allOf ?? [])]) collect(branch, into)
  for (const type of typesOf(target)) into.types.add(type)
  for (const [name, property] of Object.entries<TSchema>(target.properties ?? {})) {
    const known = into.properties.get(name)
    if (known) collect(property, known)
    else into.properties.set(name, fieldTree(property))
  }
  if (target.items) into.items = merged(into.items, target.items)
  for (const values of [...Object.values<TSchema>(target.patternProperties ?? {}), target.additionalProperties]) {
    if (values !== null && typeof values === 'object') into.values = merged(into.values, values)
  }
}

function merged(tree: FieldTree | null, schema: TSchema): FieldTree {
  if (!tree) return fieldTree(schema)
  collect(schema, tree)
  return tree
}

function typesOf(schema: TSchema): string[] {
  if (Array.isArray(schema.type)) return schema.type
  if (typeof schema.type === 'string') return schema.type === 'integer' ? ['number'] : [schema.type]
  return schema.const === undefined ? [] : [typeof schema.const]
}

/** The JSON type of a value. */
export const jsonType = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Names of the fields in `value` that the schema does not know: the first `namesMax`. */
export function unknownFields(tree: FieldTree, value: unknown, namesMax: number, prefix = '', found: string[] = []): string[] {
  if (found.length >= namesMax) return found
  if (Array.isArray(value)) {
    if (tree.items && tree.items.properties.size > 0) {
      for (const [index, entry] of value.entries()) unknownFields(tree.items, entry, namesMax, fieldName(prefix, index), found)
    }
    return found
  }
  // An object whose keys the client chooses, or that the schema does not describe, has no unknown fields.
  if (!isRecord(value) || tree.isOpen || (tree.properties.size === 0 && (tree.values || tree.types.size === 0))) return found
  for (const [key, entry] of Object.entries(value)) {
    const known = tree.properties.get(key)
    if (known) unknownFields(known, entry, namesMax, fieldName(prefix, key), found)
    else if (found.length < namesMax) found.push(fieldName(prefix, key))
  }
  return found
}

/** Deeper than any valid request; the filter of a segment is the deepest. Keeps every walk over a body within the stack. */
export const DEPTH_MAX = 48
