// Where pages of the console were before. Links that were printed or kept lead to what shows the same today.

/** Pages that have other names, or are parts of others. They are routes: `emails/lines` would be taken for an email with the id `lines`. */
export const MOVED: Readonly<Record<string, string>> = {
  operation: '/queue',
  'operation/queue': '/queue',
  'operation/health': '/health',
  'operation/deliverability': '/deliverability',
  'operation/teams': '/teams',
  sessions: '/account',
  passkey: '/account',
  search: '/',
  'emails/lines': '/emails',
  'imports/upload': '/imports/new',
  'contacts/new': '/contacts',
}

/** Parts of a record that had pages of their own. They are on its page now. */
const PARTS: ReadonlySet<string> = new Set([
  ...['attachments', 'delete', 'edit', 'erase', 'export', 'html', 'message', 'metrics', 'progress'],
  ...['recipients', 'remove', 'rename', 'replay', 'report', 'schema', 'secret', 'settings'],
])

/** Where an address leads today; null if it never was one. `path`: without the base of the console. */
export function movedTo(path: string): string | null {
  const parts = path.split('/').filter((part) => part !== '')
  const at = parts.findIndex((part, index) => index > 0 && PARTS.has(part))
  return at > 1 ? `/${parts.slice(0, at).join('/')}` : null
}
