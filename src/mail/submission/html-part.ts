import type { MimeNode } from '@zone-eu/mailsplit'
import type { BodyPart, Parts } from '../received/message-parts.ts'

/**
 * Which part is the HTML that may be changed for tracking: the only one, read wholly, and in no part that is signed or encrypted. Null if there is none.
 * A part that says nothing may lack the empty line after its header, so there is no place to put HTML.
 */
export function htmlPartOf({ bodies, excesses }: Pick<Parts, 'bodies' | 'excesses'>): number | null {
  const [html, ...others] = bodies.filter(({ kind }) => kind === 'html')
  if (html === undefined || others.length > 0 || excesses.size > 0 || html.bytes.length === 0) return null
  return isFree(html) ? html.place : null
}

function isFree({ node }: BodyPart): boolean {
  for (let parent: MimeNode | false | null | undefined = node.parentNode; parent; parent = parent.parentNode)
    if (parent.multipart !== false && KEPT_WHOLE.has(parent.multipart)) return false
  return true
}

/** RFC 1847. */
const KEPT_WHOLE = new Set(['signed', 'encrypted'])
