// What the start says of a value that it cannot use.
import { Environment } from '../environment.ts'
import { StartupProblem } from '../lib/startup-problem.ts'

export function wrong(name: string, permitted: string, value: string): StartupProblem {
  return new StartupProblem(`${name} must be ${permitted}; it is ${shown(name, value)}.`)
}

/** The part of a value that may be printed: nothing of a secret, and no credentials of a URL. */
export function shown(name: string, value: string): string {
  const schema = Object.entries(Environment.properties).find(([key]) => key === name)?.[1]
  if (schema && 'x-secret' in schema) return 'something else (not shown, because it is a secret)'
  return JSON.stringify(value.replace(/\/\/[^@/]*@/, '//***@'))
}

export function allowed(name: string): string {
  const schema: { description?: string; enum?: string[]; minimum?: number; maximum?: number; 'x-allowed'?: string } =
    Object.entries(Environment.properties).find(([key]) => key === name)?.[1] ?? {}
  if (schema.enum) return alternatives(schema.enum)
  if (schema['x-allowed'] !== undefined) return schema['x-allowed']
  return schema.minimum === undefined ? 'a text' : `a whole number from ${schema.minimum} to ${schema.maximum}`
}

/** `a`, `a or b`, `a, b or c`. */
const alternatives = (values: string[]): string => values.join(', ').replace(/, ([^,]*)$/, ' or $1')
