// The HTML of an email for a frame that shows it, without everything that would contact a server when it is shown and that no policy can prevent.
import { escapeHtml, type HtmlAttribute, type HtmlStartTag, readHtml } from './html-tokens.ts'

/** Replaces each `cid:` (RFC 2392) in a text of HTML or CSS by the address that `addressOf` returns. An unknown id stays unchanged. */
export function withImageAddresses(text: string, addressOf: (contentId: string) => string | null): string {
  return text.replace(CID, (whole, id: string) => addressOf(contentIdOf(id)) ?? whole)
}

/** Longer than any accepted id, even if all of it is percent-encoded. */
const ESCAPED_ID_LENGTH_MAX = 1_000

/** Where an address can begin: at the start, and after a space, a quote, a bracket or a comma. */
const CID = new RegExp(String.raw`(?<![^\s"'(,])cid:([^"'\s<>(),]{1,${ESCAPED_ID_LENGTH_MAX}})`, 'gi')

function contentIdOf(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

/**
 * Every tag is rewritten from what was read, and nothing else in the result looks like a tag. So a browser that reads some part in another way, as
 * browsers do inside SVG, finds no tag that was not checked here. Links open a separate tab that learns nothing of this page. `cid:` leads to our
 * copies (RFC 2392) if `addressOf` has one. What lies beyond `SHOWN_LENGTH_MAX`, or would make the result longer than `WRITTEN_LENGTH_MAX`, is left
 * out, and `isCut` is true.
 */
export function containedHtml(html: string, addressOf: (contentId: string) => string | null): { html: string; isCut: boolean } {
  const written = createBoundedText(WRITTEN_LENGTH_MAX)
  /** The element whose text is left out, or copied unchanged. */
  let raw: string | null = null
  readHtml(html.slice(0, SHOWN_LENGTH_MAX), {
    doctype(text) {
      // Only the beginning of a document decides the layout mode.
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

/**
 * Counted in characters. Mail programs cut a message earlier. Reading it blocks the process, and anyone who has a link can request it again and
 * again.
 */
export const SHOWN_LENGTH_MAX = 200_000

/**
 * Counted in characters. An escaped quote is five times as long, and our addresses are longer than most `cid:`, but HTML that people write hardly
 * grows.
 */
export const WRITTEN_LENGTH_MAX = 2 * SHOWN_LENGTH_MAX

/** After the first part that does not fit, nothing more is added. */
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
    /** Adds as much of the part as fits. */
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
 * `link` and `meta` reach other servers despite every policy (preconnect, dns-prefetch, referrer). The policy covers the documents of frames only
 * in part. Browsers do not read the text of some elements as HTML, and these would have to be told apart.
 */
const LEFT_OUT = new Set(
  'link meta base iframe frame frameset object embed applet portal fencedframe noscript xmp plaintext noembed noframes'.split(' '),
)
const LEFT_OUT_WITH_TEXT = new Set(['script', 'title', 'iframe', 'noembed', 'noframes'])

/** The only names of `meta` that change the appearance and nothing else. */
const META_NAMES = new Set(['color-scheme', 'supported-color-schemes', 'viewport'])

/** Names beside those that begin with `on`. A `rel` or `target` of the email could give the page that a link opens access to this one. */
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

/**
 * Styles have `<` in texts and in the comments of old mail, and nothing needs it there. In a comparison of widths it is followed by a space or `=`.
 * At the end, what is written next could follow it.
 */
const styleText = (css: string): string => css.replaceAll('<!--', '').replace(/<(?=[a-z/!?]|$)/gi, '\\3c ')

/** Whether HTML would show images of other servers. This only decides what a page says about them; a policy decides what may be loaded. */
export function mentionsRemoteImages(html: string): boolean {
  let isFound = false
  let isStyle = false
  readHtml(html.slice(0, SHOWN_LENGTH_MAX), {
    startTag(tag) {
      isStyle = tag.name === 'style'
      isFound ||= hasRemoteImage(tag)
    },
    endTag() {
      isStyle = false
    },
    text(text) {
      isFound ||= isStyle && REMOTE_STYLE.test(text)
    },
  })
  return isFound
}

/** In SVG the address of an image is in `href`, which is a link in HTML. */
const WITH_HREF = new Set(['image', 'feimage', 'use'])
const WITH_SRC = new Set(['img', 'image', 'source', 'input'])

function hasRemoteImage({ name, attributes }: HtmlStartTag): boolean {
  return attributes.some((attribute) => {
    switch (attribute.name) {
      case 'src':
        return WITH_SRC.has(name) && REMOTE.test(attribute.value)
      case 'href':
      case 'xlink:href':
        return WITH_HREF.has(name) && REMOTE.test(attribute.value)
      case 'srcset':
        return attribute.value.split(',').some((one) => REMOTE.test(one))
      case 'background':
      case 'poster':
        return REMOTE.test(attribute.value)
      case 'style':
        return REMOTE_STYLE.test(attribute.value)
      default:
        return false
    }
  })
}

const REMOTE = /^\s*(?:https?:)?[/\\]{2}/i
const REMOTE_STYLE = /url\(\s*(?:["']\s*)?(?:https?:)?[/\\]{2}/i
