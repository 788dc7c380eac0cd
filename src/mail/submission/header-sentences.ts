/** A sentence about fields of POST /emails, as one about the headers that stand for them. */
export const inHeaders = (sentence: string): string =>
  sentence
    .replace(TAG, (_all, index: string, what: string) => `The ${what} of tag ${Number(index) + 1} in the \`X-Tags\` header`)
    .replace(FIELD, (_all, name: string) => `The \`${HEADERS[name] ?? name}\` ${KINDS[name] ?? 'header'}`)

const TAG = /^The `tags\[(\d+)\]\.(name|value)` field/
const FIELD = /^The `([^`]+)` field/
const HEADERS: Record<string, string> = { tags: 'X-Tags', topic_id: 'X-Topic-Id' }
/** What is no header. */
const KINDS: Record<string, string> = { filename: 'parameter', 'RCPT TO': 'command' }
