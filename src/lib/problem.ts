import { itIs } from './quotation.ts'

/**
 * What is wrong with a value that a client gave, as a value rather than an exception. The sentence is written to follow the field's name:
 * "must be one address, not several", "may not be longer than 100 characters".
 */
export type Problem = { problem: string }

export const problem = (sentence: string): Problem => ({ problem: sentence })

export const isProblem = <T extends object>(value: T | Problem): value is Problem => 'problem' in value

/**
 * The sentence for the client, with the field named the way the client wrote it: "The `to[3]` field must be one address, not several."
 *
 * @param value what the field holds, where it helps to see it and cannot be a secret.
 */
export const explainProblem = (field: string, { problem }: Problem, value?: string): string =>
  `The \`${field}\` field ${problem}.${itIs(value)}`
