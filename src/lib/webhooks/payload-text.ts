// The body of a request to an endpoint: a payload as JSON, shortened if it would be too long for endpoints.

export const PAYLOAD_BYTES_MAX = 256 * 1024
/** Of a text that had to be cut. */
const CUT_LENGTH = 1_000

type Payload = { type: string; created_at: string; data: Record<string, unknown> }
type Data = Record<string, unknown>

/** What is left out or cut, in this order, until the rest fits. The last one always does. */
const STEPS: ((data: Data) => Data)[] = [
  (data) => without(data, 'headers'),
  (data) => without(data, 'tags'),
  (data) => ({ ...data, ...(typeof data.subject === 'string' && { subject: cut(data.subject) }) }),
  (data) => without(data, 'records'),
  (data) => without(data, 'segment_ids'),
  (data) =>
    Object.fromEntries(
      Object.entries(data)
        .filter(([, value]) => typeof value !== 'object' || value === null)
        .map(cutEntry),
    ),
  ({ id, email_id }) => ({
    ...(typeof id === 'string' && { id: cut(id) }),
    ...(typeof email_id === 'string' && { email_id: cut(email_id) }),
  }),
]

/** At most PAYLOAD_BYTES_MAX. What had to be shortened says `truncated: true`. */
export function payloadText(payload: Payload): string {
  const whole = JSON.stringify(payload)
  if (Buffer.byteLength(whole) <= PAYLOAD_BYTES_MAX) return whole
  let data = payload.data
  for (const step of STEPS) {
    data = step(data)
    const text = JSON.stringify({ ...payload, data, truncated: true })
    if (Buffer.byteLength(text) <= PAYLOAD_BYTES_MAX) return text
  }
  throw new Error('A payload without its data is too long')
}

const without = (data: Data, field: string): Data => Object.fromEntries(Object.entries(data).filter(([name]) => name !== field))
const cut = (text: string): string => text.slice(0, CUT_LENGTH).toWellFormed()
const cutEntry = ([name, value]: [string, unknown]): [string, unknown] => [name, typeof value === 'string' ? cut(value) : value]
