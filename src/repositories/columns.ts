// Columns whose type Prisma does not know. A closed set is a text with a check in the database, not an enum, because plain SQL compares and joins
// it as text.
import type { Prisma } from '../generated/prisma/client.ts'
import type { Subscription } from '../schemas/notifications.ts'

export const SUBSCRIPTIONS: Record<Subscription, true> = { opt_in: true, opt_out: true }

/**
 * A text of a closed set.
 * @throws if it is not in the set, because another version has written it.
 */
export function oneOf<Value extends string>(values: Record<Value, true>, text: string): Value {
  if (isOneOf(values, text)) return text
  throw new Error(`A row says ${JSON.stringify(text)} where it can only say ${Object.keys(values).join(' or ')}`)
}

const isOneOf = <Value extends string>(values: Record<Value, true>, text: string): text is Value => Object.hasOwn(values, text)

/** The value of a JSON column. Only the repository that reads it writes it, from the type that it names here. */
export const stored = <Value>(json: Prisma.JsonValue): Value => json as Value
