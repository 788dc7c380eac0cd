import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ATTRIBUTES_MAX, type HtmlAttribute, type HtmlStartTag, readHtml } from '../../../src/mail/html/html-tokens.ts'

type Read = (HtmlStartTag | { end: string } | { text: string } | { doctype: string })[]

function read(html: string): Read {
  const tokens: Read = []
  readHtml(html, {
    startTag: (tag) => tokens.push(tag),
    endTag: (end) => tokens.push({ end }),
    doctype: (doctype) => tokens.push({ doctype }),
    text: (text) => tokens.push({ text }),
  })
  return tokens
}

const startTags = (html: string): HtmlStartTag[] => read(html).filter((token) => 'attributes' in token)
const attributes = (html: string): HtmlAttribute[] => startTags(html).flatMap((tag) => tag.attributes)

describe('readHtml', () => {
  it('reads tags, text, style and doctype in order, and leaves comments out', () => {
    expect(read('<!DOCTYPE html><P CLASS=a>x &lt; y<br/><!-- <b> --><style>a<b&lt;</style></P>')).toEqual([
      { doctype: 'DOCTYPE html' },
      {
        name: 'p',
        attributes: [{ name: 'class', value: 'a', valueStart: 24, valueEnd: 25 }],
        isSelfClosing: false,
        start: 15,
        end: 26,
      },
      { text: 'x ' },
      { text: '<' },
      { text: ' y' },
      { name: 'br', attributes: [], isSelfClosing: true, start: 34, end: 39 },
      { name: 'style', attributes: [], isSelfClosing: false, start: 51, end: 58 },
      { text: 'a<b&lt;' },
      { end: 'style' },
      { end: 'p' },
    ])
  })

  it.each([
    ['<a href="x&amp;y">', 'x&y', 'x&amp;y'],
    ["<a href='&#34;'>", '"', '&#34;'],
    ['<a href = "x"id=y>', 'x', 'x'],
    ['<a\n\thref\n=\n x&lt>', 'x<', 'x&lt'],
    ['<a href=>', '', ''],
    ['<a href="">', '', ''],
    ['<a href>', '', ''],
    ['<a href="a>b">', 'a>b', 'a>b'],
    ['<a href=x/>', 'x/', 'x/'],
    ['<a href="🎉&copy=1">', '🎉&copy=1', '🎉&copy=1'],
  ])('knows what a link in %s says, and where it stands', (html, value, source) => {
    const [found] = attributes(html)
    expect(found).toEqual({ name: 'href', value, valueStart: expect.any(Number), valueEnd: expect.any(Number) })
    expect(html.slice(found?.valueStart, found?.valueEnd)).toBe(source)
  })

  it('takes the first of several attributes with one name, as browsers do', () =>
    expect(attributes('<a href=x HREF=y>').map(({ value }) => value)).toEqual(['x']))

  it('leaves a tag out in which the source ends', () => expect(read('x<a href="y"')).toEqual([{ text: 'x' }]))

  it('keeps the first thousand attributes of a tag', () => {
    const html = `<a ${Array.from({ length: ATTRIBUTES_MAX + 5 }, (_, index) => `b${index}`).join(' ')}>`
    expect(attributes(html).at(-1)?.name).toBe(`b${ATTRIBUTES_MAX - 1}`)
  })

  it('finds each tag and each value where it says that it is, in any source', () => {
    const pieces = [
      '<',
      '>',
      '<a href=',
      '<img src="',
      '"',
      "'",
      '=',
      ' ',
      '/',
      '&amp;',
      '&',
      'x',
      '<!--',
      '-->',
      '<style>',
      '</style>',
      '\0',
      '🎉',
      '\r\n',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (parts) => {
        const html = parts.join('')
        for (const tag of startTags(html)) {
          const source = html.slice(tag.start, tag.end)
          expect(source.slice(1, tag.name.length + 1).toLowerCase()).toBe(tag.name)
          expect([source[0], source.at(-1)]).toEqual(['<', '>'])
          for (const { valueStart, valueEnd, value } of tag.attributes) {
            expect(valueStart).toBeLessThanOrEqual(valueEnd)
            expect(valueEnd).toBeLessThan(tag.end)
            expect(html.slice(valueStart, valueEnd).replaceAll('&amp;', '&')).toBe(value)
          }
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
