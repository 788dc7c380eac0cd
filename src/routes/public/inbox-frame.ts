// The HTML of an email, made fit for its sandboxed frame.

/** Neither scripts nor forms, and of no origin. A link may open a tab of its own, free of the sandbox: following links is what test mail is for. */
export const FRAME_SANDBOX = 'allow-popups allow-popups-to-escape-sandbox'

/** What the frame may load: its own styles and our copies of inline images; pictures of other servers only when they were asked for. */
export function framePolicy(loadsRemoteImages: boolean): string {
  const images = loadsRemoteImages ? "img-src data: 'self' https: http:" : "img-src data: 'self'"
  return `sandbox ${FRAME_SANDBOX}; default-src 'none'; style-src 'unsafe-inline'; ${images}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`
}

/** Only decides whether the page offers to load them; what is loaded is decided by the policy. */
export const mentionsRemoteImages = (html: string): boolean => REMOTE_SOURCE.test(html) && PICTURE.test(html)

/** Runs of spaces are bounded, so that no HTML takes long. */
const REMOTE_SOURCE =
  /\b(?:src|srcset|background|poster|href)\s{0,9}=\s{0,9}["']?\s{0,9}(?:https?:)?\/\/|url\(\s{0,9}["']?\s{0,9}(?:https?:)?\/\/|,\s{0,9}(?:https?:)?\/\//i
const PICTURE = /<(?:img|image|picture|source|input|video|table|td|th|tr|body|style)\b|url\(/i

/** The document of the frame: links open outside of it, and `cid:` leads to our copies (RFC 2392). An id that is not there stays as it is. */
export function frameDocument(html: string, addressOf: (contentId: string) => string | null): string {
  const resolved = html.replace(CID, (whole, before: string, id: string) => {
    const address = addressOf(contentIdOf(id))
    return address === null ? whole : before + address
  })
  const doctype = DOCTYPE.exec(resolved)?.[0] ?? ''
  // Behind the doctype: before it, a browser would lay the page out as it did in 1998.
  return `${doctype}<base target="_blank">${resolved.slice(doctype.length)}`
}

/** Where a URL can begin: in an attribute, in url(), in a list of sources. */
const CID = /(["'=(,]\s{0,9})cid:([^"'\s<>(),]{1,1000})/gi
const DOCTYPE = /^\s{0,1000}<!doctype[^>]{0,1000}>/i

function contentIdOf(id: string): string {
  const unescaped = id.replaceAll('&amp;', '&')
  try {
    return decodeURIComponent(unescaped)
  } catch {
    return unescaped
  }
}
