import { Type } from '@sinclair/typebox'

/** Values of one parameter. */
export const LIST_VALUES_MAX = 100
/** Text of any length would be cut into any number of words. */
const LIST_LENGTH_MAX = 8_192

/** A parameter that holds several values. `shown` is what the document says of one. It is checked where the list is taken apart (mail/query-lists.ts). */
export const TextList = (description: string, shown: { enum: readonly string[] } | { format: 'uuid' }) =>
  Type.Optional(Type.Array(Type.String({ maxLength: LIST_LENGTH_MAX }), { maxItems: LIST_VALUES_MAX, description, 'x-separated': shown }))
