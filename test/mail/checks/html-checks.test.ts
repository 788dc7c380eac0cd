import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { GMAIL_CLIP_BYTES, GMAIL_STYLE_LENGTH_MAX } from '../../../src/mail/checks/client-limits.ts'
import { checkHtml, checkSize } from '../../../src/mail/checks/html-checks.ts'
import { isPrivateHost } from '../../../src/mail/checks/link-checks.ts'

const DESIGNS = new URL('./designs/', import.meta.url)

/** Level, code, and what it was found in first. */
const FINDINGS: Record<string, string[]> = {
  'newsletter.html': [],
  'outlook-buttons.html': [],
  'flex-columns.html': ['warning css_unsupported display', 'warning css_unsupported position', 'warning css_unsupported float'],
  'grid-shop.html': [
    'warning css_unsupported display',
    'warning image_width_missing https://cdn.example.com/one.webp?v=2',
    'warning image_unsupported https://cdn.example.com/one.webp?v=2',
  ],
  'hero.html': ['warning css_unsupported background-image', 'warning css_unsupported animation', 'warning css_unsupported position'],
  'web-fonts.html': ['warning stylesheet_external https://fonts.example.com/css?family=Inter', 'warning css_unsupported @font-face'],
  'broken-styles.html': ['warning style_broken null', 'warning style_in_body null'],
  'interactive.html': ['script', 'video', 'form', 'iframe', 'svg'].map((name) => `warning element_unsupported ${name}`),
  'links.html': [
    'warning link_empty #',
    'error link_broken www.example.com/sale',
    'error link_broken https://',
    'error link_broken javascript:alert(1)',
    'warning link_unusual myapp://open',
    'warning link_private http://localhost:3000/preview',
    'warning link_insecure http://shop.example.com/',
  ],
  'images.html': [
    'warning image_unsupported https://cdn.example.com/logo.svg',
    'warning image_unsupported data:',
    'warning image_not_https http://cdn.example.com/photo.jpg',
    'warning alt_missing https://cdn.example.com/one.png',
    'warning image_width_missing https://cdn.example.com/four.png',
    'warning image_broken null',
  ],
}

it.each(Object.entries(FINDINGS))('finds in %s what mail programs do not show, and what leads nowhere', async (design, expected) => {
  const checks = await checkHtml(readFileSync(new URL(design, DESIGNS), 'utf8'))
  expect(checks.map(({ level, code, about }) => `${level} ${code} ${about}`)).toEqual(expected)
})

it('has findings for each design', () => {
  expect(readdirSync(DESIGNS).sort()).toEqual(Object.keys(FINDINGS).sort())
})

describe('a finding', () => {
  const messageOf = async (html: string) => (await checkHtml(html)).map(({ message }) => message)

  it('says how many there are, names the first, and says what to do', async () => {
    expect(await messageOf('<a href="sale">a</a>')).toEqual(['A link has no `https://`, so it leads nowhere in a mail: `sale`.'])
    const many = Array.from({ length: 5 }, (_, index) => `<a href="http://example.com/${index}">a</a>`).join('')
    expect(await messageOf(many)).toEqual([
      '5 links have `http` in place of `https`, of which browsers warn: `http://example.com/0`, `http://example.com/1`, `http://example.com/2`.',
    ])
  })

  it('stays short, whatever is written', async () => {
    const [check] = await checkHtml(`<a href="http://example.com/${'`a'.repeat(5_000)}">a</a>`)
    expect(check?.about?.length).toBeLessThan(250)
    const kinds = await checkHtml(Array.from({ length: 500 }, (_, index) => `<img src="http://a.example.com/${index}.svg">`).join(''))
    expect(kinds).toHaveLength(4)
  })
})

it('warns of more styles than Gmail reads, all of them together', async () => {
  const styles = (length: number) => `<style>${'a{b:c}'.repeat(length / 12)}</style>`.repeat(2)
  expect(await checkHtml(styles(GMAIL_STYLE_LENGTH_MAX - 12))).toEqual([])
  expect(await checkHtml(styles(GMAIL_STYLE_LENGTH_MAX + 120))).toMatchObject([{ code: 'style_too_long' }])
})

it('warns of more HTML than Gmail shows', () => {
  expect(checkSize(GMAIL_CLIP_BYTES)).toEqual([])
  expect(checkSize(GMAIL_CLIP_BYTES + 1)).toMatchObject([{ code: 'html_too_large', message: expect.stringContaining('103 KB') }])
})

it.each([
  ['localhost', true],
  ['printer.local', true],
  ['127.0.0.1', true],
  ['169.254.169.254', true],
  ['[fd00::1]', true],
  ['[::ffff:10.0.0.1]', true],
  ['8.8.8.8', false],
  ['example.com', false],
  ['localhost.example.com', false],
])('tells whether %s is found only in its own network', (host, isPrivate) => {
  expect(isPrivateHost(host)).toBe(isPrivate)
})
