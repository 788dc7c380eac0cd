// The HTML of an email for a frame that shows it: what would contact anyone by being shown, and no policy can prevent, is left out.
import { escapeHtml } from '../../lib/html.ts'
import { withImageAddresses } from './cid-addresses.ts'
import { type HtmlAttribute, type HtmlStartTag, readHtml } from './html-tokens.ts'

/**
 * Every tag is written anew from what was read, and nothing else in the result looks like one: so a browser that reads some part of it in
 * another way, as they do inside of SVG, finds no tag that was not looked at here. Links open a tab of their own that learns nothing of this
 * page. `cid:` leads to our copies (RFC 2392) where `addressOf` has one. What lies beyond `SHOWN_LENGTH_MAX`, or would make the result longer than
 * `WRITTEN_LENGTH_MAX`, is left out, and `isCut` says so.
 */
export function containedHtml(html: string, addressOf: (contentId: string) => string | null): { html: string; isCut: boolean } {
  const written = createBoundedText(WRITTEN_LENGTH_MAX)
  /** The element whose text is being left out, or written as it is. */
  let raw: string | null = null
  readHtml(html.slice(0, SHOWN_LENGTH_MAX), {
    doctype(text) {
      // Only the first thing of a document decides how the page is laid out.
      if (written.isEmpty()) written.addWhole(`<!${text.replaceAll('<', '')}>`)
    },
    startTag(tag) {
      if (LEFT_OUT_WITH_TEXT.has(tag.name) || tag.name === 'style') raw = tag.name
      if (!written.isCut() && isKept(tag)) written.addWhole(startTag(tag, addressOf))
    },
    endTag(name) {
      if (name === raw) raw = null
      if (TAG_NAME.test(name) && !LEFT_OUT.has(name) && !LEFT_OUT_WITH_TEXT.has(name)) written.addWhole(`</${name}>`)
    },
    text(text) {
      if (written.isCut()) return
      if (raw === null) written.addBeginning(escapeHtml(text))
      else if (raw === 'style') written.addBeginning(styleText(withImageAddresses(text, addressOf)))
    },
  })
  return { html: written.text(), isCut: written.isCut() || html.length > SHOWN_LENGTH_MAX }
}

/** In characters; mail programs cut a message before. Nothing else is done while it is read, and anyone who has a link can ask for it again and again. */
export const SHOWN_LENGTH_MAX = 200_000

/** In characters. Escaped, a quote is five times as long, and an address of ours is longer than most `cid:`; HTML that people write hardly grows. */
export const WRITTEN_LENGTH_MAX = 2 * SHOWN_LENGTH_MAX

/** From the first part that does not fit, nothing more is added. */
function createBoundedText(lengthMax: number) {
  const parts: string[] = []
  let left = lengthMax
  let isCut = false
  function add(part: string): void {
    parts.push(part)
    left -= part.length
  }
  return {
    addWhole(part: string): void {
      isCut ||= part.length > left
      if (!isCut) add(part)
    },
    /** As much of it as fits. */
    addBeginning(part: string): void {
      if (isCut) return
      isCut = part.length > left
      add(part.slice(0, left))
    },
    isEmpty: () => parts.length === 0,
    isCut: () => isCut,
    text: () => parts.join(''),
  }
}

/**
 * `link` and `meta` reach out past every policy (preconnect, dns-prefetch, referrer). The documents of frames are beyond the policy in part.
 * Elements whose text a browser does not read as HTML would have to be told from those whose text it does.
 */
const LEFT_OUT = new Set(
  'link meta base iframe frame frameset object embed applet portal fencedframe noscript xmp plaintext noembed noframes'.split(' '),
)
const LEFT_OUT_WITH_TEXT = new Set(['script', 'title', 'iframe', 'noembed', 'noframes'])

/** The only words of `meta` that change what is seen and nothing else. */
const META_NAMES = new Set(['color-scheme', 'supported-color-schemes', 'viewport'])

/** Beside those that begin with `on`. A `rel` or `target` of the email could hand this page to the one that a link opens. */
const ATTRIBUTES_LEFT_OUT = new Set(['ping', 'referrerpolicy', 'attributionsrc', 'srcdoc', 'rel', 'target', 'http-equiv', 'nonce'])

/** Attributes that hold an address, a list of them, or styles. */
const WITH_ADDRESSES = new Set(['src', 'srcset', 'href', 'xlink:href', 'background', 'poster', 'style'])

const TAG_NAME = /^[a-z][a-z0-9:._-]*$/
const ATTRIBUTE_NAME = /^[^\s"'<>/=\p{Cc}]+$/u

function isKept({ name, attributes }: HtmlStartTag): boolean {
  if (name === 'meta') return attributes.some((one) => one.name === 'name' && META_NAMES.has(one.value.toLowerCase()))
  return TAG_NAME.test(name) && !LEFT_OUT.has(name) && !LEFT_OUT_WITH_TEXT.has(name)
}

function startTag({ name, attributes, isSelfClosing }: HtmlStartTag, addressOf: (contentId: string) => string | null): string {
  const kept = attributes.filter((one) => ATTRIBUTE_NAME.test(one.name) && !one.name.startsWith('on') && !ATTRIBUTES_LEFT_OUT.has(one.name))
  const link = name === 'a' || name === 'area' ? ' target="_blank" rel="noopener noreferrer"' : ''
  return `<${name}${kept.map((one) => attribute(one, addressOf)).join('')}${link}${isSelfClosing ? ' /' : ''}>`
}

function attribute({ name, value }: HtmlAttribute, addressOf: (contentId: string) => string | null): string {
  return ` ${name}="${escapeHtml(WITH_ADDRESSES.has(name) ? withImageAddresses(value, addressOf) : value)}"`
}

/** Styles hold `<` in texts and in the comments of old mail, which nothing needs; what compares widths is followed by a space or `=`. */
const styleText = (css: string): string => css.replaceAll('<!--', '').replace(/<(?=[a-z/!?])/gi, '\\3c ')
