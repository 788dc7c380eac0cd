// What mail programs do not understand of CSS. Read in one pass: declarations, at-rules, and whether the braces fit.
import { AT_RULE_LIMITS, type ClientLimit, CSS_LIMITS } from './client-limits.ts'
import type { FindingKind, Findings } from './mail-checks.ts'

/** Checks the attribute `style` of an element. */
export function checkInlineStyle(findings: Findings, style: string): void {
  for (const declaration of withoutComments(style).split(';')) checkDeclaration(findings, declaration)
}

/** Checks the text of an element `style`. */
export function checkStyleSheet(findings: Findings, css: string): void {
  const blocks = createBlocks()
  for (const { text, end } of pieces(withoutComments(css))) {
    const written = text.trim()
    const name = AT_RULE.exec(written)?.[1]?.toLowerCase() ?? null
    if (name !== null) noteAtRule(findings, name)
    else if (end !== '{' && blocks.isInside()) checkDeclaration(findings, written)
    if (end === '{') blocks.open(name !== null)
    if (end === '}') blocks.close()
  }
  if (!blocks.areFine()) findings.add(STYLE_BROKEN, '')
}

/** Whether the braces fit, and no at-rule stands in another. */
function createBlocks() {
  const open: boolean[] = []
  let isBroken = false
  return {
    isInside: () => open.length > 0,
    open(isAtRule: boolean) {
      if (isAtRule && open.includes(true)) isBroken = true
      // Deeper ones are not looked at, so that a million braces are read in time.
      if (open.length === DEPTH_MAX) isBroken = true
      else open.push(isAtRule)
    },
    close() {
      if (open.pop() === undefined) isBroken = true
    },
    areFine: () => !isBroken && open.length === 0,
  }
}

const DEPTH_MAX = 20

const AT_RULE = /^@([a-z-]{1,40})/i

function noteAtRule(findings: Findings, name: string): void {
  const limit = AT_RULE_LIMITS[name]
  if (!limit) return
  if (name === 'import') findings.add(STYLESHEET_EXTERNAL, '@import')
  else findings.add(unsupported(limit), `@${name}`)
}

function checkDeclaration(findings: Findings, declaration: string): void {
  const colon = declaration.indexOf(':')
  if (colon < 0) return
  const property = declaration.slice(0, colon).trim().toLowerCase()
  if (!Object.hasOwn(CSS_LIMITS, property)) return
  const value = declaration.slice(colon + 1, colon + 1 + VALUE_LENGTH_MAX).toLowerCase()
  const words = value.replace('!important', '').trim().split(/\s+/)
  for (const limit of CSS_LIMITS[property] ?? []) {
    const holds = limit.values === null || limit.values.some((one) => (one.endsWith('(') ? value.includes(one) : words.includes(one)))
    if (holds) findings.add(unsupported(limit), property)
  }
}

/** What decides stands at the beginning. */
const VALUE_LENGTH_MAX = 2_000

/** Text up to each brace and semicolon. Those in quotes and brackets count as text, such as in `url(data:image/png;base64,…)`. */
function* pieces(css: string): Generator<{ text: string; end: string }> {
  let start = 0
  let quote = ''
  let brackets = 0
  for (let at = 0; at < css.length; at += 1) {
    const character = css.charAt(at)
    if (quote !== '') {
      if (character === '\\') at += 1
      else if (character === quote || character === '\n') quote = ''
    } else if (character === '"' || character === "'") quote = character
    else if (character === '(') brackets += 1
    else if (character === ')') brackets = Math.max(0, brackets - 1)
    else if ((character === ';' && brackets === 0) || character === '{' || character === '}') {
      yield { text: css.slice(start, at), end: character }
      start = at + 1
      brackets = 0
    }
  }
  yield { text: css.slice(start), end: '' }
}

function withoutComments(css: string): string {
  const parts: string[] = []
  let from = 0
  for (let start = css.indexOf('/*'); start >= 0; start = css.indexOf('/*', from)) {
    parts.push(css.slice(from, start))
    const end = css.indexOf('*/', start + 2)
    from = end < 0 ? css.length : end + 2
  }
  parts.push(css.slice(from))
  // Old mail hides its styles in a comment of HTML.
  return parts.join(' ').replaceAll('<!--', ' ').replaceAll('-->', ' ')
}

const unsupported = ({ feature, effect }: ClientLimit): FindingKind => ({
  code: 'css_unsupported',
  level: 'warning',
  of: feature,
  sentence: () => `${feature} ${effect}`,
})

const STYLE_BROKEN: FindingKind = {
  code: 'style_broken',
  level: 'warning',
  sentence: () =>
    'The braces of a `<style>` do not fit, or one at-rule stands in another: Gmail then ignores all of it. Correct it, and send yourself a test.',
}

export const STYLESHEET_EXTERNAL: FindingKind = {
  code: 'stylesheet_external',
  level: 'warning',
  sentence: () => 'Styles of another address are not loaded by Gmail and Outlook.com: write them into the mail.',
}
