import { countOf } from '../parts/numbers'

// The message with a number on each of its links: how often it was followed.

type Link = { url: string; clicks: number }

/** A mail is shown in a frame in which no style of ours applies. */
const MARK_STYLE =
  'display:inline-block;margin:0 2px;padding:0 6px;border-radius:9px;background:#3b5bdb;color:#ffffff;font:bold 12px/18px sans-serif;text-decoration:none'
/** Links that are not counted lead out of the audience, or to the mail itself. */
const UNCOUNTED = /UNSUBSCRIBE_URL|^#|^(?:mailto|tel):/i

/** In text, because a document of the page would refuse the styles of the mail. */
const LINK = /(<a\b[^>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>)([\s\S]*?)(<\/a\s*>)/gi

const urlOf = (href: string): string => href.replaceAll('&amp;', '&').trim()

/**
 * @param shown the message with the values of a contact
 * @param written the same as it was written: clicks are counted by the links in it, whatever stands in their placeholders
 */
export function withClicks(shown: string, written: string, clicked: readonly Link[]): string {
  const asWritten = [...written.matchAll(LINK)].map(([, , double, single]) => urlOf(double ?? single ?? ''))
  const isSame = asWritten.length === [...shown.matchAll(LINK)].length
  const counts = new Map(clicked.map(({ url, clicks }) => [url, clicks]))
  let place = -1
  return shown.replaceAll(LINK, (link: string, opening: string, double?: string, single?: string, content = '', closing = '') => {
    place += 1
    const url = (isSame && asWritten[place]) || urlOf(double ?? single ?? '')
    if (UNCOUNTED.test(url)) return link
    return `${opening}${content}<span style="${MARK_STYLE}">${countOf(counts.get(url) ?? 0)}</span>${closing}`
  })
}
