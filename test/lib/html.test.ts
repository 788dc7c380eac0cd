import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeHtml, html, page } from '../../src/lib/html.ts'

const HOSTILE = `<img src=x onerror="alert('1')">&amp;`
const HARMLESS = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;amp;'

describe('html', () => {
  it('escapes values in text and in attributes', () => {
    expect(html`<p title="${HOSTILE}">${HOSTILE}</p>`.text).toBe(`<p title="${HARMLESS}">${HARMLESS}</p>`)
  })

  it('puts in HTML of its own as it is, at any depth', () => {
    expect(html`<ul>${html`<li>${html`<b>${'<'}</b>`}</li>`}</ul>`.text).toBe('<ul><li><b>&lt;</b></li></ul>')
  })

  it('does not take a look-alike for HTML of its own', () => {
    const lookAlike = JSON.parse('{"text":"<b>"}')
    expect(() => html`${lookAlike}`).toThrow(TypeError)
  })

  it('keeps values at the beginning, at the end and side by side', () => {
    expect(html`${'a'}${'b'} ${''}${'c'}`.text).toBe('ab c')
  })

  it('does not take the replacement patterns of String.replace for anything', () => {
    expect(html`<p>${'$& $1 $$'}</p>`.text).toBe('<p>$&amp; $1 $$</p>')
  })
})

describe('escapeHtml', () => {
  it('leaves no character that could begin a tag, an attribute or an entity', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const escaped = escapeHtml(text)
        expect(escaped).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|#39);)/)
        const back = escaped.replace(
          /&(amp|lt|gt|quot|#39);/g,
          (entity) => ({ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" })[entity] ?? '',
        )
        expect(back).toBe(text)
      }),
    )
  })
})

describe('page', () => {
  it('is a whole page with an escaped title and no scripts, which search engines leave alone', () => {
    const text = page(HOSTILE, html`<main>${HOSTILE}</main>`)
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(text).toContain(`<title>${HARMLESS}</title>`)
    expect(text).toContain(`<body><main>${HARMLESS}</main></body>`)
    expect(text).toContain('<meta name="robots" content="noindex">')
    expect(text).not.toMatch(/<script|<img|javascript:/i)
  })
})
