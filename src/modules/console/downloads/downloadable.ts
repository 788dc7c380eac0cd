// The operations that give out a file, and where in their answer it is: the answer itself, or what a signed link in it opens.

type Answer = Record<string, unknown>

/** `isFile`: whether the operation gives out a file with this query. */
type Downloadable = { isFile?: (query: URLSearchParams) => boolean } & (
  | { /** The answer is the file. Null: it brings its name along. */ filename: string | null }
  | { /** The answer has a text under this name, which is the file. */ text: string; filenameOf: (answer: Answer) => string }
  | { link: (answer: Answer) => unknown }
)

export const DOWNLOADABLE: Readonly<Record<string, Downloadable>> = {
  'audit-log.list': { filename: null, isFile: (query) => ['csv', 'jsonl'].includes(query.get('format') ?? '') },
  'broadcasts.recipients.export': { filename: null },
  'contacts.export': { filename: null },
  'contacts.export.retrieve': { filename: 'contact.json' },
  'contacts.imports.retrieve': { link: ({ report_url: url }) => url },
  'domains.zone-file.retrieve': { text: 'text', filenameOf: ({ filename }) => String(filename) },
  'emails.export': { filename: null },
  'emails.metrics.export': { filename: null },
  'emails.attachments.retrieve': { link: ({ download_url: url }) => url },
  'emails.source.retrieve': { filename: null, isFile: (query) => query.get('format') === 'eml' },
  'emails.receiving.retrieve': { link: ({ raw }) => (raw as Answer | null)?.download_url },
  'emails.receiving.attachments.retrieve': { link: ({ download_url: url }) => url },
}

type Declared = { id: string; method: string; path: string }

/** The operation whose file a path names; null if it names none. */
export function findDownloadable<Operation extends Declared>(operations: readonly Operation[], path: string): Operation | null {
  const url = path.startsWith('/') && !path.startsWith('//') ? URL.parse(path, HERE) : null
  if (url?.origin !== HERE) return null
  // A path that a router might read otherwise names nothing.
  if (`${url.pathname}${url.search}` !== path) return null
  const parts = url.pathname.split('/')
  const found = operations.find(
    ({ id, method, path: declared }) => id in DOWNLOADABLE && method === 'GET' && fits(declared.split('/'), parts),
  )
  return found && (DOWNLOADABLE[found.id]?.isFile?.(url.searchParams) ?? true) ? found : null
}

const HERE = 'http://here.invalid'

/** `imports` in the place of an id is another operation. */
const fits = (declared: string[], parts: string[]): boolean =>
  declared.length === parts.length &&
  declared.every((part, index) => part === parts[index] || (part.startsWith(':') && isIdOrAddress(parts[index] ?? '')))

const isIdOrAddress = (part: string): boolean => /^[0-9a-fA-F-]{36}$/.test(part) || part.includes('@') || part.includes('%40')
