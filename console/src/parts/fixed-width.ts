// How wide a mail is at least. Its frame is another origin to the page, so that nothing in it can be measured: it is read from the HTML.

const STYLE = /<style\b[^<>]*>([^<]*)/gi
const TAG = /<[a-z][^<>]*>/gi
/** `width="600"`, and no share of what is around. */
const ATTRIBUTE = /\swidth\s*=\s*["']?\s*(\d{1,4})(?:px)?(?=["'\s/>])/i
/** `width: 600px` and `min-width: 600px`, but not `max-width`. */
const DECLARED = /(?:^|[\s;"'{])(?:min-)?width\s*:\s*(\d{1,4})(?:\.\d+)?px/gi
/** `padding: 32px 16px`: the second number is that of the sides. */
const PADDING = /(?:^|[\s;"'{])padding\s*:\s*(\d{1,3})(?:px)?(?:\s+(\d{1,3})(?:px)?)?/i
const FLUID = /max-width\s*:/i
/** Programs make these as wide as they say, whatever their `max-width` is. */
const OF_TABLE = /^<t(?:able|d|h)\b/i
/** It has a layout of its own for a narrow window. */
const RESPONSIVE = /@media[^{]{0,200}\bmax-(?:device-)?width/i

/** What a document leaves free around it. */
const DOCUMENT_MARGIN = 16
/** A wider one was not meant. */
const WIDTH_MAX = 1_600

/** In pixels, with what is free around it; 0 for what fits into any width. */
export function fixedWidthOf(html: string): number {
  const text = withoutComments(html)
  const styles = [...text.matchAll(STYLE)].map(([, style = '']) => style)
  if (styles.some((style) => RESPONSIVE.test(style))) return 0
  let widest = 0
  let sides = 0
  for (const part of [...styles.flatMap((style) => style.split('}')), ...[...text.matchAll(TAG)].map(([tag]) => tag)]) {
    const isFixed = OF_TABLE.test(part) || !FLUID.test(part)
    for (const width of isFixed ? widthsIn(part) : []) if (width > 0) widest = Math.max(widest, width + 2 * sides + DOCUMENT_MARGIN)
    const [, all = '0', side = all] = PADDING.exec(part) ?? []
    if (part.startsWith('<')) sides = Math.max(sides, Number(side))
  }
  return Math.min(WIDTH_MAX, widest)
}

const widthsIn = (text: string): number[] => [
  ...(text.startsWith('<') ? [Number(ATTRIBUTE.exec(text)?.[1] ?? 0)] : []),
  ...[...text.matchAll(DECLARED)].map(([, pixels]) => Number(pixels)),
]

/** What only Outlook reads stands in comments. */
const withoutComments = (html: string): string =>
  html
    .split('-->')
    .map((part, index, parts) => (index === parts.length - 1 ? part : (part.split('<!--', 1)[0] ?? '')))
    .join('')
