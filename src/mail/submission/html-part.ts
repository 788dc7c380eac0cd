import type { MimeNode } from '@zone-eu/mailsplit'
import type { BodyPart, Parts } from '../received/message-parts.ts'

/**
 * Which part is the HTML that may be changed for tracking: the only one, read wholly, and in no part that is signed or encrypted. Null if there is none.
 */
export function htmlPartOf({ bodies, problems }: Pick<Parts, 'bodies' | 'problems'>): number | null {
  const [html, ...others] = bodies.filter(({ kind }) => kind === 'html')
  return html !== undefined && others.length === 0 && problems.length === 0 && isFree(html) ? html.place : null
}

function isFree({ node }: BodyPart): boolean {
  for (let parent: MimeNode | false | null | undefined = node.parentNode; parent; parent = parent.parentNode)
    if (parent.multipart !== false && KEPT_WHOLE.has(parent.multipart)) return false
  return true
}

/** RFC 1847. */
const KEPT_WHOLE = new Set(['signed', 'encrypted'])
