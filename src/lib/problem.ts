import { quotedValue } from './quotation.ts'

/**
 * What is wrong with a value from a client, as a value and not an exception. The sentence follows the field's name: "must be one address, not
 * several", "may not be longer than 100 characters".
 */
export type Problem = { problem: string }

export const problem = (sentence: string): Problem => ({ problem: sentence })

export const isProblem = <T extends object>(value: T | Problem): value is Problem => 'problem' in value

/**
 * The sentence for the client, which names the field as the client wrote it: "The `to[3]` field must be one address, not several."
 *
 * @param value what the field holds, if that helps and cannot be a secret.
 */
export const explainProblem = (field: string, { problem }: Problem, value?: string): string =>
  `The \`${field}\` field ${problem}.${quotedValue(value)}`
