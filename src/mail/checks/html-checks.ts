// Looks through the HTML of a mail for what is often wrong with it, and for what Outlook, Gmail and Apple Mail do not show.
import { type HtmlStartTag, readLongHtml } from '../html/html-tokens.ts'
import { readPlaceholders } from '../rendering/placeholders.ts'
import { type ClientLimit, DATA_IMAGE, ELEMENT_LIMITS, GMAIL_CLIP_BYTES, GMAIL_STYLE_LENGTH_MAX, IMAGE_LIMITS } from './client-limits.ts'
import { checkLink, FILLED_IN } from './link-checks.ts'
import { createFindings, type FindingKind, type Findings, type MailCheck } from './mail-checks.ts'
import { checkInlineStyle, checkStyleSheet, STYLESHEET_EXTERNAL } from './style-checks.ts'

declare module '../text-tasks.ts' {
  interface TextTasks {
    htmlChecks: { given: { html: string }; result: MailCheck[] }
  }
}

/** As it was written, with its placeholders. In time that is linear in its length. */
export async function checkHtml(html: string): Promise<MailCheck[]> {
  const findings = createFindings()
  let styleLength = 0
  let style: string[] | null = null
  let isInBody = false
  await readLongHtml(withoutPlaceholders(html), {
    startTag(tag) {
      if (tag.name === 'body') isInBody = true
      if (tag.name === 'style') {
        style = []
        if (isInBody) findings.add(STYLE_IN_BODY, '')
      }
      checkTag(findings, tag)
    },
    text(text) {
      style?.push(text)
    },
    endTag(name) {
      if (name !== 'style' || style === null) return
      const css = style.join('')
      style = null
      styleLength += css.length
      checkStyleSheet(findings, css)
    },
  })
  if (styleLength > GMAIL_STYLE_LENGTH_MAX) findings.add(STYLE_TOO_LONG, '')
  return findings.list()
}

/** @param bytes of the HTML as it is sent */
export const checkSize = (bytes: number): MailCheck[] =>
  bytes <= GMAIL_CLIP_BYTES
    ? []
    : [
        {
          code: 'html_too_large',
          level: 'warning',
          about: String(bytes),
          message: `The HTML has ${Math.ceil(bytes / 1024).toLocaleString('en')} KB as it is sent. Gmail shows the first ${GMAIL_CLIP_BYTES / 1024} KB, and hides the rest with the unsubscribe link: shorten it.`,
        },
      ]

const withoutPlaceholders = (html: string): string =>
  readPlaceholders(html)
    .map((part) => (typeof part === 'string' ? part : FILLED_IN))
    .join('')

function checkTag(findings: Findings, tag: HtmlStartTag): void {
  const { name } = tag
  const limit = Object.hasOwn(ELEMENT_LIMITS, name) ? ELEMENT_LIMITS[name] : undefined
  if (limit) findings.add(unsupported('element_unsupported', name, limit), name)
  const style = attributeOf(tag, 'style')
  if (style !== null) checkInlineStyle(findings, style)
  if (name === 'a' || name === 'area') {
    const href = attributeOf(tag, 'href')
    // A place in the mail to which others lead.
    if (href !== null || (attributeOf(tag, 'name') === null && attributeOf(tag, 'id') === null)) checkLink(findings, href)
  }
  if (name === 'img') checkImage(findings, tag)
  if (name === 'link' && attributeOf(tag, 'rel')?.toLowerCase().includes('stylesheet'))
    findings.add(STYLESHEET_EXTERNAL, attributeOf(tag, 'href') ?? '')
}

function checkImage(findings: Findings, tag: HtmlStartTag): void {
  const source = (attributeOf(tag, 'src') ?? '').trim()
  const shown = source.startsWith('data:') ? 'data:' : source.replaceAll(FILLED_IN, '…')
  if (attributeOf(tag, 'alt') === null) findings.add(ALT_MISSING, shown)
  if (attributeOf(tag, 'width') === null) findings.add(WIDTH_MISSING, shown)
  // What begins with a placeholder can be any address.
  if (!source.startsWith(FILLED_IN)) for (const kind of sourceProblems(source)) findings.add(kind, shown)
}

function sourceProblems(source: string): FindingKind[] {
  if (source === '') return [IMAGE_BROKEN]
  const start = source.slice(0, SCHEME_LENGTH_MAX).toLowerCase()
  if (start.startsWith('data:')) return [unsupported('image_unsupported', 'data', DATA_IMAGE)]
  const [path = ''] = source.split(/[?#]/, 1)
  const ending = ENDING.exec(path.slice(-ENDING_LENGTH_MAX))?.[1]?.toLowerCase() ?? ''
  const limit = Object.hasOwn(IMAGE_LIMITS, ending) ? IMAGE_LIMITS[ending] : undefined
  const isLoaded = start.startsWith('https://') || start.startsWith('cid:')
  return [...(isLoaded ? [] : [IMAGE_NOT_HTTPS]), ...(limit ? [unsupported('image_unsupported', ending, limit)] : [])]
}

const SCHEME_LENGTH_MAX = 10
const ENDING_LENGTH_MAX = 6
const ENDING = /\.([a-z]{3,4})$/i

const attributeOf = ({ attributes }: HtmlStartTag, name: string): string | null =>
  attributes.find((attribute) => attribute.name === name)?.value ?? null

const unsupported = (code: string, of: string, { feature, effect }: ClientLimit): FindingKind => ({
  code,
  level: 'warning',
  of,
  sentence: () => `${feature} ${effect}`,
})

const images = (count: number): string => (count === 1 ? 'An image' : `${count.toLocaleString('en')} images`)
const have = (count: number): string => (count === 1 ? 'has' : 'have')
const named = (examples: string): string => (examples === '' ? '' : `: ${examples}`)

const ALT_MISSING: FindingKind = {
  code: 'alt_missing',
  level: 'warning',
  sentence: (count: number, examples: string) =>
    `${images(count)} ${have(count)} no attribute \`alt\`${named(examples)}. It is read out, and shown as long as images are not; \`alt=""\` says that an image only decorates.`,
}
const WIDTH_MISSING: FindingKind = {
  code: 'image_width_missing',
  level: 'warning',
  sentence: (count: number, examples: string) =>
    `${images(count)} ${have(count)} no attribute \`width\`, so Outlook for Windows shows ${count === 1 ? 'it' : 'them'} in full size${named(examples)}.`,
}
const IMAGE_BROKEN: FindingKind = {
  code: 'image_broken',
  level: 'warning',
  sentence: (count: number) => `${images(count)} ${have(count)} no address: give \`src\`, or remove the image.`,
}
const IMAGE_NOT_HTTPS: FindingKind = {
  code: 'image_not_https',
  level: 'warning',
  sentence: (count: number, examples: string) =>
    `${images(count)} ${have(count)} an address without \`https\`, which many mail programs do not load${named(examples)}.`,
}
const STYLE_IN_BODY: FindingKind = {
  code: 'style_in_body',
  level: 'warning',
  sentence: () => 'A `<style>` in the body is ignored by Gmail and Outlook for Windows: put it into the head.',
}
const STYLE_TOO_LONG: FindingKind = {
  code: 'style_too_long',
  level: 'warning',
  sentence: () =>
    `The styles have more than ${GMAIL_STYLE_LENGTH_MAX / 1024} KB together, and Gmail ignores what comes after: remove what is not used.`,
}
