// Columns whose type Prisma does not know: a closed set is a text with a check there, not an enum, because plain SQL compares and joins it as text.
import type { Prisma } from '../generated/prisma/client.ts'
import type { Subscription } from '../schemas/notifications.ts'

export const SUBSCRIPTIONS: Record<Subscription, true> = { opt_in: true, opt_out: true }

/** A text of a closed set. @throws when it is none: something else than this version has written it. */
export function oneOf<Value extends string>(values: Record<Value, true>, text: string): Value {
  if (isOneOf(values, text)) return text
  throw new Error(`A row says ${JSON.stringify(text)} where it can only say ${Object.keys(values).join(' or ')}`)
}

const isOneOf = <Value extends string>(values: Record<Value, true>, text: string): text is Value => Object.hasOwn(values, text)

/** What a JSON column holds. Only the repository that reads it writes it, from the type that it names here. */
export const stored = <Value>(json: Prisma.JsonValue): Value => json as Value
