import { SHOWN_LENGTH_MAX } from './contained-html.ts'
import { type HtmlStartTag, readHtml } from './html-tokens.ts'

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
