// What our pages rely on of the library that makes their HTML.
import { html } from '@remix-run/html-template'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeHtml } from '../../../src/mail/html/html-tokens.ts'

const HOSTILE = `<img src=x onerror="alert('1')">&amp;`
const HARMLESS = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;amp;'

describe('a template', () => {
  it('escapes values in text and in attributes', () => {
    expect(String(html`<p title="${HOSTILE}">${HOSTILE}</p>`)).toBe(`<p title="${HARMLESS}">${HARMLESS}</p>`)
  })

  it('puts in HTML of its own as it is, at any depth', () => {
    expect(String(html`<ul>${html`<li>${html`<b>${'<'}</b>`}</li>`}</ul>`)).toBe('<ul><li><b>&lt;</b></li></ul>')
  })

  it('puts the items of a list side by side, each escaped unless it is HTML of its own', () => {
    expect(String(html`<ul>${['<', html`<li>`, ['"']]}</ul>`)).toBe('<ul>&lt;<li>&quot;</ul>')
  })

  it('leaves out what is not there, and writes numbers', () => {
    expect(String(html`a${null}b${undefined}c${0}`)).toBe('abc0')
  })

  it('does not take a look-alike for HTML of its own', () => {
    const lookAlike = JSON.parse('{"text":"<b>"}')
    expect(String(html`${lookAlike}`)).toBe('[object Object]')
  })

  it('keeps values at the beginning, at the end and side by side', () => {
    expect(String(html`${'a'}${'b'} ${''}${'c'}`)).toBe('ab c')
  })

  it('does not take the replacement patterns of String.replace for anything', () => {
    expect(String(html`<p>${'$& $1 $$'}</p>`)).toBe('<p>$&amp; $1 $$</p>')
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
